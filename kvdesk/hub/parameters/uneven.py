"""Decoders whose layers differ in heads or in kind: MiMo-V2, Laguna, Step 3.5, Llama 4, MiniMax-M3.

Source: transformers 5.24 `models/{mimo_v2_flash,laguna,step3p7,llama4,minimax_m3_vl}/modeling_*.py`.
"""

from kvdesk.core.layers import Full, Indexer, Sliding
from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.families.common import own_config
from kvdesk.hub.parameters import blocks, decoder, draft, head, layout, sizes, sparse_layers
from kvdesk.hub.parameters.blocks import AttentionTraits, MoeTraits
from kvdesk.hub.parameters.decoder import Traits
from kvdesk.hub.parameters.sizes import Heads
from kvdesk.hub.parameters.tally import Tally

MIMO = AttentionTraits(qkv_bias="attention_bias")
LAGUNA = AttentionTraits(qkv_bias="attention_bias", o_bias="attention_bias", qk_norm="head", gate="head")
LAGUNA_FULL_GATE = AttentionTraits(qkv_bias="attention_bias", o_bias="attention_bias", qk_norm="head", gate="full")
LLAMA4 = AttentionTraits(qkv_bias="attention_bias", o_bias="attention_bias")
MINIMAX_M3 = AttentionTraits(qk_norm="head")
_SHARED = ("n_shared_experts", "num_shared_experts")
_SHARED_WIDTH = ("shared_expert_intermediate_size", "shared_intermediate_size")


def mimo(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """MiMo-V2: sliding layers have KV heads of their own, and sinks."""
    layers = layout.decoder(view).layers
    head.embeddings(view, tally, top=top)
    for shape, times in layout.attention_shapes(view, layers):
        blocks.attention(view, tally, MIMO, shape, times=times)
    sliding = sum(layout.of_kind(layers, Sliding).values())
    tally.vector(view.integer(*sizes.QUERY_HEADS), times=sliding, split=True)
    traits = Traits(moe=MoeTraits(router="router_fp32"), sparse=sparse_layers.first_dense_or_list)
    decoder.feed_forward(view, tally, traits, len(layers))
    tally.norm(sizes.hidden(view), times=2 * len(layers) + 1)


def laguna(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """Laguna: query heads listed layer by layer, a gate for each of them or for each element."""
    count = sizes.layers(view)
    listed = view.integers_or_none("num_attention_heads_per_layer", minimum=1, maximum=sizes.MAX_COUNT)
    usual = sizes.heads(view)
    head.embeddings(view, tally, top=top)
    queries = listed or (usual.query,) * count
    found = view.find("gating")
    traits = LAGUNA if found is None or found.value in (True, "per-head") else LAGUNA_FULL_GATE
    if sizes.fitting(view, "num_attention_heads_per_layer", queries, count):
        for query in queries[:count]:
            shape = Heads(query=query, kv=usual.kv, key_dim=usual.key_dim, value_dim=usual.value_dim)
            blocks.attention(view, tally, traits, shape, times=1)
    moe = MoeTraits(shared=_SHARED, shared_width=_SHARED_WIDTH, correction=True)
    decoder.feed_forward(view, tally, Traits(moe=moe, sparse=sparse_layers.first_dense_or_list), count)
    tally.norm(sizes.hidden(view), times=2 * count + 1)


def step(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """Step 3.5: sliding layers may have more query heads; a gate for each head; three dense layers by default."""
    layers, hidden = layout.decoder(view).layers, sizes.hidden(view)
    other = view.section("attention_other_setting") if view.gives("attention_other_setting") else None
    usual = view.integer(*sizes.QUERY_HEADS, maximum=sizes.MAX_COUNT)
    wider = view.integer_or_none("num_sliding_attention_heads", maximum=sizes.MAX_COUNT)
    if other is not None:
        wider = other.integer_or_none("num_attention_heads", maximum=sizes.MAX_COUNT) or wider
    first = next((n for n, layer in enumerate(layers) if isinstance(layer[0], Sliding)), None)
    own = own_config(view, first) if first is not None and view.gives("per_layer_config") else None
    if own is not None:
        wider = own.integer_or_none("num_attention_heads", maximum=sizes.MAX_COUNT) or wider
    head.embeddings(view, tally, top=top)
    for kind, query in ((Full, usual), (Sliding, wider or usual)):
        for part, times in layout.of_kind(layers, kind).items():
            shape = Heads(query=query, kv=part.kv_heads, key_dim=part.key_dim, value_dim=part.value_dim)
            blocks.attention(view, tally, LAGUNA, shape, times=times)
    moe = MoeTraits(width=("moe_intermediate_size",), shared_width=("share_expert_dim", "share_expert_dims"))
    decoder.feed_forward(view, tally, Traits(mlp_bias="mlp_bias", moe=moe, sparse=sparse_layers.step), len(layers))
    tally.norm(hidden, times=2 * len(layers) + 1)


def llama4(view: ConfigView, tally: Tally, _top: ConfigView) -> None:
    """Llama 4: experts on each `interleave_moe_layer_step`-th layer or those listed, dense layers of another width."""
    count, hidden = sizes.layers(view), sizes.hidden(view)
    listed = view.integers_or_none("moe_layers", maximum=count)
    # Llama Guard 4 lists no layers and has a step of 0 beside it.
    step = 1 if listed is not None else view.integer_or_none("interleave_moe_layer_step") or 1
    sparse = len(set(listed)) if listed is not None else count // step
    head.embeddings(view, tally)
    blocks.attention(view, tally, LLAMA4, sizes.heads(view), times=count)
    moe = MoeTraits(width=("intermediate_size",), shared_width=("intermediate_size",))
    blocks.moe(view, tally, moe, times=sparse)
    blocks.mlp(tally, hidden, sizes.size(view, "intermediate_size_mlp"), times=count - sparse)
    tally.norm(hidden, times=2 * count + 1)


def minimax_m3(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """MiniMax-M3: index queries and one index key on sparse layers; the first layers are dense."""
    layers = layout.decoder(view).layers
    count, hidden = len(layers), sizes.hidden(view)
    head.embeddings(view, tally, top=top)
    blocks.attention(view, tally, MINIMAX_M3, sizes.heads(view), times=count)
    inner = view.section("sparse_attention_config") if view.gives("sparse_attention_config") else None
    queries = sizes.size(inner or view, "sparse_num_index_heads" if inner else "index_n_heads")
    for part, times in layout.of_kind(layers, Indexer).items():
        tally.linear("indexer", hidden, (queries + 1) * part.key_dim, times=times, split=False)
        tally.norm(2 * part.key_dim, times=times)
    traits = Traits(
        width=("dense_intermediate_size",),
        moe=MoeTraits(width=("intermediate_size",), shared=_SHARED, shared_width=_SHARED_WIDTH),
        sparse=sparse_layers.frequency_list,
    )
    decoder.feed_forward(view, tally, traits, count)
    tally.norm(hidden, times=2 * count + 1)
    draft.of_same_kind(view, tally, Traits(attention=MINIMAX_M3, moe=traits.moe))
