"""Direct labels at the right end of curves and lines, moved apart where they would cover each other."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """A label: its text, colour, and the height in the plot's own units at which it would like to be."""

    text: str
    colour: str
    height: float


def spread(places: list[Place], gap: float, low: float, high: float) -> list[tuple[Place, float]]:
    """Heights at least `gap` apart within `low`..`high`, in the order that they were wanted."""
    ordered = sorted(places, key=lambda place: place.height)
    heights = [min(max(place.height, low + gap / 2), high - gap / 2) for place in ordered]
    for _ in range(len(heights)):
        moved = False
        for at in range(len(heights) - 1):
            overlap = gap - (heights[at + 1] - heights[at])
            if overlap > gap * 1e-6:
                moved = True
                heights[at] = max(low + gap / 2, heights[at] - overlap / 2)
                heights[at + 1] = heights[at] + gap
        if heights and heights[-1] > high - gap / 2:
            heights = [h - (heights[-1] - (high - gap / 2)) for h in heights]
        if not moved:
            break
    return list(zip(ordered, heights, strict=True))
