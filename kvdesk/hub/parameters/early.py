"""Decoders with spellings and shapes of their own: Falcon, MPT, OPT, GPT-BigCode, DBRX, ChatGLM, Qwen 1, ...

Source: transformers 5.24 `models/{falcon,mpt,opt,gpt_bigcode,dbrx,stablelm}/modeling_*.py`; for ChatGLM, Phi-3-small
and Qwen 1 the checkpoints' own `modeling_*.py`.
"""

from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.parameters import blocks, decoder, head, layout, sizes
from kvdesk.hub.parameters.blocks import AttentionTraits
from kvdesk.hub.parameters.decoder import Traits
from kvdesk.hub.parameters.tally import Tally

ALL_BIASES = AttentionTraits(qkv_bias=True, o_bias=True)


def _uniform(view: ConfigView, tally: Tally, traits: AttentionTraits) -> None:
    """Attention as the cache's family reads its heads."""
    for shape, times in layout.attention_shapes(view, layout.decoder(view).layers):
        blocks.attention(view, tally, traits, shape, times=times)


def falcon(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """Falcon: one or two LayerNorms, an MLP of four times the width, biases by `bias`."""
    count, hidden, bias = sizes.layers(view), sizes.hidden(view), view.flag("bias")
    head.embeddings(view, tally, top=top, tied_default=True)
    _uniform(view, tally, AttentionTraits(qkv_bias="bias", o_bias="bias"))
    width = sizes.size(view, "ffn_hidden_size", fallback=4 * hidden)
    blocks.mlp(tally, hidden, width, gated=False, bias=bias, times=count)
    new, parallel = view.flag("new_decoder_architecture"), view.flag("parallel_attn")
    norms = sizes.size(view, "num_ln_in_parallel_attn", fallback=2 if new else 1)
    if not new:
        norms = 1 if parallel else 2
    tally.norm(hidden, times=norms * count + 1, bias=True)


def mpt(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """MPT: no biases at all, an MLP of four times the width (its code does not read `expansion_ratio`)."""
    count, hidden = sizes.layers(view), sizes.hidden(view)
    head.embeddings(view, tally, top=top, tied_default=True)
    _uniform(view, tally, AttentionTraits())
    blocks.mlp(tally, hidden, 4 * hidden, gated=False, times=count)
    tally.norm(hidden, times=2 * count + 1)


def opt(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """OPT: a table of positions with two spare rows, embeddings that may be narrower than the model."""
    count, hidden = sizes.layers(view), sizes.hidden(view)
    narrow = sizes.size(view, "word_embed_proj_dim", fallback=hidden)
    vocab = sizes.vocabulary(view)
    tally.add("embedding", vocab * narrow)
    if not head.headless(top) and not head.tied(top, default=True):
        tally.add("lm_head", vocab * narrow)
    if narrow != hidden:
        tally.linear("embedding", narrow, hidden, times=2, split=False)
    tally.add("embedding", (sizes.size(view, "max_position_embeddings") + 2) * hidden, split=False)
    bias, affine = view.flag("enable_bias", fallback=True), view.flag("layer_norm_elementwise_affine", fallback=True)
    blocks.attention(view, tally, AttentionTraits(qkv_bias=bias, o_bias=bias), sizes.heads(view), times=count)
    blocks.mlp(tally, hidden, sizes.size(view, "ffn_dim"), gated=False, bias=bias, times=count)
    final = view.flag("do_layer_norm_before", fallback=True) and not view.flag("_remove_final_layer_norm")
    if affine:
        tally.norm(hidden, times=2 * count + final, bias=True)


def gpt_bigcode(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """StarCoder: learned positions, biases everywhere, one KV head where `multi_query` is set."""
    count, hidden = sizes.layers(view), sizes.hidden(view)
    head.embeddings(view, tally, top=top, tied_default=True)
    tally.add("embedding", sizes.size(view, "max_position_embeddings") * hidden, split=False)
    _uniform(view, tally, ALL_BIASES)
    blocks.mlp(tally, hidden, sizes.size(view, "n_inner", fallback=4 * hidden), gated=False, bias=True, times=count)
    tally.norm(hidden, times=2 * count + 1, bias=True)


def dbrx(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """DBRX: experts sized in `ffn_config`, LayerNorms without biases."""
    count, hidden = sizes.layers(view), sizes.hidden(view)
    head.embeddings(view, tally, top=top)
    _uniform(view, tally, AttentionTraits())
    inner = view.section("ffn_config")
    if inner is None:
        view.missing("ffn_config")
        return
    experts, width = sizes.size(inner, "moe_num_experts", minimum=1), sizes.size(inner, "ffn_hidden_size")
    tally.linear("router", hidden, experts, times=count, split=False)
    chosen = sizes.size(inner, "moe_top_k", fallback=1)
    tally.experts(3 * hidden * width, experts=experts, chosen=chosen, times=count)
    tally.norm(hidden, times=2 * count + 1)


def chatglm(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """ChatGLM 2, 3 and GLM-4: biases on queries, keys and values, a gated MLP, an untied head."""
    count, hidden = sizes.layers(view), sizes.hidden(view)
    head.embeddings(view, tally, top=top)
    if head.headless(top):
        tally.add("lm_head", sizes.vocabulary(view) * hidden)
    biased = view.flag("add_bias_linear")
    both = biased or view.flag("add_qkv_bias")
    _uniform(view, tally, AttentionTraits(qkv_bias=both, o_bias=biased))
    blocks.mlp(tally, hidden, sizes.size(view, "ffn_hidden_size"), bias=biased, times=count)
    final = view.flag("post_layer_norm", fallback=True)
    tally.norm(hidden, times=2 * count + final)


def qwen(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """Qwen 1: biases on queries, keys and values; `intermediate_size` counts both halves of the gated MLP."""
    count, hidden = sizes.layers(view), sizes.hidden(view)
    head.embeddings(view, tally, top=top)
    rest = not view.flag("no_bias", fallback=True)
    _uniform(view, tally, AttentionTraits(qkv_bias=True, o_bias=rest))
    blocks.mlp(tally, hidden, sizes.first(view, "intermediate_size", "ffn_hidden_size") // 2, bias=rest, times=count)
    tally.norm(hidden, times=2 * count + 1)


def apertus(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """Apertus: norms of queries and keys, an MLP without a gate whose activation has two parameters (xIELU)."""
    traits = AttentionTraits(qkv_bias="attention_bias", o_bias="attention_bias", qk_norm="head")
    decoder.whole(view, tally, Traits(attention=traits, gated=False), top=top)
    tally.vector(2, times=sizes.layers(view))


def bitnet(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """BitNet: a norm before the output and the down projection."""
    traits = AttentionTraits(qkv_bias="attention_bias", o_bias="attention_bias")
    decoder.whole(view, tally, Traits(attention=traits), top=top)
    tally.norm(sizes.hidden(view) + sizes.size(view, "intermediate_size"), times=sizes.layers(view))


def diffllama(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """DiffLlama: four vectors of a head's width in each layer."""
    traits = AttentionTraits(qkv_bias="attention_bias", o_bias="attention_bias")
    decoder.whole(view, tally, Traits(attention=traits), top=top)
    tally.vector(4 * sizes.heads(view).key_dim, times=sizes.layers(view))


def jetmoe(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """JetMoE: experts in attention too, each with a query and an output projection; keys and values are shared."""
    count, hidden = sizes.layers(view), sizes.hidden(view)
    inner = view.integer("num_key_value_heads", maximum=sizes.MAX_COUNT) * sizes.size(view, "kv_channels")
    experts, chosen = sizes.size(view, "num_local_experts", minimum=1), sizes.size(view, "num_experts_per_tok")
    head.embeddings(view, tally, top=top, tied_default=True)
    tally.linear("attention", hidden, 2 * inner, times=count)
    tally.experts(2 * hidden * inner, experts=experts, chosen=chosen, times=count)
    width = sizes.size(view, "intermediate_size")
    tally.experts(3 * hidden * width, experts=experts, chosen=chosen, times=count)
    tally.linear("router", hidden, 2 * experts, times=count, split=False)
    tally.vector(2 * hidden, times=count)
    tally.norm(hidden, times=2 * count + 1)


def rwkv(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """RWKV-4: time mixing and channel mixing, LayerNorms, one more norm before the first block."""
    count, hidden = sizes.layers(view), sizes.hidden(view)
    inner = view.integer_or_none("attention_hidden_size", maximum=sizes.MAX_SIZE) or hidden
    width = view.integer_or_none("intermediate_size", maximum=sizes.MAX_SIZE) or 4 * hidden
    head.embeddings(view, tally, top=top)
    tally.linear("attention", hidden, 4 * inner, times=count)
    tally.linear("mlp", hidden, 2 * width + hidden, times=count)
    tally.vector(2 * inner + 5 * hidden, times=count)
    tally.norm(hidden, times=2 * count + 2, bias=True)


def phi3_small(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """Phi-3-small: biases everywhere, a gated MLP (GEGLU), embeddings tied unless the file says otherwise."""
    count, hidden = sizes.layers(view), sizes.hidden(view)
    head.embeddings(view, tally, top=top, tied_default=True)
    _uniform(view, tally, ALL_BIASES)
    blocks.mlp(tally, hidden, sizes.size(view, "ff_intermediate_size"), bias=True, times=count)
    tally.norm(hidden, times=2 * count + 1, bias=True)


def stablelm(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """StableLM: LayerNorms with biases, a norm for each head without, one norm fewer with a parallel residual."""
    traits = Traits(
        attention=AttentionTraits(qkv_bias="use_qkv_bias", qk_norm="each", qk_norm_when="qk_layernorm"),
        norms=1 if view.flag("use_parallel_residual") else 2,
        norm_bias=True,
    )
    decoder.whole(view, tally, traits, top=top)
