"""All decoder layers in order, one cell each, equal ones in the same colour and with the same letter."""

from kvdesk.core import formulas
from kvdesk.core.geometry import Geometry, Layer
from kvdesk.core.number_formats import NumberFormat
from kvdesk.report.blocks import Figure
from kvdesk.report.charts.svg import INK, MUTED, Canvas, shorten
from kvdesk.report.numbers import counted

_WIDTH, _LEFT = 680.0, 8.0
_PER_ROW, _ROW = 48, 22.0
_LEGEND = 18.0
MOST_KINDS = 12
"""Kinds told in the legend; the rest is counted in one line."""

_FILLS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#8b98a3")
_INKS = ("#ffffff", INK, "#ffffff", INK, INK, "#ffffff", INK, INK)


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
        _cell(canvas, index, kinds[layer], wide)
    for kind in range(told):
        _legend(canvas, 14 + rows * _ROW + kind * _LEGEND, kind, f"{counted(counts[kind], 'layer')}: {labels[kind]}")
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


def _cell(canvas: Canvas, index: int, kind: int, wide: float) -> None:
    row, column = divmod(index, _PER_ROW)
    x, y = _LEFT + column * wide, 6 + row * _ROW
    canvas.rect(x, y, wide - 1.6, _ROW - 5, fill=_FILLS[kind % len(_FILLS)])
    ink = _INKS[kind % len(_INKS)]
    canvas.text(x + (wide - 1.6) / 2, y + 12, _letter(kind), size=11, colour=ink, anchor="middle")


def _legend(canvas: Canvas, y: float, kind: int, text: str) -> None:
    canvas.rect(_LEFT, y, 12.2, 13, fill=_FILLS[kind % len(_FILLS)], stroke=MUTED)
    ink = _INKS[kind % len(_INKS)]
    canvas.text(_LEFT + 6.1, y + 10, _letter(kind), size=11, colour=ink, anchor="middle")
    canvas.text(_LEFT + 20, y + 11, text, size=12)
