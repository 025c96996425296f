"""What all dialogs share."""

import pytest
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QPushButton

from kvdesk.gui.main_window import MainWindow


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize(
    ("action", "first"),
    [
        ("model.sign_in", "Sign in"),
        ("model.value", "OK"),
        ("edit.settings", "Close"),
        ("file.export_pdf", None),
        ("help.shortcuts", "Close"),
        ("help.about", "Close"),
    ],
)
def test_buttons_are_words_alone(window: MainWindow, theme: str, action: str, first: str | None) -> None:
    """Qt's own pictures on them are black, which nobody sees on a dark ground."""
    window.settings.theme = theme
    window.follow_theme()
    window.actions_by_id[action].trigger()
    dialog = window.findChild(QDialog)
    assert dialog is not None
    buttons = [button for box in dialog.findChildren(QDialogButtonBox) for button in box.findChildren(QPushButton)]
    assert buttons
    assert all(button.icon().isNull() for button in buttons)
    assert first is None or first in [button.text().replace("&", "") for button in buttons]
    dialog.close()
