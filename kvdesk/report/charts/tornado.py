"""The tornado: for each input, from where to where the answer moves."""

from kvdesk.report.blocks import Figure
from kvdesk.report.charts.svg import INK, RULE, Canvas, shorten
from kvdesk.report.inputs import Swing
from kvdesk.report.numbers import grouped

_WIDTH, _LEFT, _RIGHT = 680.0, 190.0, 70.0
_STEP, _BAR, _HEAD = 26.0, 15.0, 30.0
_LESS, _MORE = "#D55E00", "#0072B2"


def figure(swings: tuple[Swing, ...], now: int, letter: str) -> Figure:
    """Bars from the present answer to the left (fewer sequences) and right (more)."""
    canvas = Canvas(_WIDTH, _HEAD + _STEP * len(swings) + 8)
    ends = [end for swing in swings for end in (swing.low, swing.high) if end is not None]
    least, most = min([now, *ends]), max([now, *ends])
    span = max(most - least, 1)

    def x(value: int) -> float:
        return _LEFT + (value - least) / span * (_WIDTH - _LEFT - _RIGHT)

    for row, swing in enumerate(swings):
        y = _HEAD + row * _STEP
        canvas.text(8, y + 12, shorten(swing.label, 30), size=12.5)
        canvas.line(_LEFT, y + _STEP - 4, _WIDTH - _RIGHT, y + _STEP - 4, colour=RULE, width=0.6)
        for value, fill, lower in ((swing.low, _LESS, True), (swing.high, _MORE, False)):
            if value is not None and value != now:
                _arm(canvas, (x(now), x(value), y), value, fill, lower)
    canvas.line(x(now), _HEAD - 8, x(now), canvas.height - 4, colour=INK, width=1.2)
    canvas.text(x(now), _HEAD - 14, f"now {grouped(now)}", anchor="middle", size=12)
    told = "; ".join(f"{s.label} from {_end(s.low)} to {_end(s.high)}" for s in swings)
    return Figure(
        key="tornado",
        caption=f"Whole sequences of option {letter} when one input changes; the widest bar matters most.",
        alt=f"Tornado chart: now {grouped(now)} sequences. {told}.",
        svg=canvas.svg(),
    )


def _arm(canvas: Canvas, places: tuple[float, float, float], value: int, fill: str, lower: bool) -> None:
    """One side of a bar with the answer at its end."""
    start, end, y = places
    left, right = min(start, end), max(start, end)
    canvas.rect(left, y, right - left, _BAR, fill=fill)
    outward = end < start or (end == start and lower)
    canvas.text(end + (-5 if outward else 5), y + 12, grouped(value), size=12, anchor="end" if outward else "start")


def _end(value: int | None) -> str:
    return "no answer" if value is None else grouped(value)
