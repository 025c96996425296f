"""SVG text by small steps: numbers to two decimals, all text escaped, nothing random."""

from html import escape
from itertools import pairwise

from kvdesk.core.values import dataclass, field

FONT = "Libertinus Serif"
INK = "#1b1f23"
MUTED = "#57606a"
RULE = "#d5dbe0"

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7")
"""Okabe and Ito's blue, vermillion, bluish green and reddish purple: the four that reach 3:1 on white."""

DASHES = ("", "9 4", "2.5 3", "9 3 2.5 3")
"""The second code beside colour."""


def number(value: float) -> str:
    """A coordinate with at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


def text_width(text: str, size: float) -> float:
    """About how wide `text` is at `size`; enough to keep labels apart."""
    return len(text) * size * 0.5


@dataclass(slots=True)
class Canvas:
    """A drawing that grows by elements. Coordinates are SVG user units, y downwards."""

    width: float
    height: float
    parts: list[str] = field(default_factory=list)

    def line(
        self, x1: float, y1: float, x2: float, y2: float, *, colour: str = RULE, width: float = 1, dash: str = ""
    ) -> None:
        """A straight stroke."""
        places = f'x1="{number(x1)}" y1="{number(y1)}" x2="{number(x2)}" y2="{number(y2)}"'
        self.parts.append(f"<line {places} {_stroke(colour, width, dash)}/>")

    def polyline(self, points: list[tuple[float, float]], *, colour: str, width: float = 1.8, dash: str = "") -> None:
        """A broken line."""
        path = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        self.parts.append(
            f'<polyline points="{path}" fill="none" stroke-linejoin="round" {_stroke(colour, width, dash)}/>'
        )

    def rect(self, x: float, y: float, width: float, height: float, *, fill: str, stroke: str = "none") -> None:
        """A filled rectangle; a width below 0 draws nothing."""
        if width <= 0 or height <= 0:
            return
        box = f'x="{number(x)}" y="{number(y)}" width="{number(width)}" height="{number(height)}"'
        self.parts.append(f'<rect {box} fill="{fill}" stroke="{stroke}"/>')

    def circle(self, x: float, y: float, *, colour: str, radius: float = 4) -> None:
        """A ring on white: the mark of a crossing."""
        self.parts.append(
            f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" fill="#ffffff" stroke="{colour}" '
            'stroke-width="1.8"/>'
        )

    def text(
        self,
        x: float,
        y: float,
        text: str,
        *,
        size: float = 12.5,
        colour: str = INK,
        anchor: str = "start",
        bold: bool = False,
    ) -> None:
        """Real, selectable text with its baseline at `y`."""
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(
            f'<text x="{number(x)}" y="{number(y)}" font-family="{FONT}" font-size="{number(size)}" fill="{colour}" '
            f'text-anchor="{anchor}"{weight}>{escape(text)}</text>'
        )

    def plate(
        self, x: float, y: float, text: str, *, size: float = 12.5, colour: str = INK, anchor: str = "start"
    ) -> None:
        """Text on a white plate, so that lines behind it do not cross it."""
        wide = text_width(text, size) + 4
        left = x - 2 - {"start": 0.0, "middle": (wide - 4) / 2, "end": wide - 4}[anchor]
        self.rect(left, y - size * 0.8, wide, size * 1.05, fill="#ffffff")
        self.text(x, y, text, size=size, colour=colour, anchor=anchor)

    def svg(self) -> str:
        """The whole drawing."""
        size = f'width="{number(self.width)}" height="{number(self.height)}"'
        box = f'viewBox="0 0 {number(self.width)} {number(self.height)}"'
        return f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box}>{"".join(self.parts)}</svg>'


def _stroke(colour: str, width: float, dash: str) -> str:
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return f'stroke="{colour}" stroke-width="{number(width)}"{dashes}'


def shorten(text: str, limit: int) -> str:
    """At most `limit` characters, the cut marked."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def spread(places: list[float], gap: float, lowest: float) -> list[float]:
    """Places moved so that neighbours are at least `gap` apart and none is past `lowest`; order is kept."""
    order = sorted(range(len(places)), key=lambda i: (places[i], i))
    moved = list(places)
    for before, this in pairwise(order):
        moved[this] = max(moved[this], moved[before] + gap)
    limit = lowest
    for index in reversed(order):
        moved[index] = min(moved[index], limit)
        limit = moved[index] - gap
    return moved
