"""Inkling 2 and Inkling 2 Loop: attention with relative positions, four convolutions per layer, experts, its encoder.

Source: transformers 5.24 `models/{inkling2,inkling2_loop}/modeling_*.py`.
"""

from collections.abc import Iterator

from kvdesk.core.layers import Attention, Full
from kvdesk.core.values import dataclass
from kvdesk.hub.config_view import MAX_LAYERS, ConfigView
from kvdesk.hub.families import convolved
from kvdesk.hub.parameters import blocks, layout, sizes
from kvdesk.hub.parameters.blocks import MoeTraits
from kvdesk.hub.parameters.sizes import Heads
from kvdesk.hub.parameters.tally import Tally

MOE = MoeTraits(width=("moe_intermediate_size",))
MESSAGES = 4
"""Of every looped layer: to its queries, keys, values and MLP."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """Equal layers: their sizes, how many there are, and whether they keep every token."""

    heads: Heads
    times: int
    full: bool


def second(view: ConfigView, tally: Tally, _top: ConfigView) -> None:
    """Inkling 2: gates on the output, sinks, residuals as attention, convolutions by token on full layers."""
    hidden, count = sizes.hidden(view), sizes.layers(view)
    _outside(view, tally, padded=sizes.size(view, "unpadded_vocab_size", fallback=sizes.vocabulary(view)))
    tally.vector(hidden)
    for number, kind in enumerate(_kinds(view)):
        _attention(view, tally, kind)
        _second_attention(view, tally, kind)
        tally.norm(hidden, times=(4 if kind.full else 2) * kind.times)
        # The first layer has no residuals to attend to.
        tally.vector((3 if kind.full else 1) * hidden, times=kind.times - (not number))
    blocks.moe(view, tally, MOE, times=count)
    tally.vector((1 + 2 * _kernel(view)) * hidden, times=count)


def loop(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """Inkling 2 Loop: four gates of low rank on every looped layer, which stands in the file once."""
    second(view, tally, top)
    hidden, rank = sizes.hidden(view), sizes.size(view, "loop_gate_rank")
    start, end = (view.integer(f"loop_layer_index_{side}", minimum=0, maximum=MAX_LAYERS) for side in ("start", "end"))
    looped = max(0, end - start)
    tally.linear("gates", 2 * hidden, rank, times=MESSAGES * looped)
    tally.linear("gates", rank, 2 * hidden, times=MESSAGES * looped)
    tally.vector(MESSAGES * hidden, times=looped)


def _outside(view: ConfigView, tally: Tally, *, padded: int) -> None:
    """Embedding with a norm, final norm, and a head of its own."""
    hidden = sizes.hidden(view)
    tally.add("embedding", sizes.vocabulary(view) * hidden)
    tally.add("lm_head", padded * hidden)
    tally.norm(hidden, times=2)


def _kinds(view: ConfigView) -> Iterator[Kind]:
    """Full and sliding layers as in the file (looped ones once), the kind of the first layer first."""
    shapes = layout.of_kind(convolved.inkling(view).layers, Attention)
    for part, times in shapes.items():
        full = isinstance(part, Full)
        query = view.integer(*(sizes.QUERY_HEADS if full else ("swa_num_attention_heads",)), maximum=sizes.MAX_COUNT)
        heads = Heads(query=query, kv=part.kv_heads, key_dim=part.key_dim, value_dim=part.value_dim)
        yield Kind(heads=heads, times=times, full=full)


def _attention(view: ConfigView, tally: Tally, kind: Kind) -> None:
    """Projections, and the table of relative positions."""
    blocks.attention(view, tally, blocks.AttentionTraits(), kind.heads, times=kind.times)
    extent = sizes.size(view, *(("rel_extent",) if kind.full else ("sliding_window_size", "sliding_window")))
    tally.add("attention", sizes.size(view, "d_rel") * extent * kind.times, split=False)


def _second_attention(view: ConfigView, tally: Tally, kind: Kind) -> None:
    hidden, heads, times = sizes.hidden(view), kind.heads, kind.times
    relative = sizes.size(view, "d_rel")
    # Output gate, sinks, relative states.
    out = heads.query * (heads.value_dim + 1 + relative)
    tally.linear("attention", hidden, out, times=times)
    tally.vector(heads.query * (heads.key_dim + relative), times=times, split=True)
    tally.vector(2 * heads.kv * heads.key_dim * _kernel(view), times=times, split=True)
    if kind.full:
        tally.linear("attention", hidden, 2 * heads.kv * _kernel(view), times=times)


def _kernel(view: ConfigView) -> int:
    return sizes.size(view, "conv_kernel_size", "sconv_kernel_size")
