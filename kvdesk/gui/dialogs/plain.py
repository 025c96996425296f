"""What all dialogs share: a title, contents, buttons, and an end by Esc. They never block: `open`, not `exec`."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialog, QDialogButtonBox, QVBoxLayout, QWidget

from kvdesk.gui.widgets.text import em

Buttons = QDialogButtonBox.StandardButton


class PlainDialog(QDialog):
    """A dialog of the window; deleted when it closes."""

    def __init__(self, parent: QWidget, title: str, buttons: Buttons = Buttons.Close) -> None:
        super().__init__(parent)
        self.setWindowTitle(title)
        self.setProperty("role", "dialog")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.body = QVBoxLayout()
        self.body.setSpacing(em(self, 0.5))
        self.buttons = QDialogButtonBox(buttons)
        self.buttons.accepted.connect(self.accept)
        self.buttons.rejected.connect(self.reject)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(em(self, 1), em(self, 1), em(self, 1), em(self, 0.8))
        layout.setSpacing(em(self, 0.8))
        layout.addLayout(self.body)
        layout.addWidget(self.buttons)
