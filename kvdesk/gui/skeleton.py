"""The window's first frame: its outline, and a field that already takes what is typed."""

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QColor, QPainter, QPalette, QPen
from PySide6.QtWidgets import QHBoxLayout, QLabel, QLineEdit, QVBoxLayout, QWidget

LEFT = 0.3
"""Share of the width that the inputs take."""


class Skeleton(QWidget):
    """Needs nothing but Qt, so that it is there before the panels are made. `painted` comes after each painting."""

    painted = Signal()

    def __init__(self) -> None:
        super().__init__()
        em = self.fontMetrics().height()
        self.field = QLineEdit()
        self.field.setAccessibleName("Model")
        self.field.setPlaceholderText("Hugging Face id, URL or config.json, for example Qwen/Qwen3-8B")
        row = QHBoxLayout()
        title = QLabel("Model")
        title.setBuddy(self.field)
        row.addWidget(title)
        row.addWidget(self.field, 3)
        row.addStretch(2)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(round(em * 0.8), round(em * 0.5), round(em * 0.8), round(em * 0.5))
        layout.addLayout(row)
        layout.addStretch(1)

    def paintEvent(self, event: object) -> None:
        """Outlines of the cards."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        gap = self.fontMetrics().height() * 0.5
        top = self.field.geometry().bottom() + 2 * gap
        split = self.width() * LEFT
        high = self.height() - top - gap
        self._card(painter, QRectF(gap, top, split - 1.5 * gap, high))
        width = self.width() - split - gap
        for begin, share in ((0.0, 0.18), (0.2, 0.38), (0.6, 0.4)):
            self._card(painter, QRectF(split, top + begin * high, width, share * high))
        self.painted.emit()

    def _card(self, painter: QPainter, box: QRectF) -> None:
        palette = self.palette()
        painter.setPen(QPen(palette.color(QPalette.ColorRole.Mid)))
        painter.setBrush(QColor(palette.color(QPalette.ColorRole.Light)))
        painter.drawRoundedRect(box, 6, 6)


def take_focus(skeleton: Skeleton) -> None:
    """Typing goes into the field."""
    skeleton.field.setFocus(Qt.FocusReason.OtherFocusReason)
