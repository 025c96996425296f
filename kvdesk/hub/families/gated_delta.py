"""Gated delta nets with full attention in between: Qwen3-Next, Qwen3.5 to 3.8, OLMo Hybrid.

Source: transformers `models/qwen3_next/modeling_qwen3_next.py`, `models/qwen3_5/configuration_qwen3_5.py`,
`models/olmo_hybrid/configuration_olmo_hybrid.py`.
"""

from kvdesk.core.geometry import Layer
from kvdesk.core.layers import Indexer
from kvdesk.core.states import GatedDelta
from kvdesk.hub.config_view import MAX_LAYERS, ConfigView
from kvdesk.hub.families.common import (
    MAX_DIM,
    MAX_HEADS,
    Decoder,
    Heads,
    heads,
    layer_count,
    layer_list,
    one_draft,
    unknown_kind,
)
from kvdesk.hub.families.patterns import SLIDING
from kvdesk.hub.families.states import ATTENTION, LINEAR, gated_delta, model_format


def qwen(view: ConfigView) -> Decoder:
    """Full attention on every `full_attention_interval`-th layer."""
    count = layer_count(view)
    types = layer_list(view, count, "layer_types")
    if types is None:
        step = view.integer_or("full_attention_interval", fallback=4, how="4 unless given", maximum=MAX_LAYERS)
        types = tuple("linear_attention" if (i + 1) % step else "full_attention" for i in range(count))
        view.derive("layer_types", types, f"every {step}th layer is full attention")
    view.ignore("full_attention_interval")
    return _decoder(view, heads(view), gated_delta(view), types)


def olmo(view: ConfigView) -> Decoder:
    """Full attention on every fourth layer; key heads of three quarters of the hidden size."""
    sizes = heads(view)
    count = layer_count(view)
    types = layer_list(view, count, "layer_types")
    if types is None:
        types = tuple("full_attention" if i % 4 == 3 else "linear_attention" for i in range(count))
        if "full_attention" not in types:
            types = (*types[:-1], "full_attention")
        view.derive("layer_types", types, "every fourth layer is full attention")
    query, how = sizes.query_heads, "num_attention_heads"
    key_heads = view.integer_or("linear_num_key_heads", fallback=query, how=how, maximum=MAX_HEADS)
    three_quarters = max(1, 3 * sizes.hidden_size // (4 * key_heads))
    key_dim = view.integer_or(
        "linear_key_head_dim", fallback=three_quarters, how="0.75 x hidden_size / linear_num_key_heads", maximum=MAX_DIM
    )
    state = GatedDelta(
        key_heads=key_heads,
        value_heads=view.integer_or("linear_num_value_heads", fallback=query, how=how, maximum=MAX_HEADS),
        key_dim=key_dim,
        value_dim=view.integer_or(
            "linear_value_head_dim", fallback=2 * key_dim, how="2 x linear_key_head_dim", maximum=MAX_DIM
        ),
        conv_kernel=view.integer("linear_conv_kernel_dim", maximum=MAX_DIM),
        conv_format=model_format(view),
        recurrent_format=model_format(view),
    )
    return _decoder(view, sizes, state, types)


def lara(view: ConfigView) -> Decoder:
    """Lara mini: linear, sliding and full layers in turn."""
    sizes = heads(view)
    count = layer_count(view)
    types = layer_list(view, count, "layer_types")
    if types is None:
        turn = ("linear_attention", SLIDING, "linear_attention", "full_attention", SLIDING)
        types = view.derive("layer_types", tuple(turn[i % 5] for i in range(count)), "the pattern of lara_mini")
    return _decoder(view, sizes, gated_delta(view), types)


def qwen4(view: ConfigView) -> Decoder:
    """Qwen4-Exp: the full layers also keep an index key per token in the cache's own format.

    Layers with an n-gram embedding (`ple_layer_ids`) keep further states that are not known here.
    """
    sizes = heads(view)
    count = layer_count(view)
    types = layer_list(view, count, "layer_types")
    if types is None:
        step = view.integer_or("full_attention_interval", fallback=4, how="4 unless given", maximum=MAX_LAYERS)
        types = tuple("linear_attention" if (i + 1) % step else "full_attention" for i in range(count))
        view.derive("layer_types", types, f"every {step}th layer is indexed attention")
    if view.integers_or_none("ple_layer_ids", maximum=MAX_LAYERS):
        raise unknown_kind(view, "ple_layer_ids", "n-gram embedding with a state")
    width = view.integer("indexer_kv_heads", maximum=MAX_HEADS) * view.integer("indexer_head_dim", maximum=MAX_DIM)
    view.ignore("indexer_n_heads", "indexer_budget", "indexer_compress_ratio", "full_attention_interval")
    state: Layer = (gated_delta(view),)
    full: Layer = (sizes.full(), Indexer(key_dim=width, own_format=False))
    layers: list[Layer] = []
    for kind in types:
        if kind not in LINEAR and kind not in ATTENTION and kind not in ("indexed_attention", "qwen_sparse_attention"):
            raise unknown_kind(view, "layer_types", kind)
        layers.append(state if kind in LINEAR else full)
    return sizes.decoder(layers, one_draft(view, full))


def _decoder(view: ConfigView, sizes: Heads, state: GatedDelta, types: tuple[str, ...]) -> Decoder:
    layers: list[Layer] = []
    for kind in types:
        if kind in LINEAR:
            layers.append((state,))
        elif kind in ATTENTION:
            layers.append((sizes.full(),))
        elif kind == SLIDING:
            layers.append((sizes.sliding(view.integer("sliding_window")),))
        else:
            raise unknown_kind(view, "layer_types", kind)
    return sizes.decoder(layers, one_draft(view, (sizes.full(),)))
