"""Dense decoders that differ only in biases, norms and the kind of MLP.

Source of each line: `models/<model type>/modeling_*.py` of transformers 5.24, or the checkpoint's own modeling file for
the types that transformers does not know.
"""

from collections.abc import Mapping

from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.parameters import decoder
from kvdesk.hub.parameters.blocks import AttentionTraits
from kvdesk.hub.parameters.decoder import Traits
from kvdesk.hub.parameters.tally import Tally

_LLAMA = "llama exaone cwm iquestcoder granite internlm3"
_PLAIN = "mistral ministral ministral3 Yi aquila aquila3 xverse phi3 phi3_v"
_ATTENTION_BIAS = AttentionTraits(qkv_bias="attention_bias", o_bias="attention_bias")
_QKV_BIAS = AttentionTraits(qkv_bias=True)
_QKV_BIAS_KEY = AttentionTraits(qkv_bias="attention_bias")
_HEAD_NORMS = AttentionTraits(qkv_bias="attention_bias", o_bias="attention_bias", qk_norm="head")
_ALL_BIASES = AttentionTraits(qkv_bias=True, o_bias=True)

LLAMA = Traits(attention=_ATTENTION_BIAS, mlp_bias="mlp_bias")
PLAIN = Traits()
QWEN2 = Traits(attention=_QKV_BIAS)
QWEN3 = Traits(attention=_HEAD_NORMS)

TRAITS: Mapping[str, Traits] = {
    **dict.fromkeys(_LLAMA.split(), LLAMA),
    **dict.fromkeys(_PLAIN.split(), PLAIN),
    **dict.fromkeys(("qwen2", "mimo", "qwen2_vl_text", "qwen2_5_vl_text"), QWEN2),
    **dict.fromkeys(("qwen3", "qwen3_vl_text"), QWEN3),
    "smollm3": LLAMA,
    "gemma": Traits(attention=_ATTENTION_BIAS, tied_default=True),
    "gemma2": Traits(attention=_ATTENTION_BIAS, norms=4, tied_default=True),
    "gemma3_text": Traits(attention=_HEAD_NORMS, norms=4, tied_default=True),
    "glm": Traits(attention=_QKV_BIAS_KEY),
    "glm4": Traits(attention=_QKV_BIAS_KEY, norms=4),
    "glm4v_text": Traits(attention=_QKV_BIAS, norms=4),
    "glm_ocr_text": Traits(norms=4),
    "olmo": Traits(attention=_ATTENTION_BIAS, weighted_norms=False),
    **dict.fromkeys(
        ("olmo2", "olmo3"),
        Traits(attention=AttentionTraits(qkv_bias="attention_bias", o_bias="attention_bias", qk_norm="full")),
    ),
    "exaone4": Traits(attention=AttentionTraits(qk_norm="head")),
    "cohere": Traits(
        attention=AttentionTraits(
            qkv_bias="attention_bias", o_bias="attention_bias", qk_norm="each", qk_norm_when="use_qk_norm"
        ),
        norms=1,
        tied_default=True,
    ),
    "cohere2": Traits(attention=_ATTENTION_BIAS, norms=1, tied_default=True),
    "starcoder2": Traits(
        attention=AttentionTraits(qkv_bias="use_bias", o_bias="use_bias"),
        gated=False,
        mlp_bias="use_bias",
        norm_bias=True,
        tied_default=True,
    ),
    "gpt2": Traits(
        attention=_ALL_BIASES,
        gated=False,
        mlp_bias=True,
        norm_bias=True,
        width_factor=4,
        positions=("max_position_embeddings",),
        tied_default=True,
    ),
    "gpt_neo": Traits(
        attention=AttentionTraits(o_bias=True),
        gated=False,
        mlp_bias=True,
        norm_bias=True,
        width_factor=4,
        positions=("max_position_embeddings",),
        tied_default=True,
    ),
    "gptj": Traits(gated=False, mlp_bias=True, norm_bias=True, norms=1, width_factor=4, head_bias=True),
    "codegen": Traits(gated=False, mlp_bias=True, norm_bias=True, norms=1, width_factor=4, head_bias=True),
    "gpt_neox": Traits(attention=_ATTENTION_BIAS, gated=False, mlp_bias=True, norm_bias=True),
    "gpt_neox_reward_model": Traits(attention=_ATTENTION_BIAS, gated=False, mlp_bias=True, norm_bias=True),
    "bloom": Traits(
        attention=_ALL_BIASES,
        gated=False,
        mlp_bias=True,
        norm_bias=True,
        width=(),
        width_factor=4,
        embedding_norm=True,
        tied_default=True,
    ),
    "phi": Traits(
        attention=AttentionTraits(
            qkv_bias=True, o_bias=True, qk_norm="head", qk_norm_when="qk_layernorm", qk_norm_bias=True
        ),
        gated=False,
        mlp_bias=True,
        norm_bias=True,
        norms=1,
        head_bias=True,
    ),
    "nemotron": Traits(attention=_ATTENTION_BIAS, gated=False, mlp_bias="mlp_bias", norm_bias=True),
    "arcee": Traits(attention=_ATTENTION_BIAS, gated=False, mlp_bias="mlp_bias"),
    "helium": Traits(attention=AttentionTraits(qkv_bias="attention_bias", square_output=True), mlp_bias="mlp_bias"),
    "hyperclovax": Traits(attention=_ATTENTION_BIAS, mlp_bias="mlp_bias", post_norms="use_post_norm"),
    "ernie4_5": Traits(attention=AttentionTraits(qkv_bias="use_bias", o_bias="use_bias"), mlp_bias="use_bias"),
    "seed_oss": Traits(
        attention=AttentionTraits(qkv_bias="attention_bias", o_bias="attention_out_bias"), mlp_bias="mlp_bias"
    ),
    "hunyuan_v1_dense": Traits(attention=_HEAD_NORMS),
    "vaultgemma": Traits(attention=_ATTENTION_BIAS, tied_default=True),
    "persimmon": Traits(
        attention=AttentionTraits(
            qkv_bias=True, o_bias=True, qk_norm="head", qk_norm_when="qk_layernorm", qk_norm_bias=True
        ),
        gated=False,
        mlp_bias=True,
        norm_bias=True,
    ),
    "paddleocr_vl_text": Traits(
        attention=AttentionTraits(qkv_bias="use_bias", o_bias="use_bias"), mlp_bias="use_bias", tied_default=True
    ),
    "jais2": Traits(attention=_ATTENTION_BIAS, gated=False, mlp_bias="mlp_bias", norm_bias=True),
    "granite_swa": Traits(
        attention=AttentionTraits(qkv_bias="attention_bias", o_bias="attention_bias", sinks=True), mlp_bias="mlp_bias"
    ),
    "nanochat": Traits(attention=_ATTENTION_BIAS, gated=False, weighted_norms=False),
    "biogpt": Traits(
        attention=_ALL_BIASES,
        gated=False,
        mlp_bias=True,
        norm_bias=True,
        positions=("max_position_embeddings",),
        extra_positions=2,
        tied_default=True,
    ),
    "xglm": Traits(attention=_ALL_BIASES, gated=False, mlp_bias=True, norm_bias=True, tied_default=True),
    "baichuan": PLAIN,
    "internlm2": Traits(attention=AttentionTraits(qkv_bias="bias", o_bias="bias")),
    "internlm": Traits(attention=AttentionTraits(qkv_bias="bias", o_bias="bias")),
    "minicpm": PLAIN,
}


def count(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """A text model by its own type."""
    decoder.whole(view, tally, TRAITS[decoder.own_type(view)], top=top)
