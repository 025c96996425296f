"""Memory and sequences against context, at most four options in one drawing."""

from collections.abc import Callable
from math import log10

from kvdesk.core.units import gb
from kvdesk.core.values import dataclass
from kvdesk.core.workload import Workload
from kvdesk.report.blocks import Figure
from kvdesk.report.charts.axes import LEFT, TOP, Frame, count_axis, decades_for, gb_axis, token_axis
from kvdesk.report.charts.svg import COLOURS, DASHES, MUTED, Canvas, spread, text_width
from kvdesk.report.inputs import Series
from kvdesk.report.numbers import counted, grouped

WIDTH, HEIGHT = 680.0, 330.0
_ROW = 14.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One option's series with its letter and title."""

    letter: str
    title: str
    series: Series


def memory(lines: list[Line], workload: Workload) -> Figure:
    """Memory of one GPU against context; capacities are level lines, crossings rings with their context."""
    frame = _frame(lines)
    # A refused option has no memory at all, and still an axis.
    top = max(1, int(max(max(line.series.capacity, line.series.total[0]) for line in lines) * 1.22))
    gb_axis(frame, top, "GB on one GPU")
    _asked_context(frame, workload)
    labels: list[tuple[float, str, str]] = []
    for index, line in enumerate(lines):
        _capacity(frame, line, top, index, labels)
    ends = _curves(frame, lines, top, labels)
    for index, line in enumerate(lines):
        _crossing(frame, line, top, index)
    for x, y, text, colour in ends:
        frame.canvas.plate(x, y, text, colour=colour)
    _right_labels(frame, labels)
    token_axis(frame)
    names = ", ".join(line.letter for line in lines)
    held = counted(workload.sequences, "sequence")
    return Figure(
        key=f"memory_{lines[0].letter}",
        caption=(
            f"Memory of one GPU with {held} held, by context: weights, reserve and cache. Level lines: what the "
            "engine may use. Rings: the longest context that stays within."
        ),
        alt=f"Memory of one GPU against context for option {names}. " + " ".join(_told(line) for line in lines),
        svg=frame.canvas.svg(),
    )


def sequences(lines: list[Line], workload: Workload) -> Figure:
    """Whole sequences that fit all GPUs of each option, against their context."""
    frame = _frame(lines)
    most = max(workload.sequences, *(max(line.series.fitting) for line in lines))
    count_axis(frame, most, "whole sequences that fit all GPUs")
    _asked_context(frame, workload)
    decades = decades_for(most)
    asked = frame.y(log10(workload.sequences) / decades)
    frame.canvas.line(LEFT, asked, frame.right, asked, colour=MUTED, dash="2 3")
    labels = [(asked, f"{grouped(workload.sequences)} asked for", MUTED)]
    for fitting, group in _grouped_by(lines, lambda line: line.series.fitting):
        index, names = group
        pairs = zip(lines[index].series.contexts, fitting, strict=True)
        points = [(frame.x(tokens), frame.y(log10(count) / decades)) for tokens, count in pairs if count > 0]
        if points:
            frame.canvas.polyline(points, colour=COLOURS[index], dash=DASHES[index])
            labels.append((points[-1][1], names, COLOURS[index]))
    _right_labels(frame, labels)
    token_axis(frame)
    names = ", ".join(line.letter for line in lines)
    told = " ".join(
        f"{line.letter}: {grouped(line.series.fitting[0])} at {grouped(line.series.contexts[0])} tokens, "
        f"{grouped(line.series.fitting[-1])} at {grouped(line.series.contexts[-1])}."
        for line in lines
    )
    return Figure(
        key=f"sequences_{lines[0].letter}",
        caption="Whole sequences that all GPUs of an option hold, by their context.",
        alt=f"Sequences that fit against context for option {names}. {told}",
        svg=frame.canvas.svg(),
    )


def _frame(lines: list[Line]) -> Frame:
    contexts = lines[0].series.contexts
    return Frame(canvas=Canvas(WIDTH, HEIGHT), shortest=contexts[0], longest=contexts[-1])


def _asked_context(frame: Frame, workload: Workload) -> None:
    x = frame.x(workload.context)
    frame.canvas.line(x, TOP, x, frame.floor, colour=MUTED, dash="2 3")
    text = f"{grouped(workload.context)} tokens asked for"
    frame.canvas.text(max(x, 260), TOP - 5, text, size=11.5, colour=MUTED, anchor="middle")


def _capacity(frame: Frame, line: Line, top: int, index: int, labels: list[tuple[float, str, str]]) -> None:
    y = frame.y(line.series.capacity / top)
    frame.canvas.line(LEFT, y, frame.right, y, colour=COLOURS[index], width=1.1, dash="5 3")
    labels.append((y, f"{line.letter} may use {gb(line.series.capacity, 1)}", COLOURS[index]))


def _curves(
    frame: Frame, lines: list[Line], top: int, labels: list[tuple[float, str, str]]
) -> list[tuple[float, float, str, str]]:
    """Draw the curves; gives the labels of those that leave through the top."""
    leaving: list[tuple[float, float, str, str]] = []
    for total, group in _grouped_by(lines, lambda line: line.series.total):
        index, names = group
        points, left = _clipped(frame, lines[index].series.contexts, total, top)
        frame.canvas.polyline(points, colour=COLOURS[index], dash=DASHES[index])
        if left:
            leaving.append((points[-1][0] + 8, TOP + 11 + _ROW * len(leaving), names, COLOURS[index]))
        else:
            labels.append((points[-1][1], f"{names}: {gb(total[-1], 1)}", COLOURS[index]))
    return leaving


def _clipped(
    frame: Frame, contexts: tuple[int, ...], total: tuple[int, ...], top: int
) -> tuple[list[tuple[float, float]], bool]:
    """Points up to the top edge, and whether the curve goes through it."""
    points: list[tuple[float, float]] = []
    for tokens, value in zip(contexts, total, strict=True):
        x, y = frame.x(tokens), frame.y(value / top)
        if value > top:
            if points:
                (x0, y0), edge = points[-1], frame.y(1)
                points.append((x0 + (x - x0) * (y0 - edge) / (y0 - y), edge))
            else:
                points.append((x, frame.y(1)))
            return points, True
        points.append((x, y))
    return points, False


def _crossing(frame: Frame, line: Line, top: int, index: int) -> None:
    crossing = line.series.crossing
    if not crossing or crossing < frame.shortest:
        return
    x, y = frame.x(crossing), frame.y(line.series.capacity / top)
    text = f"{line.letter}: {grouped(crossing)}"
    if x - text_width(text, 12.5) > LEFT + 10:
        frame.canvas.plate(x - 8, y - 6, text, colour=COLOURS[index], anchor="end")
    else:
        frame.canvas.plate(x + 8, y - 6, text, colour=COLOURS[index])
    frame.canvas.circle(x, y, colour=COLOURS[index])


def _right_labels(frame: Frame, labels: list[tuple[float, str, str]]) -> None:
    places = spread([y for y, _, _ in labels], _ROW, frame.floor)
    for place, (_, text, colour) in zip(places, labels, strict=True):
        frame.canvas.text(frame.right + 6, place + 4, text, colour=colour, size=12)


def _grouped_by(
    lines: list[Line], key: Callable[[Line], tuple[int, ...]]
) -> list[tuple[tuple[int, ...], tuple[int, str]]]:
    """Lines with equal curves drawn once: the curve, the index of the first, and the letters of all."""
    groups: dict[tuple[int, ...], tuple[int, list[str]]] = {}
    for index, line in enumerate(lines):
        groups.setdefault(key(line), (index, []))[1].append(line.letter)
    return [(curve, (index, ", ".join(letters))) for curve, (index, letters) in groups.items()]


def _told(line: Line) -> str:
    series = line.series
    first, last = series.total[0], series.total[-1]
    held = (
        f"it holds up to {grouped(series.crossing)} tokens"
        if series.crossing
        else ("nothing fits" if series.crossing == 0 else "it holds all of them")
    )
    return (
        f"{line.letter}, {line.title}: from {gb(first)} at {grouped(series.contexts[0])} to {gb(last)} at "
        f"{grouped(series.contexts[-1])} tokens; of {gb(series.capacity)} that the engine may use, {held}."
    )
