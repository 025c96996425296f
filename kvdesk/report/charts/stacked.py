"""Where the memory of one GPU goes: a bar for each option."""

from kvdesk.core.units import gb
from kvdesk.engines.base import Answer
from kvdesk.report.blocks import Figure
from kvdesk.report.charts.colours import CACHE, RESERVE, WEIGHTS
from kvdesk.report.charts.svg import INK, MUTED, RULE, Canvas, shorten, text_width
from kvdesk.report.inputs import Option
from kvdesk.report.numbers import letters

_LEFT, _RIGHT, _WIDTH = 30.0, 60.0, 680.0
_BAR, _STEP, _HEAD = 22.0, 46.0, 30.0
_NAMES = ("weights", "reserve", "KV cache of the workload", "free for more", "not used")
_FILLS = (WEIGHTS, RESERVE, CACHE, "#bfe3d8", "#eef1f3")
_INKS = ("#ffffff", INK, "#ffffff", INK, MUTED)
PER_FIGURE = 12


def figures(options: tuple[Option, ...]) -> list[Figure]:
    """One figure for every twelve options that were sized."""
    sized = [(letters(i), option, option.answer) for i, option in enumerate(options) if option.answer]
    groups = [sized[i : i + PER_FIGURE] for i in range(0, len(sized), PER_FIGURE)]
    return [_figure(group) for group in groups]


def _figure(group: list[tuple[str, Option, Answer]]) -> Figure:
    canvas = Canvas(_WIDTH, _HEAD + _STEP * len(group))
    _legend(canvas)
    widest = max(max(answer.device_bytes, _needed(option, answer)) for _, option, answer in group)
    longest = min(widest, max(answer.device_bytes for _, _, answer in group) * 3 // 2)
    for row, (letter, option, answer) in enumerate(group):
        _bar(canvas, _HEAD + row * _STEP, letter, option, answer, longest or 1)
    told = " ".join(_told(letter, option, answer) for letter, option, answer in group)
    return Figure(
        key=f"stacked_{group[0][0]}",
        caption=(
            "Memory of one GPU: weights, reserve, the KV cache of the workload, what is left for more, and "
            "what the engine does not use. The strokes above and below mark the end of what the engine may use."
        ),
        alt=f"Memory of one GPU by purpose. {told}",
        svg=canvas.svg(),
    )


def _needed(option: Option, answer: Answer) -> int:
    return answer.weights_bytes + answer.reserve_bytes + option.held_bytes


def parts(option: Option, answer: Answer) -> tuple[int, int, int, int, int]:
    """Bytes of weights, reserve, cache asked for, free pool, and not used; none below 0."""
    free = max(0, answer.pool_bytes - option.held_bytes)
    needed = _needed(option, answer)
    unused = max(0, answer.device_bytes - needed - free)
    return answer.weights_bytes, answer.reserve_bytes, option.held_bytes, free, unused


def _legend(canvas: Canvas) -> None:
    x = _LEFT
    for name, fill in zip(_NAMES, _FILLS, strict=True):
        canvas.rect(x, 4, 11, 11, fill=fill, stroke=MUTED)
        canvas.text(x + 16, 14, name, size=12)
        x += 34 + text_width(name, 12)


def _bar(canvas: Canvas, top: float, letter: str, option: Option, answer: Answer, longest: int) -> None:
    scale = (_WIDTH - _LEFT - _RIGHT) / longest
    canvas.text(_LEFT, top + 10, shorten(option.title, 90), size=12)
    canvas.text(6, top + 31, letter, size=13, bold=True)
    x, end = _LEFT, _LEFT + longest * scale
    for size, fill, ink in zip(parts(option, answer), _FILLS, _INKS, strict=True):
        wide = min(size * scale, end - x)
        canvas.rect(x, top + 15, wide, _BAR, fill=fill, stroke=RULE)
        label = gb(size, 1)
        if wide > text_width(label, 12) + 6:
            canvas.text(x + wide / 2, top + 30.5, label, size=12, colour=ink, anchor="middle")
        x += max(wide, 0)
    edge = min(_LEFT + answer.usable_bytes * scale, end)
    for start in (top + 9, top + 15 + _BAR):
        canvas.line(edge, start, edge, start + 6, colour=INK, width=2)
    needed = _needed(option, answer)
    if needed > longest:
        canvas.text(end + 5, top + 30.5, f"→ {gb(needed, 0)}", size=12)


def _told(letter: str, option: Option, answer: Answer) -> str:
    named = zip(_NAMES, parts(option, answer), strict=True)
    return f"{letter}: " + ", ".join(f"{name} {gb(size)}" for name, size in named) + "."
