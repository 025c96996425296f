"""Files that the system hands to a running program: how macOS opens a scenario by double-click."""

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtGui import QFileOpenEvent

if TYPE_CHECKING:
    from kvdesk.gui.main_window import MainWindow


class FileOpener(QObject):
    """An event filter of the application; the window opens the file in the next turn of the event loop."""

    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        self._window = window

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Take file-open events, leave all others."""
        if isinstance(event, QFileOpenEvent) and event.file():
            file = event.file()
            QTimer.singleShot(0, self._window, lambda: self._window.open_text(file))
            return True
        return super().eventFilter(watched, event)
