"""Direct labels at the right end of curves and lines, moved apart where they would cover each other."""

from collections.abc import Sequence

import numpy as np

from kvdesk.core.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A label: its text, colour, and the height in the plot's own units at which it would like to be."""

    text: str
    colour: str
    height: float


def spread(places: list[Place], gap: float, low: float, high: float) -> list[tuple[Place, float]]:
    """Heights at least `gap` apart that stay within `low`..`high` as far as there is room, in the order wanted."""
    ordered = sorted(places, key=lambda place: place.height)
    heights: list[float] = []
    for place in ordered:
        least = heights[-1] + gap if heights else low
        heights.append(max(place.height, least))
    limit = high - gap
    for at in reversed(range(len(heights))):
        heights[at] = min(heights[at], limit)
        limit = heights[at] - gap
    return list(zip(ordered, heights, strict=True))


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A rectangle in the plot's own units."""

    left: float
    right: float
    low: float
    high: float

    def meets(self, other: "Box") -> bool:
        """Whether two boxes have an area in common."""
        beside = self.right <= other.left or other.right <= self.left
        return not (beside or self.high <= other.low or other.high <= self.low)


def settle(candidates: Sequence[Box], taken: Sequence[Box], points: Sequence[tuple[float, float]]) -> int:
    """The index of the candidate that covers least: labels that are placed already count more than curves do."""
    x, y = np.array(points, dtype=float).reshape(-1, 2).T

    def cost(box: Box) -> int:
        covered = (box.left <= x) & (x <= box.right) & (box.low <= y) & (y <= box.high)
        return 40 * sum(box.meets(other) for other in taken) + int(np.count_nonzero(covered))

    return min(range(len(candidates)), key=lambda index: cost(candidates[index]))
