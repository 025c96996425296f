"""Unexpected errors: a window with a report to copy; the session stays and the work goes on."""

import sys
import traceback
from types import TracebackType
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QPlainTextEdit

from kvdesk.gui.dialogs.about import facts
from kvdesk.gui.dialogs.plain import PlainDialog
from kvdesk.gui.widgets.buttons import push
from kvdesk.gui.widgets.copying import to_clipboard
from kvdesk.gui.widgets.text import em, label

if TYPE_CHECKING:
    from kvdesk.gui.main_window import MainWindow


class Defects(QObject):
    """Takes every exception that nothing else caught, on any thread; shows one window at a time."""

    raised = Signal(str)

    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window)
        self._window = window
        self.dialog: DefectDialog | None = None
        self.raised.connect(self._show, Qt.ConnectionType.QueuedConnection)

    def install(self) -> None:
        """Become the process's hook for exceptions."""
        sys.excepthook = self.take

    def take(self, kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
        """One exception: to standard error as ever, and to the window."""
        sys.__excepthook__(kind, error, where)
        if not issubclass(kind, KeyboardInterrupt):
            self.raised.emit(report(kind, where))

    def _show(self, text: str) -> None:
        self._window.documents.keep()
        if self.dialog is None:
            self.dialog = DefectDialog(self._window, text)
            self.dialog.destroyed.connect(self._closed)
            self.dialog.open()

    def _closed(self) -> None:
        self.dialog = None


class DefectDialog(PlainDialog):
    """What happened, for a report."""

    def __init__(self, parent: "MainWindow", text: str) -> None:
        super().__init__(parent, "Unexpected error")
        self.text = QPlainTextEdit(text)
        self.text.setReadOnly(True)
        self.text.setTabChangesFocus(True)
        self.text.setAccessibleName("Report")
        self.body.addWidget(label("kvdesk met an error that it did not expect.", "title"))
        self.body.addWidget(
            label("Your work is as it was and was saved beside. Please report this, and then go on.", wrap=True)
        )
        self.body.addWidget(self.text)
        self.body.addWidget(push("Copy report", lambda: to_clipboard(self.text.toPlainText())))
        self.resize(em(self, 40), em(self, 26))


def report(kind: type[BaseException], where: TracebackType | None) -> str:
    """Versions and the places in the code; no values of variables, no message, which could hold something private."""
    head = [f"{name}: {value}" for name, value in facts()[:4]]
    frames = [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(where)]
    return "\n".join([*head, "", f"{kind.__name__}", *frames])
