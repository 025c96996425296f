"""A chart as data: what a plot draws, what its table holds and the sentence that describes it."""

from kvdesk.core.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """A curve over `Chart.contexts`; `series` decides colour and dash. None leaves a gap."""

    title: str
    series: int
    values: tuple[float | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """A horizontal line, such as the capacity of an option."""

    title: str
    series: int
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Mark:
    """A point with a label, such as the crossing of a curve with its capacity."""

    title: str
    series: int
    context: int
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """A filled part of a stack, from `low` to `high` over the contexts; `colour` is #rrggbb."""

    title: str
    colour: str
    low: tuple[float, ...]
    high: tuple[float, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Chart:
    """Values are in `unit`; with `logarithmic` the axis of values is, too. `context` is the workload's own."""

    title: str
    unit: str
    contexts: tuple[int, ...]
    lines: tuple[Line, ...]
    top: float
    context: int
    sentence: str
    limits: tuple[Limit, ...] = ()
    marks: tuple[Mark, ...] = ()
    bands: tuple[Band, ...] = ()
    logarithmic: bool = False
    decimals: int = 2

    def nearest(self, tokens: float) -> int:
        """The index of the context nearest to `tokens` on a logarithmic axis."""
        return min(range(len(self.contexts)), key=lambda i: abs(self.contexts[i] / tokens - tokens / self.contexts[i]))
