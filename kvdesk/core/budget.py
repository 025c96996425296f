"""The budget of one GPU: lines that a reader can recompute by hand."""

from kvdesk.core.sourced import Source
from kvdesk.core.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetLine:
    """One line: symbol, what it is, formula, numbers put in, result and source.

    `value` is an integer in `unit` ("B", "tokens", "sequences", "blocks", "B/token") or a float for ratios (unit "").
    `low` and `high` bound an estimate and are None for exact values. `key` is stable and names the line in files.
    """

    key: str
    symbol: str
    label: str
    value: int | float
    unit: str
    formula: str = ""
    substituted: str = ""
    source: Source
    low: int | None = None
    high: int | None = None

    @property
    def exact(self) -> bool:
        """Whether the value is exact rather than an estimate."""
        return self.low is None and self.high is None
