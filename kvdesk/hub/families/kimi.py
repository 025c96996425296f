"""Kimi delta attention with latents in between: Kimi-Linear, Kimi-K3, GLM-5-Next, Ling 3 (bailing_hybrid).

`linear_attn_config` lists layers from 1. Source: transformers `models/kimi_linear/configuration_kimi_linear.py`,
`models/glm5_next/configuration_glm5_next.py`, `models/bailing_hybrid/configuration_bailing_hybrid.py`; vLLM
`model_executor/models/kimi_linear.py`.
"""

from kvdesk.core.geometry import Layer
from kvdesk.core.layers import Indexer
from kvdesk.core.states import KimiDelta
from kvdesk.hub.config_view import MAX_LAYERS, ConfigView
from kvdesk.hub.families import dsa
from kvdesk.hub.families.common import (
    HIDDEN,
    MAX_DIM,
    MAX_HEADS,
    QUERY_HEADS,
    Decoder,
    drafts,
    layer_count,
    layer_list,
    one_draft,
    unknown_kind,
)
from kvdesk.hub.families.mla import latent
from kvdesk.hub.families.states import ATTENTION, LINEAR, kimi_delta


def linear(view: ConfigView) -> Decoder:
    """Kimi-Linear and Kimi-K3."""
    count = layer_count(view)
    inner = view.section("linear_attn_config") if view.gives("linear_attn_config") else None
    types = layer_list(view, count, "layer_types")
    if types is None and inner is not None:
        types = _numbered(inner, count)
    if types is None:
        types = tuple("full_attention" if i and i % 4 == 0 else "linear_attention" for i in range(count))
        view.derive("layer_types", types, "the pattern of kimi_linear")
    return _decoder(view, types, (latent(view),), _state(view, inner))


def glm5_next(view: ConfigView) -> Decoder:
    """GLM-5-Next: sparse latents on every fourth layer, the indexer's keys where `indexer_types` says full."""
    count = layer_count(view)
    types = layer_list(view, count, "layer_types")
    if types is None:
        types = tuple("linear_attention" if i % 4 != 3 else "indexed_attention" for i in range(count))
        view.derive("layer_types", types, "the pattern of glm5_next")
    owns = dsa.owners(view, count)
    base = latent(view)
    indexer = Indexer(key_dim=view.integer("index_head_dim", maximum=MAX_DIM))
    state: Layer = (_state(view, view.section("linear_attn_config") if view.gives("linear_attn_config") else None),)
    layers: list[Layer] = []
    for kind, own in zip(types, owns, strict=True):
        if kind in LINEAR:
            layers.append(state)
        elif kind in dsa.SPARSE:
            layers.append((base, indexer) if own else (base,))
        else:
            raise unknown_kind(view, "layer_types", kind)
    return Decoder(
        layers=tuple(layers),
        draft_layers=((base, indexer),) if drafts(view) else (),
        query_heads=view.integer(*QUERY_HEADS, maximum=MAX_HEADS),
        hidden_size=view.integer(*HIDDEN, maximum=MAX_DIM),
    )


def bailing(view: ConfigView) -> Decoder:
    """Ling 3: a latent on every `layer_group_size`-th layer; delta heads are the query heads."""
    count = layer_count(view)
    types = layer_list(view, count, "layer_types")
    if types is None:
        size = view.integer("layer_group_size", maximum=MAX_LAYERS)
        types = tuple("linear_attention" if (i + 1) % size else "full_attention" for i in range(count))
        view.derive("layer_types", types, f"every {size}th layer is full attention")
    # transformers saves `head_dim` as the rotary width; what the delta layers use is then under `linear_head_dim`.
    view.ignore("linear_num_heads", "linear_head_dim", "linear_conv_kernel_dim", "head_dim", "short_conv_kernel_size")
    state = kimi_delta(
        view,
        heads=_first(view, "linear_num_heads", QUERY_HEADS, MAX_HEADS),
        head_dim=_first(view, "linear_head_dim", ("head_dim",), MAX_DIM),
        conv_kernel=_first(view, "linear_conv_kernel_dim", ("short_conv_kernel_size",), MAX_DIM),
    )
    return _decoder(view, types, (latent(view),), state)


def _first(view: ConfigView, saved: str, keys: tuple[str, ...], limit: int) -> int:
    """What the class saved under `saved`, else the value under `keys` that it comes from."""
    return view.integer_or_none(saved, maximum=limit) or view.integer(*keys, maximum=limit)


def _decoder(view: ConfigView, types: tuple[str, ...], full: Layer, state: KimiDelta) -> Decoder:
    layers: list[Layer] = []
    for kind in types:
        if kind not in LINEAR and kind not in ATTENTION:
            raise unknown_kind(view, "layer_types", kind)
        layers.append((state,) if kind in LINEAR else full)
    return Decoder(
        layers=tuple(layers),
        draft_layers=one_draft(view, full),
        query_heads=view.integer(*QUERY_HEADS, maximum=MAX_HEADS),
        hidden_size=view.integer(*HIDDEN, maximum=MAX_DIM),
    )


def _numbered(inner: ConfigView, count: int) -> tuple[str, ...] | None:
    """Layer kinds from the lists of layer numbers, or None where they are not given."""
    full = inner.integers_or_none("full_attn_layers", minimum=1, maximum=MAX_LAYERS)
    delta = inner.integers_or_none("kda_layers", minimum=1, maximum=MAX_LAYERS)
    if full is None or delta is None:
        return None
    if sorted((*full, *delta)) != list(range(1, count + 1)):
        inner.wrong(
            "kda_layers", f"“{inner.prefix}kda_layers” and “full_attn_layers” do not name each of {count} layers once."
        )
        return ("full_attention",) * count
    chosen = set(full)
    return tuple("full_attention" if i + 1 in chosen else "linear_attention" for i in range(count))


def _state(view: ConfigView, inner: ConfigView | None) -> KimiDelta:
    if inner is not None:
        # What vLLM's fast kernel needs, with which a sequence holds one state more (`models/kimi_k3/nvidia/kda.py`).
        inner.derive("gate_bounded", inner.raw("gate_lower_bound") is not None, "gate_lower_bound is given")

    def size(key: str, own: str, limit: int) -> int:
        given = inner.integer_or_none(key, maximum=limit) if inner is not None else None
        return given or view.integer(own, maximum=limit)

    return kimi_delta(
        view,
        heads=size("num_heads", "linear_num_heads", MAX_HEADS),
        head_dim=size("head_dim", "linear_head_dim", MAX_DIM),
        conv_kernel=size("short_conv_kernel_size", "linear_conv_kernel_dim", MAX_DIM),
    )
