"""Attention with short convolutions inside the same layer: Inkling, ZAYA.

Source: transformers `models/inkling/modeling_inkling.py` (four fp32 convolutions per layer: keys, values, the
attention's and the MLP's output), `models/zaya/modeling_zaya.py` (queries and keys pass two convolutions, half of the
values is delayed).
"""

from kvdesk.core.geometry import Layer
from kvdesk.core.number_formats import NumberFormat
from kvdesk.core.states import ShortConvolution
from kvdesk.core.values import replace
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
from kvdesk.hub.families.states import FP32, model_format

HYBRID = "hybrid"
HYBRID_SLIDING = "hybrid_sliding"


def inkling(view: ConfigView) -> Decoder:
    """Layers in `local_layer_ids` slide (else all but every sixth), with head counts of their own."""
    full = heads(view)
    sliding = replace(
        full,
        kv_heads=view.integer("swa_num_key_value_heads", maximum=MAX_HEADS),
        key_dim=view.integer("swa_head_dim", maximum=MAX_DIM),
        value_dim=view.integer("swa_head_dim", maximum=MAX_DIM),
    )
    count = layer_count(view)
    types = layer_list(view, count, "layer_types")
    if types is None:
        listed = view.integers_or_none("local_layer_ids", maximum=MAX_LAYERS)
        local = {i for i in range(count) if (i + 1) % 6} if listed is None else set(listed)
        types = tuple(HYBRID_SLIDING if i in local else HYBRID for i in range(count))
    view.ignore("local_layer_ids", "swa_num_attention_heads", "mtp_local_layer_ids", "shared_expert_sink")
    kernel = view.integer("conv_kernel_size", "sconv_kernel_size", maximum=MAX_DIM)
    window = view.integer("sliding_window_size", "sliding_window")
    made: dict[str, Layer] = {
        HYBRID: (full.full(), *_four(full, kernel)),
        HYBRID_SLIDING: (sliding.sliding(window), *_four(sliding, kernel)),
    }
    return full.decoder(_layers(view, types, made), one_draft(view, made[HYBRID]))


def zaya(view: ConfigView) -> Decoder:
    """Full or sliding attention whose queries and keys are convolved."""
    sizes = heads(view)
    count = layer_count(view)
    types = layer_list(view, count, "layer_types") or (HYBRID,) * count
    columns = view.integer("cca_time0", maximum=MAX_DIM) + view.integer("cca_time1", maximum=MAX_DIM) - 2
    model = model_format(view)
    states = (
        _conv((sizes.query_heads + sizes.kv_heads) * sizes.key_dim, columns + 1, model),
        _conv(sizes.kv_heads * sizes.key_dim // 2, 2, model),
    )
    made: dict[str, Layer] = {HYBRID: (sizes.full(), *states)}
    if HYBRID_SLIDING in types:
        made[HYBRID_SLIDING] = (sizes.sliding(view.integer("sliding_window")), *states)
    return sizes.decoder(_layers(view, types, made))


def _four(sizes: Heads, kernel: int) -> tuple[ShortConvolution, ...]:
    inner = _conv(sizes.kv_heads * sizes.key_dim, kernel, FP32)
    outer = _conv(sizes.hidden_size, kernel, FP32)
    return (inner, inner, outer, outer)


def _conv(channels: int, kernel: int, fmt: NumberFormat) -> ShortConvolution:
    return ShortConvolution(channels=channels, conv_kernel=kernel, conv_format=fmt, recurrent_format=fmt)


def _layers(view: ConfigView, types: tuple[str, ...], made: dict[str, Layer]) -> list[Layer]:
    for kind in types:
        if kind not in made:
            raise unknown_kind(view, "layer_types", kind)
    return [made[kind] for kind in types]
