"""A quantisation scheme: a format for the linear layers, and what deviates from it."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

from kvdesk.core.number_formats import FORMATS, NumberFormat
from kvdesk.core.values import dataclass
from kvdesk.hub.quantization.modules import Selection

if TYPE_CHECKING:
    from fractions import Fraction

LINEAR = frozenset(
    {"attention", "linear_attention", "mamba", "conv", "mlp", "experts", "shared_experts", "indexer", "altup", "draft"}
)
"""Parts that a scheme for linear layers quantises; encoders, embeddings, heads and routers stay unless named."""
NEVER = frozenset({"norms", "vectors", "router", "index_keys", "compressor"})
WIDE = frozenset({"hyper_connections", "router_fp32", "state_fp32"})
"""Parts that engines hold in 32 bits (vLLM 0.33: DeepSeek-V4's hyper-connections, some routers, Mamba's A and D)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scheme:
    """Formats by part.

    `default` is the linear layers' format (None: 16 bits), `everywhere` says that embeddings and head have it too.
    `kept` stay in 16 bits, `chosen` have a format of their own. `uniform`: one format for every parameter there is.
    """

    name: str
    default: NumberFormat | None = None
    everywhere: bool = False
    kept: tuple[Selection, ...] = ()
    chosen: tuple[tuple[Selection, NumberFormat], ...] = ()
    uniform: bool = False
    known: bool = True

    def formats(
        self, part: str, layers: int, plain: NumberFormat, among: range | None = None
    ) -> "dict[NumberFormat, int | Fraction]":
        """The formats of `part`, which `layers` layers have, with their exact shares; `plain` is the 16-bit format.

        `among` are the layers that can have it, where that is known: names of others say nothing of it.
        """
        if self.uniform or part in NEVER:
            return {plain: 1}
        if part in WIDE:
            return {FORMATS["fp32"]: 1}
        kept = _share((s for s in self.kept if part in s.parts), layers, among)
        shares: dict[NumberFormat, int | Fraction] = {}
        for fmt in {fmt for _, fmt in self.chosen}:
            own = _share((s for s, f in self.chosen if f == fmt and part in s.parts), layers, among)
            if own:
                shares[fmt] = min(own, 1 - sum(shares.values()))
        rest = 1 - sum(shares.values())
        default = self.default if part in LINEAR or (self.everywhere and part in ("embedding", "lm_head")) else None
        stays = rest if default is None else min(rest, kept)
        if stays:
            shares[plain] = shares.get(plain, 0) + stays
        if default is not None and rest > stays:
            shares[default] = shares.get(default, 0) + rest - stays
        return shares


def _share(selections: Iterable[Selection], layers: int, among: range | None) -> "int | Fraction":
    """The share of a part's layers that `selections` name: whole, none, or a fraction."""
    named: set[int] = set()
    for selection in selections:
        if selection.layer is None:
            return 1
        if among is None or selection.layer in among:
            named.add(selection.layer)
    if not named or len(named) >= layers:
        return int(bool(named))
    from fractions import Fraction

    return Fraction(len(named), layers)
