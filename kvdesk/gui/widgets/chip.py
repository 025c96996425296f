"""Source chips: where a value came from, as a word in a pill; the exact spot is its tooltip."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QLabel, QSizePolicy, QStyledItemDelegate, QStyleOptionViewItem, QWidget

from kvdesk.core.sourced import Origin, Source

_WORDS = {
    Origin.CONFIG: "config.json",
    Origin.SIDE_FILE: "side file",
    Origin.CLASS_DEFAULT: "class default",
    Origin.HEADER: "header",
    Origin.FILES: "files",
    Origin.PROFILE: "profile",
    Origin.CATALOGUE: "catalogue",
    Origin.USER: "yours",
    Origin.MEASURED: "measured",
    Origin.DERIVED: "derived",
    Origin.ESTIMATE: "estimate",
}


def word(source: Source) -> str:
    """The chip's text."""
    return _WORDS[source.origin]


class Chip(QLabel):
    """A pill with a word."""

    def __init__(self, text: str = "", parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Maximum)
        self.setTextFormat(Qt.TextFormat.PlainText)

    def show_source(self, source: Source | None) -> None:
        """Show a source, or nothing."""
        self.show_word(word(source) if source else "", str(source) if source else "")

    def show_word(self, text: str, tip: str) -> None:
        """Show a word; its tooltip says more."""
        if self.text() != text:
            self.setText(text)
            self.updateGeometry()
        if self.toolTip() != tip:
            self.setToolTip(tip)
        self.setVisible(bool(text))

    def sizeHint(self) -> QSize:
        """Room for the pill around the text."""
        return pill_size(self, self.text())

    def minimumSizeHint(self) -> QSize:
        """A pill is never cut."""
        return self.sizeHint()

    def paintEvent(self, event: object) -> None:
        """The pill."""
        if self.text():
            painter = QPainter(self)
            paint_pill(painter, QRectF(self.rect()), self.text(), self.palette(), yours=self.text() == "yours")


class RowDelegate(QStyledItemDelegate):
    """Gives every row of a table the same comfortable height, and columns a distance."""

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        """Text at the left of a column keeps away from numbers at the right of the one before."""
        super().initStyleOption(option, index)
        if index.column() > 0 and not option.displayAlignment & Qt.AlignmentFlag.AlignRight:
            option.rect = option.rect.adjusted(option.fontMetrics.height() // 2, 0, 0, 0)

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        """The width of the contents, a line and a half high."""
        size = super().sizeHint(option, index)
        height = option.fontMetrics.height()
        # Beyond the first line, for texts that wrap, what these take.
        more = max(0, size.height() - height) // height * height
        return QSize(size.width() + height // 2, round(height * 1.55) + more)


class ChipDelegate(RowDelegate):
    """Paints the text of a cell as a chip."""

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """The cell's background as ever, the text as a pill at its left."""
        text = str(index.data() or "")
        self.initStyleOption(option, index)
        option.text = ""
        style = option.widget.style()
        style.drawControl(style.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        if not text:
            return
        cell = option.rect
        height = min(cell.height() - 4, painter.fontMetrics().height() + 2)
        width = painter.fontMetrics().horizontalAdvance(text) + height
        box = QRectF(cell.left() + 4, cell.center().y() - height / 2 + 0.5, min(width, cell.width() - 8), height)
        paint_pill(painter, box, text, option.palette, yours=text == "yours")


def pill_size(widget: QWidget, text: str) -> QSize:
    """What a pill with `text` takes."""
    metrics = widget.fontMetrics()
    return QSize(metrics.horizontalAdvance(text) + metrics.height(), metrics.height() + 2) if text else QSize(0, 0)


def paint_pill(painter: QPainter, box: QRectF, text: str, palette: QPalette, *, yours: bool) -> None:
    """A rounded box with a word; the user's own values in the accent colour."""
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    role = QPalette.ColorRole
    box = box.adjusted(0.5, 0.5, -0.5, -0.5)
    painter.setPen(palette.color(role.Accent) if yours else palette.color(role.Mid))
    painter.setBrush(palette.brush(role.Accent) if yours else palette.brush(role.Midlight))
    painter.drawRoundedRect(box, box.height() / 2, box.height() / 2)
    painter.setPen(palette.color(role.HighlightedText) if yours else palette.color(role.PlaceholderText))
    inner = box.adjusted(box.height() / 2 - 2, 0, -box.height() / 2 + 2, 0)
    shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideRight, int(inner.width()) + 2)
    painter.drawText(inner, Qt.AlignmentFlag.AlignCenter, shown)
    painter.restore()
