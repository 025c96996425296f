"""Rules that take figures out of lines: a literal to look for first, a pattern, a unit, and which rank's value counts.

Patterns are linear: every repetition is bounded and no two neighbours can match the same characters.
"""

import re
from collections.abc import Iterable, Mapping
from enum import StrEnum

from kvdesk.core.json_value import JsonValue
from kvdesk.core.units import GIB, MIB
from kvdesk.core.values import dataclass, field
from kvdesk.engines.logs.lines import Line
from kvdesk.engines.logs.record import Figure

SHOWN = 300
"""Characters of a line that are kept with its figure."""

SIZE = r"(-?\d{1,9}(?:\.\d{1,6})?)"
COUNT = r"(-?\d{1,4}(?:,\d{3}){1,5}|-?\d{1,18})"
RATIO = r"(\d{1,9}(?:\.\d{1,6})?)"
_UNITS = {"gib": GIB, "mib": MIB}


class Choose(StrEnum):
    """Which of several values of one figure decides."""

    FIRST = "first"
    LAST = "last"
    LEAST = "least"
    MOST = "most"
    SUM = "sum"
    """Summed over the lines of one rank; of several ranks the largest sum."""


@dataclass(frozen=True, slots=True)
class Rule:
    """One figure: `pattern` with one group, looked for only in lines that contain `needle`.

    `unit` is "gib", "mib", "count", "ratio" or "word".
    """

    key: str
    needle: str
    pattern: "re.Pattern[str]"
    unit: str
    choose: Choose = Choose.LAST


def rule(key: str, needle: str, pattern: str, unit: str, choose: Choose = Choose.LAST) -> Rule:
    """A rule with its pattern compiled."""
    return Rule(key, needle, re.compile(pattern), unit, choose)


@dataclass(slots=True)
class Collected:
    """Values found so far, by figure: at most `_MOST_VALUES` each, with the rank that printed them."""

    values: dict[str, list[tuple[str, Figure]]] = field(default_factory=dict)
    chosen_by: dict[str, Choose] = field(default_factory=dict)

    def add(self, found: Rule, rank: str, figure: Figure) -> None:
        """Keep one value."""
        kept = self.values.setdefault(found.key, [])
        self.chosen_by[found.key] = found.choose
        if len(kept) < _MOST_VALUES:
            kept.append((rank, figure))

    def figures(self) -> dict[str, Figure]:
        """The value of each figure that decides."""
        return {key: _decide(values, self.chosen_by[key]) for key, values in self.values.items()}

    def differing(self) -> Iterable[tuple[str, list[Figure]]]:
        """Figures that ranks printed with different values, beyond the printed rounding; sums and words apart."""
        for key, values in self.values.items():
            figures = [figure for _, figure in values]
            spread = max(f.number for f in figures) - min(f.number for f in figures)
            ranks = {rank for rank, _ in values}
            if self.chosen_by[key] is not Choose.SUM and len(ranks) > 1 and spread > max(f.step for f in figures):
                yield key, figures


_MOST_VALUES = 4096


def apply(rules: Iterable[Rule], line: Line, collected: Collected) -> int:
    """Take what `rules` find in `line`; how many of them did."""
    hits, text, tight = 0, line.text, line.tight
    for one in rules:
        if one.needle not in text and one.needle not in tight:
            continue
        match = one.pattern.search(text) or one.pattern.search(tight)
        if match is not None:
            figure = _figure(one, match.group(1), line)
            if figure is not None:
                collected.add(one, line.rank, figure)
                hits += 1
    return hits


def option_figures(pairs: Mapping[str, JsonValue], line: Line) -> dict[str, Figure]:
    """Options read from one line, as figures."""
    return {key: Figure(value=value, line=line.number, text=line.text[:SHOWN]) for key, value in pairs.items()}


def _figure(one: Rule, text: str, line: Line) -> Figure | None:
    shown = line.text[:SHOWN]
    if one.unit == "word":
        word = text.strip(" '\"")
        return Figure(value={"true": True, "false": False}.get(word, word), line=line.number, text=shown)
    digits = text.replace(",", "")
    decimals = len(digits.partition(".")[2])
    if one.unit == "count":
        return Figure(value=int(digits), line=line.number, text=shown)
    if one.unit == "ratio":
        return Figure(value=float(digits), line=line.number, text=shown, step=10.0**-decimals)
    unit = _UNITS[one.unit]
    scale = 10**decimals
    value = int(digits.replace(".", "")) * unit // scale
    return Figure(value=value, line=line.number, text=shown, step=unit // scale)


def _decide(values: list[tuple[str, Figure]], choose: Choose) -> Figure:
    if choose is Choose.SUM:
        return _sum(values)
    figures = [figure for _, figure in values]
    if choose is Choose.FIRST:
        return figures[0]
    if choose is Choose.LAST:
        return figures[-1]
    extreme = (min if choose is Choose.LEAST else max)(figures, key=lambda figure: figure.number)
    near = [figure for figure in figures if abs(figure.number - extreme.number) <= max(figure.step, extreme.step)]
    return min(near, key=lambda figure: figure.step)


def _sum(values: list[tuple[str, Figure]]) -> Figure:
    by_rank: dict[str, list[Figure]] = {}
    for rank, figure in values:
        by_rank.setdefault(rank, []).append(figure)
    largest = max(by_rank.values(), key=lambda figures: sum(figure.number for figure in figures))
    return Figure(
        value=sum(figure.number for figure in largest),
        line=largest[0].line,
        text=largest[0].text,
        step=sum(figure.step for figure in largest),
    )
