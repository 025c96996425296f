"""Cards: titled groups of the window."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPalette
from PySide6.QtWidgets import QFrame, QHBoxLayout, QSizePolicy, QToolButton, QVBoxLayout, QWidget

from kvdesk.gui.widgets.text import em, label

_EDGE = 4
"""Pixels of border and corner; the style sheet rounds by 6."""


class Card(QFrame):
    """A titled box. What is added to `head` stands at the right of the title, what is added to `body` below."""

    def __init__(self, title: str = "") -> None:
        super().__init__()
        self.setProperty("role", "card")
        self.setAccessibleName(title)
        gap = em(self, 0.55)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(gap + 2, gap, gap + 2, gap)
        outer.setSpacing(em(self, 0.35))
        self.head = QHBoxLayout()
        self.head.setSpacing(gap)
        if title:
            self.head.addWidget(label(title, "title"))
        self.head.addStretch(1)
        outer.addLayout(self.head)
        self.body = QVBoxLayout()
        self.body.setSpacing(em(self, 0.35))
        outer.addLayout(self.body, 1)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Frame and background; the background alone where a part inside changed, since the frame is slow to draw."""
        if self.rect().adjusted(_EDGE, _EDGE, -_EDGE, -_EDGE).contains(event.rect()):
            QPainter(self).fillRect(event.rect(), self.palette().brush(QPalette.ColorRole.ToolTipBase))
        else:
            super().paintEvent(event)


class Fold(QWidget):
    """A part that is folded away until asked for; its title says how much of it differs from the defaults."""

    def __init__(self, title: str) -> None:
        super().__init__()
        self._title = title
        self._button = QToolButton()
        self._button.setAutoRaise(True)
        self._button.setCheckable(True)
        self._button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._button.setArrowType(Qt.ArrowType.RightArrow)
        self._button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextBesideIcon)
        self._button.setSizePolicy(QSizePolicy.Policy.Maximum, QSizePolicy.Policy.Fixed)
        self._button.toggled.connect(self._toggle)
        self.inside = QWidget()
        self.inside.setVisible(False)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(em(self, 0.3))
        layout.addWidget(self._button)
        layout.addWidget(self.inside)
        self.show_changed(0)

    @property
    def button(self) -> QToolButton:
        """The button that folds and unfolds."""
        return self._button

    def show_changed(self, count: int) -> None:
        """Say how many values inside differ from their defaults."""
        text = f"{self._title} ({count} changed)" if count else self._title
        if self._button.text() != text:
            self._button.setText(text)
            self._button.setAccessibleName(text)

    def _toggle(self, on: bool) -> None:
        self._button.setArrowType(Qt.ArrowType.DownArrow if on else Qt.ArrowType.RightArrow)
        self.inside.setVisible(on)
