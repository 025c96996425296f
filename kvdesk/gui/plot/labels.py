"""Direct labels at the right end of curves and lines, moved apart where they would cover each other."""

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
