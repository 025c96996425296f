"""Buttons."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QPushButton, QToolButton

from kvdesk.gui import icons


class _Push(QPushButton):
    """Return presses it like Space, which Qt leaves to dialogs."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return and Enter click."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.click()
        else:
            super().keyPressEvent(event)


def push(text: str, on_click: Callable[[], None], *, tip: str = "", name: str = "") -> QPushButton:
    """A button with a text; `name` is what a screen reader says where the text alone is not clear."""
    button = _Push(text)
    button.setAutoDefault(False)
    button.setToolTip(tip)
    if name:
        button.setAccessibleName(name)
    button.clicked.connect(lambda _checked=False: on_click())
    return button


def tool(icon: str, name: str, on_click: Callable[[], None]) -> QToolButton:
    """A button with an icon; `name` is its tooltip and what a screen reader says."""
    button = QToolButton()
    button.setAutoRaise(True)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    button.setToolTip(name)
    button.setAccessibleName(name)
    button.clicked.connect(lambda _checked=False: on_click())
    icons.put(button, icon)
    return button


def link(text: str, on_click: Callable[[], None]) -> QToolButton:
    """A quiet button that is only text."""
    button = QToolButton()
    button.setText(text)
    button.setAutoRaise(True)
    button.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
    button.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
    button.clicked.connect(lambda _checked=False: on_click())
    return button
