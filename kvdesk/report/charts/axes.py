"""Axes: tokens on a binary logarithm, bytes on a line, sequences on a decimal logarithm."""

from math import log2, log10

from kvdesk.core.units import GB
from kvdesk.core.values import dataclass
from kvdesk.report.charts.svg import INK, MUTED, RULE, Canvas

TOP, BOTTOM, LEFT, RIGHT = 28.0, 46.0, 62.0, 118.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """The plotting area of a canvas and the longest and shortest context on it."""

    canvas: Canvas
    shortest: int
    longest: int

    @property
    def right(self) -> float:
        """The right edge."""
        return self.canvas.width - RIGHT

    @property
    def floor(self) -> float:
        """The bottom edge."""
        return self.canvas.height - BOTTOM

    def x(self, tokens: int) -> float:
        """The place of a context."""
        span = log2(self.longest) - log2(self.shortest)
        share = (log2(max(tokens, 1)) - log2(self.shortest)) / span
        return LEFT + min(max(share, 0.0), 1.0) * (self.right - LEFT)

    def y(self, share: float) -> float:
        """The place of a share 0..1 of the height."""
        return self.floor - share * (self.floor - TOP)


def tokens_label(tokens: int) -> str:
    """`8192` -> `8K`, `1048576` -> `1M`; K = 1,024 and M = 1,048,576."""
    for factor, unit in ((1 << 20, "M"), (1 << 10, "K")):
        if tokens >= factor and tokens % factor == 0:
            return f"{tokens // factor}{unit}"
    return f"{tokens:,}"


def token_axis(frame: Frame) -> None:
    """Ticks at powers of two."""
    canvas, floor = frame.canvas, frame.floor
    power = 1 << (frame.shortest - 1).bit_length()
    while power <= frame.longest:
        x = frame.x(power)
        canvas.line(x, floor, x, floor + 4, colour=MUTED)
        canvas.text(x, floor + 17, tokens_label(power), colour=MUTED, anchor="middle", size=11.5)
        power *= 2
    canvas.line(LEFT, floor, frame.right, floor, colour=MUTED)
    middle = (LEFT + frame.right) / 2
    canvas.text(middle, floor + 36, "tokens per sequence (K = 1,024, M = 1,048,576)", anchor="middle")


def gb_axis(frame: Frame, top: int, title: str) -> None:
    """Lines at round numbers of GB from 0 to `top` bytes."""
    step = _step(top / GB)
    value = 0.0
    while value <= top / GB:
        y = frame.y(value * GB / top)
        frame.canvas.line(LEFT, y, frame.right, y, colour=RULE, width=0.8)
        frame.canvas.text(LEFT - 7, y + 4, f"{value:,.10g}", colour=MUTED, anchor="end", size=11.5)
        value += step
    frame.canvas.text(8, TOP - 14, title, colour=INK)


def count_axis(frame: Frame, most: int, title: str) -> None:
    """Lines at powers of ten from 1 to at least `most`."""
    decades = decades_for(most)
    for exponent in range(decades + 1):
        y = frame.y(exponent / decades)
        frame.canvas.line(LEFT, y, frame.right, y, colour=RULE, width=0.8)
        frame.canvas.text(LEFT - 7, y + 4, f"{10**exponent:,}", colour=MUTED, anchor="end", size=11.5)
    frame.canvas.text(8, TOP - 14, title, colour=INK)


def decades_for(most: int) -> int:
    """Whole decades that hold `most`, at least one."""
    return max(1, -int(-log10(max(most, 2)) // 1))


def _step(top: float) -> float:
    """A round step that makes four to eight lines."""
    raw = top / 5
    power = 10.0 ** int(log10(raw) // 1) if raw > 0 else 1.0
    return next((factor * power for factor in (1, 2, 5) if factor * power >= raw), 10 * power)
