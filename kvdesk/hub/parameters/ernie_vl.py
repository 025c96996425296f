"""ERNIE 4.5 VL: two sets of experts, one for text and one for pictures, behind shared ones; a tower and a resampler.

Source: transformers 5.24 `models/ernie4_5_vl_moe/modeling_ernie4_5_vl_moe.py`.
"""

from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.parameters import blocks, head, sizes
from kvdesk.hub.parameters.blocks import AttentionTraits
from kvdesk.hub.parameters.surroundings import tower
from kvdesk.hub.parameters.tally import Tally

ATTENTION = AttentionTraits(qkv_bias="use_bias", o_bias="use_bias")
WIDTHS = (1536, 512)
"""Widths of experts for text and for pictures that the class takes where the file says nothing."""


def count(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """The language model."""
    layers, hidden = sizes.layers(view), sizes.hidden(view)
    kinds = view.texts_or_none("mlp_layer_types")
    if kinds is not None and not sizes.fitting(view, "mlp_layer_types", kinds, layers):
        return
    sparse = layers - 1 if kinds is None else sum(kind == "sparse" for kind in kinds[:layers])
    head.embeddings(view, tally, top=top, tied_default=True)
    blocks.attention(view, tally, ATTENTION, sizes.heads(view), times=layers)
    width, bias = sizes.size(view, "intermediate_size"), view.flag("use_bias")
    blocks.mlp(tally, hidden, width, times=layers - sparse, bias=bias)
    _experts(view, tally, sparse)
    tally.norm(hidden, times=2 * layers + 1)


def _experts(view: ConfigView, tally: Tally, times: int) -> None:
    hidden, number = sizes.hidden(view), sizes.size(view, "moe_num_experts", "num_experts", minimum=1)
    chosen = sizes.size(view, "moe_k", "num_experts_per_tok", fallback=1)
    widths = view.integers_or_none("moe_intermediate_size", minimum=1, maximum=sizes.MAX_SIZE) or WIDTHS
    for width in widths:
        tally.linear("router", hidden, number, times=times, split=False)
        tally.vector(number, times=times)
        tally.experts(3 * hidden * width, experts=number, chosen=chosen, times=times)
    shared = sizes.size(view, "moe_num_shared_experts", fallback=0) * widths[0]
    blocks.mlp(tally, hidden, shared, times=times, bias=view.flag("use_bias"), part="shared_experts")


def around(view: ConfigView, tally: Tally, text: ConfigView) -> None:
    """The tower, and a resampler that joins patches in space and then in time."""
    inner = tower(view, tally)
    if inner is None:
        return
    wide = sizes.hidden(inner) * sizes.size(inner, "spatial_merge_size", fallback=2) ** 2
    apart = Tally()
    for out in (wide, wide * sizes.size(inner, "temporal_merge_size", fallback=2)):
        apart.linear("projector", out, wide, bias=True)
        apart.linear("projector", wide, wide, bias=True)
        apart.norm(wide, bias=True)
    apart.linear("projector", wide, sizes.hidden(text), bias=True)
    apart.norm(sizes.hidden(text))
    tally.into("projector", apart)
