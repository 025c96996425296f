"""Curves, lines, dots and labels of the plot: plain graphics items, which Qt paints without asking Python."""

from PySide6.QtCore import QLineF, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPen
from PySide6.QtWidgets import (
    QGraphicsEllipseItem,
    QGraphicsItem,
    QGraphicsLineItem,
    QGraphicsPathItem,
    QGraphicsRectItem,
    QGraphicsSimpleTextItem,
    QStyleOptionGraphicsItem,
    QWidget,
)

MARGIN = 1
"""Around the text of a label, pixels."""
OPACITY = 200
"""Of the ground behind it, of 255: lines below can be guessed and do not strike it through."""
_FAR = 100.0
"""Powers of two past every context: a line across the plot at any zoom."""
_DOT = 4.5
_FIXED = QGraphicsItem.GraphicsItemFlag.ItemIgnoresTransformations
"""For what keeps its size in pixels at any zoom."""


class LineItem(QGraphicsLineItem):
    """A thin line across the whole plot. Solid: dashes as long as the plot is wide are slow to draw."""

    def draw(self, colour: QColor) -> None:
        """Its colour."""
        pen = QPen(colour, 1)
        pen.setCosmetic(True)
        self.setPen(pen)

    def across(self, y: float) -> None:
        """Lie at a height."""
        self.setLine(QLineF(-_FAR, y, _FAR, y))

    def upright(self, x: float, low: float, high: float) -> None:
        """Stand at a context."""
        self.setLine(QLineF(x, low, x, high))


class CurveItem(QGraphicsPathItem):
    """A curve. It says that it takes the whole plot, since its stroke is dear to measure and clipped to the plot."""

    def __init__(self) -> None:
        super().__init__()
        self._room = QRectF()

    def across(self, room: QRectF) -> None:
        """Take the whole plot of that range."""
        if room != self._room:
            self.prepareGeometryChange()
            self._room = room

    def boundingRect(self) -> QRectF:
        """The plot."""
        return self._room

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Smooth, where lines are crisp."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(self.pen())
        painter.drawPath(self.path())


class DotItem(QGraphicsEllipseItem):
    """A point."""

    def __init__(self) -> None:
        super().__init__(-_DOT, -_DOT, 2 * _DOT, 2 * _DOT)
        self.setFlag(_FIXED)

    def paint(self, painter: QPainter, option: QStyleOptionGraphicsItem, widget: QWidget | None = None) -> None:
        """Round, where lines are crisp."""
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        super().paint(painter, option, widget)

    def draw(self, colour: QColor, edge: str) -> None:
        """Its colours."""
        self.setBrush(colour)
        self.setPen(QPen(QColor(edge), 1.5))


class LabelItem(QGraphicsRectItem):
    """A text that stands with its top left corner at its place, on a ground; measured anew only when it changes."""

    def __init__(self) -> None:
        super().__init__()
        self._text = QGraphicsSimpleTextItem(self)
        self._text.setPos(MARGIN, MARGIN)
        self._said: tuple[str, str, str] = ("", "", "")
        self.setFlag(_FIXED)
        self.setPen(QPen(Qt.PenStyle.NoPen))
        self.setZValue(20)

    def say(self, text: str, colour: str, ground: str) -> None:
        """Show a text in a colour on a ground."""
        said = (text, colour, ground)
        if said == self._said:
            return
        self._said = said
        behind = QColor(ground)
        behind.setAlpha(OPACITY)
        self.setBrush(behind)
        self._text.setBrush(QColor(colour))
        self._text.setText(text)
        box = self._text.boundingRect()
        self.setRect(0, 0, box.width() + 2 * MARGIN, box.height() + 2 * MARGIN)
