"""Messages in place: what happened, why, what to do, and buttons that do it."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import QEvent, Qt, Signal
from PySide6.QtGui import QPalette, QPixmap
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QPushButton, QVBoxLayout

from kvdesk.core.errors import KvdeskError
from kvdesk.gui import icons
from kvdesk.gui.widgets.buttons import push
from kvdesk.gui.widgets.flow import Flow
from kvdesk.gui.widgets.text import em, label
from kvdesk.gui.wording import told

Offer = tuple[str, Callable[[], None]]


class Message(QFrame):
    """A title, a text and offers; the icon's shape and the words carry the meaning, the colour repeats it.

    `offered` comes when there are new buttons, which have to find their place in the tab order.
    """

    offered = Signal()

    def __init__(self, icon: str = "info") -> None:
        super().__init__()
        self._icon = icon
        self._picture = QLabel()
        self._picture.setAlignment(Qt.AlignmentFlag.AlignTop)
        self._title = label("", "title", wrap=True)
        self._text = label("", wrap=True)
        for part in (self._title, self._text):
            part.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self._offers = Flow(em(self, 0.5))
        self._buttons: list[QPushButton] = []
        words = QVBoxLayout()
        words.setSpacing(em(self, 0.25))
        words.addWidget(self._title)
        words.addWidget(self._text)
        words.addLayout(self._offers)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(em(self, 0.5), em(self, 0.4), em(self, 0.5), em(self, 0.4))
        layout.setSpacing(em(self, 0.6))
        layout.addWidget(self._picture)
        layout.addLayout(words, 1)
        self._draw()

    @property
    def buttons(self) -> tuple[QPushButton, ...]:
        """The buttons of what is offered, in order."""
        return tuple(self._buttons)

    def say(self, title: str, text: str = "", offers: Sequence[Offer] = (), *, icon: str = "") -> None:
        """Show this."""
        if icon and icon != self._icon:
            self._icon = icon
            self._draw()
        title, text = told(title), told(text)
        self._title.setText(title)
        self._title.setVisible(bool(title))
        self._text.setText(text)
        self._text.setVisible(bool(text))
        self.setAccessibleName(title)
        self.setAccessibleDescription(text)
        for button in self._buttons:
            self._offers.removeWidget(button)
            button.deleteLater()
        self._buttons = [push(name, action) for name, action in offers]
        for button in self._buttons:
            self._offers.addWidget(button)
        if self._buttons:
            self.offered.emit()

    def say_error(self, error: KvdeskError, offers: Sequence[Offer] = ()) -> None:
        """Show what happened, why, and what to do."""
        self.say(error.title, " ".join(part for part in (error.detail, error.remedy) if part), offers, icon="error")

    def changeEvent(self, event: QEvent) -> None:
        """The icon follows the palette."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.PaletteChange:
            self._draw()

    def _draw(self) -> None:
        role = QPalette.ColorRole.BrightText if self._icon == "error" else QPalette.ColorRole.Accent
        side = em(self, 1.1)
        ratio = self.devicePixelRatioF()
        pixmap = icons.icon(self._icon, self.palette().color(role).name()).pixmap(round(side * ratio))
        pixmap.setDevicePixelRatio(pixmap.width() / side if pixmap.width() else 1.0)
        self._picture.setPixmap(QPixmap(pixmap))
