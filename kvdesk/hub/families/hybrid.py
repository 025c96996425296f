"""Attention and Mamba layers mixed: Jamba, Bamba, Granite 4, Falcon-H1, Zamba 1 and 2.

Source: transformers `models/{jamba,bamba,granitemoehybrid,falcon_h1,zamba,zamba2}`; vLLM of the same names. Zamba2's
heads are 2 x hidden_size / heads wide (vLLM `transformers_utils/model_arch_config_convertor.py`).
"""

from collections.abc import Mapping

from kvdesk.core.geometry import Layer
from kvdesk.core.layers import Full
from kvdesk.hub.config_view import MAX_LAYERS, ConfigView
from kvdesk.hub.families.common import (
    MAX_DIM,
    MAX_HEADS,
    Decoder,
    Heads,
    divided,
    heads,
    layer_count,
    layer_list,
    unknown_kind,
)
from kvdesk.hub.families.states import ATTENTION, LINEAR, expanded, mamba1, mamba2, prefixed_mamba2


def jamba(view: ConfigView) -> Decoder:
    """Mamba-1 layers, attention on one of every `attn_layer_period`."""
    sizes = heads(view)
    count = layer_count(view)
    period = view.integer("attn_layer_period", maximum=MAX_LAYERS)
    offset = view.integer("attn_layer_offset", minimum=0, maximum=MAX_LAYERS)
    view.ignore("sliding_window", "mamba_dt_rank")
    state: Layer = (
        mamba1(
            view,
            inner=expanded(view, sizes.hidden_size, "mamba_expand"),
            state_size=view.integer("mamba_d_state", maximum=MAX_DIM),
            conv_kernel=view.integer("mamba_d_conv", maximum=MAX_DIM),
        ),
    )
    layers = [(sizes.full(),) if i % period == offset else state for i in range(count)]
    return sizes.decoder(layers)


def bamba(view: ConfigView) -> Decoder:
    """Mamba-2 layers, attention at `attn_layer_indices`."""
    sizes = heads(view)
    count = layer_count(view)
    at = set(view.integers_or_none("attn_layer_indices", maximum=MAX_LAYERS) or ())
    if at and max(at) >= count:
        view.wrong("attn_layer_indices", f"“{view.prefix}attn_layer_indices” names a layer past the last of {count}.")
    state: Layer = (prefixed_mamba2(view, expanded(view, sizes.hidden_size, "mamba_expand")),)
    return sizes.decoder([(sizes.full(),) if i in at else state for i in range(count)])


def granite(view: ConfigView) -> Decoder:
    """Granite 4: by `layer_types`, which may hold no Mamba layer at all."""
    sizes = heads(view)
    count = layer_count(view)
    types = layer_list(view, count, "layer_types", "layers_block_type") or ("mamba",) * count
    state: Layer = ()
    if LINEAR.intersection(types):
        state = (prefixed_mamba2(view, expanded(view, sizes.hidden_size, "mamba_expand")),)
    return sizes.decoder(_by_type(view, types, {"attention": (sizes.full(),), "mamba": state}))


def falcon_h1(view: ConfigView) -> Decoder:
    """Attention and Mamba-2 side by side in every layer."""
    sizes = heads(view)
    width = view.find("mamba_d_head")
    if not view.gives("mamba_d_ssm") and width is not None and isinstance(width.value, int):
        count = view.integer("mamba_n_heads", maximum=MAX_HEADS)
        how = "mamba_n_heads x mamba_d_head"
        inner = view.derive("mamba_d_ssm", count * view.integer("mamba_d_head", maximum=MAX_DIM), how)
    else:
        inner = view.integer_or_none("mamba_d_ssm", maximum=MAX_DIM) or expanded(
            view, sizes.hidden_size, "mamba_expand"
        )
    layer: Layer = (sizes.full(), prefixed_mamba2(view, inner))
    return sizes.decoder((layer,) * layer_count(view))


def zamba(view: ConfigView) -> Decoder:
    """Mamba-1 everywhere, attention of double width beside it on hybrid layers."""
    sizes = heads(view, own_head_dim=False)
    count = layer_count(view)
    types = layer_list(view, count, "layers_block_type")
    view.ignore("attn_layer_period", "attn_layer_offset")
    if types is None:
        period = view.integer("attn_layer_period", maximum=MAX_LAYERS)
        offset = view.integer("attn_layer_offset", minimum=0, maximum=MAX_LAYERS)
        rest = tuple("hybrid" if i % period == offset else "mamba" for i in range(max(0, count - 3)))
        types = (("mamba", "mamba", "hybrid", *rest))[:count]
    width = view.integer_or_none("attention_head_dim", maximum=MAX_DIM) or _wide(view, sizes)
    state = mamba1(
        view,
        inner=expanded(view, sizes.hidden_size, "mamba_expand"),
        state_size=view.integer("mamba_d_state", maximum=MAX_DIM),
        conv_kernel=view.integer("mamba_d_conv", maximum=MAX_DIM),
    )
    both: Layer = (Full(kv_heads=sizes.kv_heads, key_dim=width, value_dim=width), state)
    return sizes.decoder(_by_type(view, types, {"mamba": (state,), "hybrid": both}))


def zamba2(view: ConfigView) -> Decoder:
    """Mamba-2 everywhere, attention of double width beside it on hybrid layers."""
    sizes = heads(view, own_head_dim=False)
    count = layer_count(view)
    types = layer_list(view, count, "layers_block_type")
    if types is None:
        pattern = "M" + "MMMMMH" * 7 + "MMMMHMMMHMM"
        types = tuple("hybrid" if letter == "H" else "mamba" for letter in pattern)
        if len(types) != count:
            view.missing("layers_block_type")
    view.ignore(
        "kv_channels", "num_query_groups", "attention_head_dim", "mamba_headdim", "hybrid_layer_ids", "chunk_size"
    )
    width = _wide(view, sizes)
    state = mamba2(
        view,
        inner=expanded(view, sizes.hidden_size, "mamba_expand"),
        heads=view.integer("n_mamba_heads", maximum=MAX_HEADS),
        state_size=view.integer("mamba_d_state", "state_size", maximum=MAX_DIM),
        groups=view.integer("mamba_ngroups", maximum=MAX_HEADS),
        conv_kernel=view.integer("mamba_d_conv", "conv_dimension", maximum=MAX_DIM),
        heads_key="n_mamba_heads",
    )
    both: Layer = (Full(kv_heads=sizes.kv_heads, key_dim=width, value_dim=width), state)
    return sizes.decoder(_by_type(view, types, {"mamba": (state,), "hybrid": both}))


def _wide(view: ConfigView, sizes: Heads) -> int:
    how = "2 x hidden_size / num_attention_heads"
    return divided(view, "attention_head_dim", 2 * sizes.hidden_size, sizes.query_heads, how)


def _by_type(view: ConfigView, types: tuple[str, ...], made: Mapping[str, Layer]) -> list[Layer]:
    layers = []
    for kind in types:
        plain = "mamba" if kind in LINEAR else "attention" if kind in ATTENTION else kind
        if plain not in made:
            raise unknown_kind(view, "layers_block_type", kind)
        layers.append(made[plain])
    return layers
