"""A decoder whose layers are attention and an MLP or experts, described by its traits."""

from collections.abc import Callable, Iterable

from kvdesk.core.values import dataclass, field
from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.parameters import blocks, head, sizes, sparse_layers
from kvdesk.hub.parameters.blocks import AttentionTraits, MoeTraits
from kvdesk.hub.parameters.sizes import Heads, Rule, holds
from kvdesk.hub.parameters.sparse_layers import SparseLayers
from kvdesk.hub.parameters.tally import Tally

Shapes = Callable[[ConfigView], Iterable[tuple[Heads, int]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Traits:
    """What tells one decoder's parameters from another's.

    `norms` counts the norms of the hidden size in one layer, `post_norms` says when there are two more; without
    `weighted_norms` they have no weight. `positions` are the keys of a learned position table, `extra_positions` its
    additional rows.
    """

    attention: AttentionTraits = field(default_factory=AttentionTraits)
    shapes: Shapes | None = None
    gated: bool = True
    mlp_bias: Rule = False
    width: tuple[str, ...] = sizes.WIDTH
    width_factor: int = 0
    moe: MoeTraits | None = None
    sparse: SparseLayers = sparse_layers.every
    norms: int = 2
    post_norms: Rule = False
    norm_bias: bool = False
    weighted_norms: bool = True
    embedding_norm: bool = False
    positions: tuple[str, ...] = ()
    extra_positions: int = 0
    head_bias: Rule = False
    tied_default: bool = False


def whole(view: ConfigView, tally: Tally, traits: Traits, *, top: ConfigView | None = None) -> None:
    """Embeddings, layers, final norm and head."""
    head.embeddings(view, tally, top=top, bias=holds(view, traits.head_bias), tied_default=traits.tied_default)
    if traits.positions:
        rows = sizes.size(view, *traits.positions) + traits.extra_positions
        tally.add("embedding", rows * sizes.hidden(view), split=False)
    body(view, tally, traits)
    extra = 1 + traits.embedding_norm
    if traits.weighted_norms:
        tally.norm(sizes.hidden(view), times=extra, bias=traits.norm_bias)


def own_type(view: ConfigView) -> str:
    """The model type whose rules apply: that of the class, or the config's own where there is no class."""
    return view.defaults.model_type if view.defaults else view.model_type


def body(view: ConfigView, tally: Tally, traits: Traits) -> None:
    """The layers alone."""
    count = sizes.layers(view)
    for shape, times in traits.shapes(view) if traits.shapes else ((sizes.heads(view), count),):
        blocks.attention(view, tally, traits.attention, shape, times=times)
    feed_forward(view, tally, traits, count)
    if traits.weighted_norms:
        norms = traits.norms + (2 if holds(view, traits.post_norms) else 0)
        tally.norm(sizes.hidden(view), times=norms * count, bias=traits.norm_bias)


def feed_forward(view: ConfigView, tally: Tally, traits: Traits, count: int) -> None:
    """The MLP or the experts of `count` layers."""
    sparse = traits.sparse(view, count) if traits.moe else 0
    bias = holds(view, traits.mlp_bias)
    if traits.moe:
        blocks.moe(view, tally, traits.moe, times=sparse, bias=bias)
    if count > sparse:
        hidden = sizes.hidden(view)
        fallback = hidden * traits.width_factor if traits.width_factor else None
        width = sizes.first(view, *traits.width, fallback=fallback) if traits.width else fallback or 0
        blocks.mlp(tally, hidden, width, gated=traits.gated, bias=bias, times=count - sparse)
