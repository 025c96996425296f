"""The model's layers as a strip, one column for each, and what every kind costs at the present context."""

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QHelpEvent, QPainter, QPalette
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from kvdesk.app.results import Sizing
from kvdesk.core import formulas
from kvdesk.core.geometry import Layer
from kvdesk.core.layers import CachePart
from kvdesk.core.values import dataclass
from kvdesk.gui import numbers
from kvdesk.gui.theme import Theme
from kvdesk.gui.widgets.text import em
from kvdesk.report.charts.colours import KINDS, ORDER, kind_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of layer part: how many layers keep it and what all of them take at the present context, in bytes.

    `name` is the kind it is drawn as, `title` what it is called, in reports too.
    """

    name: str
    title: str
    detail: str
    count: int
    bytes: int


def kinds(sizing: Sizing) -> tuple[Kind, ...]:
    """Every kind of part of a model, in the order of first appearance."""
    context, fmt = sizing.workload.context, sizing.kv_format
    return tuple(
        Kind(
            name=kind_of(part),
            title=formulas.part_line(part, count, fmt, context).label,
            detail=part_detail(part),
            count=count,
            bytes=part.growth(fmt).times(count).at(context),
        )
        for part, count in sizing.geometry.counted()
    )


def part_detail(part: CachePart) -> str:
    """What decides a part's size, in a few words."""
    fields = (
        ("kv_heads", "{:,} KV heads"),
        ("key_dim", "{:,} wide"),
        ("window", "window {:,}"),
        ("chunk", "chunk {:,}"),
        ("latent_dim", "latent {:,}"),
        ("rope_dim", "+ {:,} RoPE"),
        ("ratio", "1 per {:,}"),
        ("encoder_tokens", "{:,} encoder tokens"),
    )
    values = ((getattr(part, name, None), form) for name, form in fields)
    words = [form.format(value) for value, form in values if isinstance(value, int) and value]
    return numbers.localised(" · ".join([*words, getattr(part, "family", "").replace("_", " ")]).strip(" ·"))


class Strip(QWidget):
    """Paints the layers; hovering says what one keeps."""

    def __init__(self) -> None:
        super().__init__()
        self._layers: tuple[Layer, ...] = ()
        self._colours: dict[str, str] = {}
        self._painted: object = None
        self._bytes: dict[CachePart, int] = {}
        self._titles: dict[CachePart, str] = {}
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setAccessibleName("Layers of the model")

    def show_sizing(self, sizing: Sizing, theme: Theme) -> None:
        """Show a model at the present context."""
        self._layers = sizing.geometry.layers
        self._colours = colours(theme)
        context, fmt = sizing.workload.context, sizing.kv_format
        former = (self._painted, self._bytes)
        self._bytes = {part: part.growth(fmt).at(context) for part, _ in sizing.geometry.counted()}
        self._painted = (sizing.geometry.layers, theme.name)
        if former != (self._painted, self._bytes):
            found = kinds(sizing)
            self._titles = {part: kind.title for (part, _), kind in zip(sizing.geometry.counted(), found, strict=True)}
            self.setAccessibleDescription("; ".join(f"{kind.count} × {kind.title}" for kind in found))
        if former[0] != self._painted:
            self.update()

    def sizeHint(self) -> QSize:
        """As high as a line of text and a half."""
        return QSize(em(self, 16), em(self, 1.4))

    def paintEvent(self, event: object) -> None:
        """One column for each layer; parts of a layer stand one above another."""
        if not self._layers:
            return
        painter = QPainter(self)
        width = self.width() / len(self._layers)
        gap = 1.0 if width >= 4 else 0.0
        for at, layer in enumerate(self._layers):
            box = QRectF(at * width, 0, max(1.0, width - gap), self.height())
            self._paint_layer(painter, box, layer)

    def event(self, event: QEvent) -> bool:
        """A tooltip for the layer below the pointer."""
        if isinstance(event, QHelpEvent) and self._layers:
            at = min(len(self._layers) - 1, max(0, int(event.pos().x() * len(self._layers) / max(1, self.width()))))
            QToolTip.showText(event.globalPos(), self.describe(at), self)
            return True
        return super().event(event)

    def describe(self, at: int) -> str:
        """What layer `at` keeps, in a sentence."""
        parts = self._layers[at] or ()
        words = [
            f"{numbers.localised(self._titles[part])} ({part_detail(part)}): "
            f"{numbers.fitting_size(self._bytes[part], 'GiB')}"
            for part in parts
        ]
        return f"Layer {at}: " + ("; ".join(words) or "nothing")

    def _paint_layer(self, painter: QPainter, box: QRectF, layer: Layer) -> None:
        names = sorted((kind_of(part) for part in layer), key=ORDER.index) or ["none"]
        height = box.height() / len(names)
        for at, name in enumerate(names):
            part = QRectF(box.left(), at * height, box.width(), height)
            colour = QColor(self._colours.get(name, self.palette().color(QPalette.ColorRole.Mid).name()))
            painter.fillRect(part, colour)
            pattern = _PATTERNS.get(name)
            if pattern:
                painter.fillRect(part, _hatch(self.palette().color(QPalette.ColorRole.Base), pattern))


_PATTERNS = {
    "sliding": Qt.BrushStyle.FDiagPattern,
    "chunked": Qt.BrushStyle.BDiagPattern,
    "state": Qt.BrushStyle.Dense6Pattern,
    "compressed": Qt.BrushStyle.HorPattern,
}


def _hatch(colour: QColor, pattern: Qt.BrushStyle) -> QBrush:
    faint = QColor(colour)
    faint.setAlpha(110)
    return QBrush(faint, pattern)


def colours(theme: Theme) -> dict[str, str]:
    """The colour of every kind."""
    series = {kind: theme.series[at] for kind, at in KINDS.items()}
    return {**series, "shared": theme.border, "none": theme.chip}
