"""The budget of one GPU: lines that a reader can recompute by hand."""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import overload

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


class Lines(Sequence[BudgetLine]):
    """Lines that are written when first looked at: most answers of a sweep are asked for their figures only."""

    def __init__(
        self, write: Callable[[], tuple[BudgetLine, ...]], estimates: tuple[BudgetLine, ...] | None = None
    ) -> None:
        self._write = write
        self.known = estimates
        """The lines with a band, None where they are not known before the others."""

    @cached_property
    def _lines(self) -> tuple[BudgetLine, ...]:
        return self._write()

    @overload
    def __getitem__(self, index: int) -> BudgetLine: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[BudgetLine, ...]: ...
    def __getitem__(self, index: int | slice) -> BudgetLine | tuple[BudgetLine, ...]:
        return self._lines[index]

    def __iter__(self) -> Iterator[BudgetLine]:
        return iter(self._lines)

    def __len__(self) -> int:
        return len(self._lines)

    def __bool__(self) -> bool:
        """A budget that is to be written has lines; asking does not write it."""
        return True

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and self._lines == tuple(other)

    def __hash__(self) -> int:
        return hash(self._lines)


def estimates(lines: Sequence[BudgetLine]) -> tuple[BudgetLine, ...]:
    """Those of `lines` with a band; of `Lines` whose maker knows them, without writing the others."""
    known = lines.known if isinstance(lines, Lines) else None
    return tuple(line for line in lines if not line.exact) if known is None else known
