"""Where direct labels stand: each on one of the spots that it may take, none upon another or outside of the plot.

All measures are pixels from the plot's top left corner.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from kvdesk.core.values import dataclass

Numbers = npt.NDArray[np.float64]
Spot = tuple[float, float]
"""Left and top of a label."""

GAP = 3.0
"""Between a label and the line or point that it names."""
_POINT, _LINE = 4, 6
"""What it costs to cover a point of a curve, or to be crossed by another label's line."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A label: its text, the number of its series, its width, and the spots that it may take, the best first."""

    text: str
    series: int
    width: float
    spots: tuple[Spot, ...]


def along(room: float, y: float, width: float, height: float) -> tuple[Spot, ...]:
    """Above and below a level line, from the left to the right end of a plot `room` wide."""
    steps = 8
    free = max(0.0, room - width - 2 * GAP)
    return tuple((GAP + free * step / steps, top) for step in range(steps + 1) for top in (y - height - 1, y + 2))


def beside(x: float, y: float, width: float, height: float) -> tuple[Spot, ...]:
    """Around a point: above and left of it, where a rising curve is not, the other corners, and a line further."""
    left, right = x - width - GAP, x + 2 * GAP
    above, below = y - height - GAP, y + GAP
    near = ((left, above), (right, below), (right, above), (left, below))
    further = ((left, above - height), (right, below + height), (right, above - height), (left, below + height))
    return (*near, *further)


def on_curve(x: Numbers, y: Numbers, width: float, height: float) -> tuple[Spot, ...]:
    """Above and below a curve, from its right end on."""
    places = range(len(x) - 1, -1, -max(1, len(x) // 24))
    return tuple(
        spot
        for at in places
        for spot in (
            (float(x[at]) - width, float(y[at]) - height - GAP),
            (float(x[at]) - width, float(y[at]) + GAP),
            (float(x[at]) + GAP, float(y[at]) - height - GAP),
        )
    )


def dense(x: Numbers, y: Numbers, times: int = 2) -> Numbers:
    """Points on a polyline, `times` as many as its corners, so that no label slips in between; shape (n, 2)."""
    if not len(x):
        return np.empty((0, 2))
    at = np.linspace(0, len(x) - 1, len(x) * times)
    corners = np.arange(len(x))
    return np.column_stack((np.interp(at, corners, x), np.interp(at, corners, y)))


def settle(
    wanted: Sequence[Wanted], height: float, room: tuple[float, float], points: Numbers, lines: Sequence[float]
) -> list[Spot | None]:
    """A spot for each label in turn, None where all of its spots are taken or outside of `room` (width, height).

    Of the free ones it takes that which covers fewest `points` of curves and is crossed by fewest `lines`.
    """
    taken: list[tuple[float, float, float, float]] = []
    result: list[Spot | None] = []
    rules = np.array(lines, dtype=float)
    for label in wanted:
        spot = _best(label, height, room, np.array(taken, dtype=float).reshape(-1, 4), points, rules)
        result.append(spot)
        if spot:
            taken.append((spot[0], spot[1], spot[0] + label.width, spot[1] + height))
    return result


def _best(
    label: Wanted, height: float, room: tuple[float, float], taken: Numbers, points: Numbers, rules: Numbers
) -> Spot | None:
    left, top = np.array(label.spots, dtype=float).reshape(-1, 2).T[:, :, None]
    right, bottom = left + label.width, top + height
    inside = (left >= 0) & (right <= room[0]) & (top >= 0) & (bottom <= room[1])
    meets = (left < taken[:, 2]) & (taken[:, 0] < right) & (top < taken[:, 3]) & (taken[:, 1] < bottom)
    free = inside[:, 0] & ~meets.any(axis=1)
    if not free.any():
        return None
    x, y = points.T
    covered = (left <= x) & (x <= right) & (top <= y) & (y <= bottom)
    crossed = (top < rules) & (rules < bottom)
    cost = _POINT * np.count_nonzero(covered, axis=1) + _LINE * np.count_nonzero(crossed, axis=1)
    return label.spots[int(np.argmin(np.where(free, cost, np.iinfo(np.int64).max)))]
