"""The numbers of a budget line as text that a reader can type in again: sizes as functions of tokens, and sequences.

`⌈ ⌉` rounds up, `floor( )` down; arguments of `min` and `max` are parted by `;` because digits are grouped with commas.
"""

from collections.abc import Iterable
from decimal import Decimal

from kvdesk.core.growth import Growth, Term
from kvdesk.engines.common import Holding


def number(value: float) -> str:
    """Every digit and no exponent: `0.92`, `1,024`."""
    text = f"{value:,}" if isinstance(value, int) else f"{Decimal(repr(value)):,f}"
    return text.removesuffix(".0")


def growth(size: Growth, tokens: int) -> str:
    """The terms of `size` at `tokens` tokens; they come to `size.at(tokens)`.

    >>> growth(Growth.of([Term(unit=64, step=16, up=True), Term(unit=8, cap=1024), Term(fixed=5)]), 8193)
    '64 × ⌈8,193 / 16⌉ + 8 × min(8,193; 1,024) + 5'
    """
    return " + ".join(_term(term, tokens) for term in size.terms if term.at(tokens)) or "0"


def _term(term: Term, tokens: int) -> str:
    fixed = f"{term.fixed:,}" if term.fixed else ""
    if not term.unit or not term.at(tokens) - term.fixed:
        return fixed
    held = f"({tokens:,} + {term.ahead:,})" if term.ahead else f"{tokens:,}"
    if term.cap is not None:
        held = f"min({held}; {term.cap:,})"
    if term.step > 1:
        held = f"⌈{held} / {term.step:,}⌉" if term.up else f"floor({held} / {term.step:,})"
    grown = held if term.unit == 1 else f"{term.unit:,} × {held}"
    return f"{grown} + {fixed}" if fixed else grown


def per_replica(holding: Holding, pool: str = "") -> str:
    """Whole sequences that one replica's pool holds: what follows the shared prefix, by what each has of its own.

    `pool` is how the pool came about where that is to be shown, such as `26,742 − 1`.
    """
    shared, whole = holding.prefix_bytes, holding.allocated.at(holding.workload.context)
    if not whole or holding.pool <= 0:
        return "0"
    if not shared or whole == shared:
        return f"floor({f'({pool})' if pool else f'{holding.pool:,}'} / {whole:,})"
    pool = pool or f"{holding.pool:,}"
    return f"max(0; floor(({pool} − {shared:,}) / ({whole:,} − {shared:,})))"


def sequences(holdings: Iterable[Holding], replicas: int, running: int | None = None) -> str:
    """Whole sequences of all replicas: the least of all pools, and of `running` requests of one replica at once."""
    counts = list(dict.fromkeys(per_replica(holding) for holding in holdings))
    counts += [] if running is None else [f"{running:,}"]
    least = counts[0] if len(counts) == 1 else f"min({'; '.join(counts)})" if counts else "0"
    return f"{least} × {replicas:,}"
