"""Handlers of the Model menu."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

from kvdesk.gui.dialogs.sign_in import SignInDialog
from kvdesk.gui.dialogs.value import ValueDialog

if TYPE_CHECKING:
    from kvdesk.gui.main_window import MainWindow


def handlers(window: "MainWindow") -> dict[str, Callable[[], None]]:
    """By action id."""
    return {
        "model.focus": window.parts.bar.focus,
        "model.again": window.parts.bar.again,
        "model.cancel": window.bridge.cancel_look_up,
        "model.open": lambda: choose(window),
        "model.value": lambda: ValueDialog(window, window.bridge).open(),
        "model.sign_in": lambda: SignInDialog(window, window.bridge).open(),
    }


def choose(window: "MainWindow") -> None:
    """Ask for a config.json and read it."""
    name, _ = QFileDialog.getOpenFileName(
        window, "Open config.json", window.documents.folder(), "Model config (*.json);;GGUF (*.gguf);;All files (*)"
    )
    if name:
        window.open_text(name)
