"""How a size grows with the number of tokens: sums of stepped, capped lines, and their exact inverse.

Every cache kvdesk knows, logical or allocated, is a sum of terms `fixed + unit x round(min(T + ahead, cap) / step)`:
a full layer has no cap and step 1, a sliding window a cap, a compressed stream a step rounded down, engine blocks a
step rounded up. That makes a sweep over contexts cheap and the largest context that fits a matter of division.
"""

from collections.abc import Iterable
from math import lcm

from kvdesk.core.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Term:
    """`fixed + unit x steps(T)` bytes (or blocks) at T tokens.

    `steps(T)` counts multiples of `step` in `min(T + ahead, cap)`, rounded up when `up` is set and down otherwise; it
    is 0 at T = 0. `cap` None means that it grows for ever.
    """

    fixed: int = 0
    unit: int = 0
    step: int = 1
    cap: int | None = None
    ahead: int = 0
    up: bool = False

    def at(self, tokens: int) -> int:
        """The value at `tokens` tokens."""
        if tokens <= 0 or not self.unit:
            return self.fixed
        held = tokens + self.ahead
        if self.cap is not None and held > self.cap:
            held = self.cap
        return self.fixed + self.unit * (-(-held // self.step) if self.up else held // self.step)

    def times(self, factor: int) -> "Term":
        """The same term `factor` times."""
        return Term(
            fixed=self.fixed * factor,
            unit=self.unit * factor,
            step=self.step,
            cap=self.cap,
            ahead=self.ahead,
            up=self.up,
        )


@dataclass(frozen=True, slots=True)
class Growth:
    """A sum of terms."""

    terms: tuple[Term, ...] = ()

    @staticmethod
    def of(terms: Iterable[Term]) -> "Growth":
        """The sum of `terms`, equal shapes added up so that evaluation costs one step per distinct shape."""
        fixed = 0
        units: dict[tuple[int, int | None, int, bool], int] = {}
        for term in terms:
            fixed += term.fixed
            if term.unit:
                key = (term.step, term.cap, term.ahead, term.up)
                units[key] = units.get(key, 0) + term.unit
        merged = [Term(unit=u, step=s, cap=c, ahead=a, up=up) for (s, c, a, up), u in units.items()]
        if fixed:
            merged.append(Term(fixed=fixed))
        return Growth(tuple(merged))

    def at(self, tokens: int) -> int:
        """The value at `tokens` tokens."""
        total = 0
        for term in self.terms:
            total += term.at(tokens)
        return total

    def over(self, points: Iterable[int]) -> tuple[int, ...]:
        """The values at each of `points`."""
        return tuple(map(self.at, points))

    @property
    def fixed(self) -> int:
        """The part that does not depend on the number of tokens."""
        return sum(term.fixed for term in self.terms)

    def plus(self, other: "Growth") -> "Growth":
        """Both together."""
        return Growth.of(self.terms + other.terms)

    def times(self, factor: int) -> "Growth":
        """The same growth `factor` times."""
        return Growth.of(term.times(factor) for term in self.terms)

    def uncapped(self) -> "Growth":
        """Only the terms that grow for ever: the part of a cache that a shared prefix can share."""
        return Growth(tuple(t for t in self.terms if t.unit and t.cap is None))

    def marginal(self, tokens: int) -> int:
        """Bytes that one more token costs at `tokens`, as the floor of the mean over the next whole period of steps."""
        period = 1
        for term in self.terms:
            if term.unit and (term.cap is None or tokens + term.ahead < term.cap):
                period = lcm(period, term.step)
        return (self.at(tokens + period) - self.at(tokens)) // period

    def largest(self, budget: int, ceiling: int) -> int:
        """The largest T in 0..`ceiling` with `at(T) <= budget`; 0 where not even one token fits.

        Between two caps every term is a line within one `unit` of its steps, so dividing gives both an upper and a
        lower bound and only the few tokens between them are bisected.
        """
        if ceiling <= 0 or self.at(1) > budget:
            return 0
        if self.at(ceiling) <= budget:
            return ceiling
        corners = sorted({t.cap - t.ahead for t in self.terms if t.unit and t.cap is not None})
        low, high = 1, ceiling
        for corner in corners:
            if low < corner < high:
                if self.at(corner) <= budget:
                    low = corner
                else:
                    high = corner
        growing = [t for t in self.terms if t.unit and (t.cap is None or low + t.ahead < t.cap)]
        # Something still grows past `low`, since the ceiling does not fit. `period` is the slopes' common denominator,
        # so that the bounds stay integers.
        period = 1
        for term in growing:
            period = lcm(period, term.step)
        slope = sum(term.unit * (period // term.step) for term in growing)
        slack = sum(term.unit for term in growing)
        room = budget - self.at(low)
        low = max(low, min(high, low + (room - slack) * period // slope))
        high = min(high, low + (2 * slack * period) // slope + 2 * period)
        while high - low > 1:
            middle = (low + high) // 2
            if self.at(middle) <= budget:
                low = middle
            else:
                high = middle
        return low
