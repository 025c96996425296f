"""Mixtures of experts with plain attention.

Source of each line: `models/<model type>/modeling_*.py` of transformers 5.24, or the checkpoint's own modeling file for
the types that transformers does not know. Expert biases that only correct the routing are parameters in some classes
and buffers in others; they are counted as their class has them.
"""

from collections.abc import Mapping

from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.parameters import decoder, draft, sparse_layers
from kvdesk.hub.parameters.blocks import AttentionTraits, MoeTraits
from kvdesk.hub.parameters.decoder import Traits
from kvdesk.hub.parameters.tally import Tally

_BIAS = AttentionTraits(qkv_bias="attention_bias", o_bias="attention_bias")
_HEAD_NORMS = AttentionTraits(qkv_bias="attention_bias", o_bias="attention_bias", qk_norm="head")
_FULL_NORMS = AttentionTraits(qkv_bias="attention_bias", o_bias="attention_bias", qk_norm="full")
_SHARED_COUNT = ("n_shared_experts", "num_shared_experts", "moe_num_shared_experts")
_SHARED_WIDTH = ("shared_expert_intermediate_size", "moe_shared_expert_intermediate_size", "shared_intermediate_size")
QWEN_MOE = MoeTraits()
GLM = MoeTraits(shared=_SHARED_COUNT)
GLM4 = MoeTraits(shared=_SHARED_COUNT, router="router_fp32")
"""Source of the 32 bits: vLLM 0.33 `model_executor/models/glm4_moe.py`, `minimax_m2.py`."""

TRAITS: Mapping[str, Traits] = {
    "mixtral": Traits(moe=MoeTraits()),
    **dict.fromkeys(
        ("qwen3_moe", "qwen3_vl_moe_text", "qwen3_omni_moe_text"),
        Traits(attention=_HEAD_NORMS, moe=QWEN_MOE, sparse=sparse_layers.qwen),
    ),
    "qwen2_moe": Traits(
        attention=AttentionTraits(qkv_bias="qkv_bias"),
        moe=MoeTraits(shared_width=_SHARED_WIDTH, shared_gate=True),
        sparse=sparse_layers.qwen,
    ),
    "olmoe": Traits(attention=_FULL_NORMS, moe=MoeTraits()),
    "flex_olmo": Traits(attention=_FULL_NORMS, moe=MoeTraits()),
    "granitemoe": Traits(attention=_BIAS, moe=MoeTraits()),
    "granitemoeshared": Traits(attention=_BIAS, moe=MoeTraits(shared_width=("shared_intermediate_size",))),
    "phimoe": Traits(attention=_BIAS, moe=MoeTraits(), norm_bias=True, head_bias="lm_head_bias"),
    "gpt_oss": Traits(
        attention=AttentionTraits(qkv_bias="attention_bias", o_bias="attention_bias", sinks=True),
        moe=MoeTraits(expert_bias=True, router_bias=True),
    ),
    "minimax_m2": Traits(
        attention=AttentionTraits(qk_norm="full"), moe=MoeTraits(width=("intermediate_size",), router="router_fp32")
    ),
    "glm4_moe": Traits(
        attention=AttentionTraits(qkv_bias="attention_bias", qk_norm="head", qk_norm_when="use_qk_norm"),
        moe=GLM4,
        sparse=sparse_layers.listed_or_first,
    ),
    "glm4v_moe_text": Traits(
        attention=AttentionTraits(qkv_bias="attention_bias"), moe=GLM4, sparse=sparse_layers.listed_or_first
    ),
    "ernie4_5_moe": Traits(
        attention=AttentionTraits(qkv_bias="use_bias", o_bias="use_bias"),
        mlp_bias="use_bias",
        head_bias="use_bias",
        moe=MoeTraits(shared=_SHARED_COUNT, correction=True),
        sparse=sparse_layers.ernie,
    ),
    "afmoe": Traits(
        attention=AttentionTraits(qkv_bias="attention_bias", o_bias="attention_bias", qk_norm="head", gate="full"),
        norms=4,
        moe=MoeTraits(shared=_SHARED_COUNT, correction=True),
        sparse=sparse_layers.after_first,
    ),
    "exaone_moe": Traits(attention=AttentionTraits(qk_norm="head"), moe=GLM, sparse=sparse_layers.listed_or_first),
    "solar_open": Traits(
        attention=AttentionTraits(qkv_bias="attention_bias"), moe=GLM, sparse=sparse_layers.after_first
    ),
    "dots1": Traits(attention=_HEAD_NORMS, moe=GLM, sparse=sparse_layers.listed_or_first),
    "hunyuan_v1_moe": Traits(
        attention=_HEAD_NORMS, moe=MoeTraits(width=("intermediate_size",), shared_width=("intermediate_size",))
    ),
    "granitemoe_swa": Traits(
        attention=AttentionTraits(qkv_bias="attention_bias", o_bias="attention_bias", sinks=True),
        moe=MoeTraits(shared_width=("shared_intermediate_size",)),
    ),
    "cohere2_moe": Traits(
        attention=_BIAS,
        norms=1,
        width=("prefix_dense_intermediate_size", "intermediate_size"),
        moe=MoeTraits(width=("intermediate_size",), shared=_SHARED_COUNT),
        sparse=sparse_layers.listed_or_first,
        tied_default=True,
    ),
    "flint": Traits(
        attention=AttentionTraits(qkv_bias="attention_bias", o_bias="attention_bias", qk_norm="head", sinks=True),
        moe=MoeTraits(shared_width=_SHARED_WIDTH),
        sparse=sparse_layers.flint,
    ),
    "kolibri1": Traits(attention=AttentionTraits(qk_norm="head"), norms=4, moe=MoeTraits(shared_width=_SHARED_WIDTH)),
    "beam": Traits(
        attention=AttentionTraits(
            qkv_bias="attention_bias", o_bias="attention_bias", qk_norm="head", gate="full", sinks=True
        ),
        norms=4,
        moe=MoeTraits(),
        sparse=sparse_layers.listed_or_fourth,
    ),
    "hy_v3": Traits(attention=_HEAD_NORMS, mlp_bias="mlp_bias", moe=GLM, sparse=sparse_layers.listed_or_second),
    "sarvam_moe": Traits(
        attention=AttentionTraits(
            qkv_bias="attention_bias", o_bias="attention_bias", qk_norm="head", qk_norm_when="use_qk_norm"
        ),
        moe=GLM,
        sparse=sparse_layers.listed_or_first,
    ),
    "mellum": Traits(attention=_HEAD_NORMS, moe=MoeTraits()),
}


def count(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """A text model by its own type, and its draft layers."""
    traits = TRAITS[decoder.own_type(view)]
    decoder.whole(view, tally, traits, top=top)
    draft.of_same_kind(view, tally, traits)
