"""Labels whose text changes at every step of a field, such as a verdict."""

from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette, QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy

_ANY_HEIGHT = 1 << 20


class SteadyLabel(QLabel):
    """Plain text that is laid out anew only where it takes other room than before.

    `QLabel` asks every layout up to the window to start over at each change, which costs more than the whole sizing.
    """

    def __init__(self, *, wrap: bool = False) -> None:
        super().__init__()
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setWordWrap(wrap)
        self._wrap = wrap
        self._line = int(self.alignment())
        self._lines = self._line | int(Qt.TextFlag.TextWordWrap)
        self._said = ""
        self._taken = (-1, 0, 0)

    def text(self) -> str:
        """What is shown."""
        return self._said

    def setText(self, text: str) -> None:
        """Show a text."""
        if text == self._said:
            return
        former, room = self._said, self._room()
        self._said, self._taken = text, (-1, 0, 0)
        self.setAccessibleName(text)
        if former and text and self._room() == room:
            self.update()
        else:
            super().setText(text)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """At another width, layouts need the text itself."""
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._lay_out()

    def changeEvent(self, event: QEvent) -> None:
        """In another font every text takes other room."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.StyleChange):
            self._lay_out()

    def paintEvent(self, event: QPaintEvent) -> None:
        """The text."""
        painter = QPainter(self)
        painter.setPen(self.palette().color(QPalette.ColorRole.WindowText))
        width, _ = self._room()
        box = self.contentsRect()
        painter.drawText(box, self._line if width <= box.width() else self._lines, self._said)

    def _lay_out(self) -> None:
        self._taken = (-1, 0, 0)
        if super().text() != self._said:
            super().setText(self._said)

    def _room(self) -> tuple[int, int]:
        """Width and height that the text takes, in pixels: of one line, or of lines wrapped at the present width."""
        space = self.contentsRect().width()
        if self._taken[0] != space:
            metrics = self.fontMetrics()
            width, height = metrics.horizontalAdvance(self._said), metrics.height()
            if self._wrap and width > space:
                box = metrics.boundingRect(QRect(0, 0, space, _ANY_HEIGHT), self._lines, self._said)
                width, height = space + 1, box.height()
            elif self._wrap:
                width = space
            self._taken = (space, width, height)
        return self._taken[1:]


def steady(role: str = "", *, wrap: bool = False) -> SteadyLabel:
    """A label as `widgets.text.label` makes them."""
    result = SteadyLabel(wrap=wrap)
    if wrap:
        result.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
    if role:
        result.setProperty("role", role)
    return result
