"""All decoder layers in order, one cell each: coloured by the kinds of its parts, with a letter for equal layers."""

from kvdesk.core import formulas
from kvdesk.core.geometry import Geometry, Layer
from kvdesk.core.number_formats import NumberFormat
from kvdesk.report.blocks import Figure
from kvdesk.report.charts import colours
from kvdesk.report.charts.svg import INK, Canvas, shorten
from kvdesk.report.numbers import counted

_WIDTH, _LEFT = 680.0, 8.0
_PER_ROW, _ROW = 48, 22.0
_LEGEND = 18.0
MOST_KINDS = 12
"""Kinds told in the legend; the rest is counted in one line."""


def figure(geometry: Geometry, fmt: NumberFormat, tokens: int) -> Figure:
    """The strip with its legend."""
    kinds: dict[Layer, int] = {}
    for layer in geometry.layers:
        kinds.setdefault(layer, len(kinds))
    counts = [sum(1 for layer in geometry.layers if layer == kind) for kind in kinds]
    labels = [_label(kind, fmt, tokens) for kind in kinds]
    rows = -(-len(geometry.layers) // _PER_ROW)
    told = min(len(kinds), MOST_KINDS)
    wide = min(20.0, (_WIDTH - 2 * _LEFT) / min(max(len(geometry.layers), 1), _PER_ROW))
    canvas = Canvas(_WIDTH, 6 + rows * _ROW + 8 + (told + (len(kinds) > told)) * _LEGEND)
    for index, layer in enumerate(geometry.layers):
        row, column = divmod(index, _PER_ROW)
        _cell(canvas, (_LEFT + column * wide, 6 + row * _ROW, wide - 1.6, _ROW - 5), layer, kinds[layer])
    for layer, kind in list(kinds.items())[:told]:
        y = 14 + rows * _ROW + kind * _LEGEND
        _cell(canvas, (_LEFT, y, 12.2, 13), layer, kind)
        canvas.text(_LEFT + 20, y + 11, f"{counted(counts[kind], 'layer')}: {labels[kind]}", size=12)
    if len(kinds) > told:
        rest = counted(sum(counts[told:]), "layer")
        canvas.text(_LEFT, 26 + rows * _ROW + told * _LEGEND, f"and {rest} of {len(kinds) - told} more kinds", size=12)
    told_kinds = "; ".join(f"{counted(n, 'layer')} {label}" for n, label in zip(counts, labels, strict=True))
    return Figure(
        key="layers",
        caption=f"The {counted(len(geometry.layers), 'decoder layer')} in order, first layer at the left.",
        alt=shorten(f"Layers in order: {told_kinds}.", 1500),
        svg=canvas.svg(),
    )


def _label(layer: Layer, fmt: NumberFormat, tokens: int) -> str:
    if not layer:
        return "no cache"
    return shorten(" + ".join(formulas.part_line(part, 1, fmt, tokens).label for part in layer), 96)


def _letter(kind: int) -> str:
    return "abcdefghijklmnopqrstuvwxyz"[kind % 26]


def _cell(canvas: Canvas, box: tuple[float, float, float, float], layer: Layer, kind: int) -> None:
    """One layer: its parts one above another, the letter of its kind on them."""
    x, y, wide, high = box
    names = sorted((colours.kind_of(part) for part in layer), key=colours.ORDER.index) or ["none"]
    for at, name in enumerate(names):
        canvas.rect(x, y + at * high / len(names), wide, high / len(names), fill=colours.of_kind(name))
    ink = "#ffffff" if set(names) <= {"full", "mla"} else INK
    canvas.text(x + wide / 2, y + high / 2 + 3.5, _letter(kind), size=11, colour=ink, anchor="middle")
