"""Attention, MLP and mixture of experts: the blocks that most decoders are made of."""

from kvdesk.core.values import dataclass
from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.parameters import sizes
from kvdesk.hub.parameters.sizes import Heads, Rule, holds
from kvdesk.hub.parameters.tally import Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class AttentionTraits:
    """What an architecture's attention has beside its four projections.

    `qk_norm` is "" (none), "head" (one weight of head_dim for all heads), "full" (over all heads' elements), "each"
    (one for each head); `gate` is "" or the output gate: "head" (one number for each head), "full" (for each element),
    "inside" (for each element, computed by a doubled query projection). `square_output`: the output projection is as
    wide as the hidden size whatever the heads.
    """

    qkv_bias: Rule = False
    o_bias: Rule = False
    qk_norm: str = ""
    qk_norm_when: Rule = True
    qk_norm_bias: bool = False
    gate: str = ""
    sinks: bool = False
    square_output: bool = False


def attention(
    view: ConfigView, tally: Tally, traits: AttentionTraits, shape: Heads, *, times: int, wide: int = 0
) -> None:
    """Query, key, value and output projections of `times` layers, from and to `wide` features (the hidden size)."""
    wide = wide or sizes.hidden(view)
    keys, values = shape.kv * shape.key_dim, shape.kv * shape.value_dim
    queries, result = shape.query * shape.key_dim, shape.query * shape.value_dim
    bias = holds(view, traits.qkv_bias)
    tally.linear("attention", wide, queries * (2 if traits.gate == "inside" else 1), bias=bias, times=times)
    tally.linear("attention", wide, keys, bias=bias, times=times)
    tally.linear("attention", wide, values, bias=bias, times=times)
    result = wide if traits.square_output else result
    tally.linear("attention", result, wide, bias=holds(view, traits.o_bias), times=times, rows=True)
    if traits.gate == "head":
        tally.linear("attention", wide, shape.query, times=times)
    elif traits.gate == "full":
        tally.linear("attention", wide, result, times=times)
    if traits.sinks:
        tally.vector(shape.query, times=times, split=True)
    if traits.qk_norm and holds(view, traits.qk_norm_when):
        qk_norm(tally, traits, shape, times=times)


def qk_norm(tally: Tally, traits: AttentionTraits, shape: Heads, *, times: int) -> None:
    """Norms of queries and keys."""
    if traits.qk_norm == "head":
        tally.norm(2 * shape.key_dim, times=times, bias=traits.qk_norm_bias)
    elif traits.qk_norm in ("full", "each"):
        tally.norm((shape.query + shape.kv) * shape.key_dim, times=times, bias=traits.qk_norm_bias, split=True)


def mlp(
    tally: Tally,
    hidden: int,
    width: int,
    *,
    gated: bool = True,
    bias: bool = False,
    times: int = 1,
    part: str = "mlp",
) -> None:
    """Up (and gate) projections to `width`, and one down."""
    tally.on_layers(part, times)
    for _ in range(2 if gated else 1):
        tally.linear(part, hidden, width, bias=bias, times=times)
    tally.linear(part, width, hidden, bias=bias, times=times, rows=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class MoeTraits:
    """What an architecture's mixture of experts has.

    `shared` are the keys of the shared experts' number (times the experts' own width), `shared_width` those of their
    width. `router_bias` is the bias of the router's projection; `correction` a bias for each expert that is a parameter
    (a buffer, as DeepSeek-V3's, is none).
    """

    experts: tuple[str, ...] = sizes.EXPERTS
    chosen: tuple[str, ...] = sizes.CHOSEN
    width: tuple[str, ...] = sizes.EXPERT_WIDTH
    shared: tuple[str, ...] = ()
    shared_width: tuple[str, ...] = ()
    shared_gate: bool = False
    gated: bool = True
    expert_bias: bool = False
    router_bias: bool = False
    correction: bool = False
    router: str = "router"
    """The part the router belongs to: "router_fp32" where engines hold it in 32 bits."""


def moe(view: ConfigView, tally: Tally, traits: MoeTraits, *, times: int, bias: bool = False) -> None:
    """Router, routed experts and shared experts of `times` layers."""
    if not times:
        return
    hidden = sizes.hidden(view)
    experts = sizes.size(view, *traits.experts, minimum=1)
    chosen = sizes.most(view, *traits.chosen, fallback=1)
    width = sizes.first(view, *traits.width)
    tally.linear(traits.router, hidden, experts, bias=traits.router_bias, times=times, split=False)
    if traits.correction:
        tally.vector(experts, times=times)
    matrices = 3 if traits.gated else 2
    per_expert = matrices * hidden * width
    tally.experts(per_expert, experts=experts, chosen=chosen, times=times)
    if traits.expert_bias:
        each = (matrices - 1) * width + hidden
        tally.add("vectors", each * experts * times)
        tally.idle += each * max(0, experts - chosen) * times
    shared_experts(view, tally, traits, width=width, times=times, bias=bias)


def shared_experts(
    view: ConfigView, tally: Tally, traits: MoeTraits, *, width: int, times: int, bias: bool = False
) -> None:
    """Experts that every token uses."""
    hidden = sizes.hidden(view)
    wide = 0
    if traits.shared_width:
        wide = sizes.size(view, *traits.shared_width, fallback=0)
    if traits.shared and not wide:
        wide = sizes.size(view, *traits.shared, fallback=0) * width
    if wide:
        mlp(tally, hidden, wide, gated=traits.gated, times=times, part="shared_experts", bias=bias)
    if traits.shared_gate:
        tally.linear("router", hidden, 1, times=times, split=False)
