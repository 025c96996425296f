"""A veil over results that do not belong to the present inputs, and the words that say so."""

from PySide6.QtCore import QEvent, QObject, QRectF, Qt
from PySide6.QtGui import QPainter, QPalette
from PySide6.QtWidgets import QAbstractItemView, QWidget

from kvdesk.gui.widgets.chip import paint_pill, pill_size
from kvdesk.gui.widgets.text import em

OPACITY = 0.5


class Veil(QWidget):
    """Greys `target` while there are words to say; they stand on it in a pill and are its accessible name.

    Without `pill` they stand elsewhere. What lies below can still be read, pointed at and copied.
    """

    def __init__(self, target: QWidget, *, pill: bool = True) -> None:
        super().__init__(target)
        self._pill = pill
        self._described: list[tuple[QAbstractItemView, str]] = []
        self.words = ""
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()
        target.installEventFilter(self)

    def say(self, words: str) -> None:
        """Grey the target with these words; with none, take the veil away."""
        if words == self.words:
            return
        self.words = words
        self.setAccessibleName(words)
        self._describe_tables(words)
        self.setVisible(bool(words))
        if words:
            self._cover()
            self.update()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay as large as the target, and above what is put into it."""
        if self.words and event.type() in (QEvent.Type.Resize, QEvent.Type.ChildAdded):
            self._cover()
        return super().eventFilter(watched, event)

    def paintEvent(self, event: object) -> None:
        """The surface's own colour, half transparent, and the pill at the top right."""
        painter = QPainter(self)
        surface = self.palette().color(QPalette.ColorRole.Light)
        surface.setAlphaF(OPACITY)
        painter.fillRect(self.rect(), surface)
        if not self._pill:
            return
        size = pill_size(self, self.words)
        width = min(size.width(), self.width() - em(self, 0.6))
        box = QRectF(self.width() - width - em(self, 0.3), em(self, 0.2), width, size.height())
        paint_pill(painter, box, self.words, self.palette(), yours=False)

    def _cover(self) -> None:
        target = self.parentWidget()
        if target:
            self.setGeometry(target.rect())
            self.raise_()

    def _describe_tables(self, words: str) -> None:
        """Tables say it too, since a screen reader goes from cell to cell."""
        for table, text in self._described:
            table.setAccessibleDescription(text)
        target = self.parentWidget()
        found = target.findChildren(QAbstractItemView) if words and target else []
        self._described = [(table, table.accessibleDescription()) for table in found if table.accessibleName()]
        for table, text in self._described:
            table.setAccessibleDescription(f"{words}. {text}".strip())
