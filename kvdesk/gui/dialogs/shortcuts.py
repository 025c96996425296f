"""The sheet of keyboard shortcuts, from the table of actions."""

from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QWidget

from kvdesk.gui.commands.table import TABLE
from kvdesk.gui.dialogs.plain import PlainDialog
from kvdesk.gui.widgets.table import Cell, Table
from kvdesk.gui.widgets.text import em

IN_FIELDS = (
    ("Field", "Leave without change", "Esc"),
    ("Field", "Reset to the value that was read", "Ctrl+Backspace"),
    ("Values of the model", "Type over", "Return"),
    ("Values of the model", "Reset", "Del"),
    ("Plot", "Move the crosshair", "Left, Right"),
    ("Plot", "Take the crosshair away", "Esc"),
    ("Budget", "Open a line to its formula", "Right"),
    ("Table", "Copy as TSV", "Ctrl+C"),
)


class ShortcutsDialog(PlainDialog):
    """Every action with its key."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "Keyboard shortcuts")
        table = Table("Keyboard shortcuts", stretch=1)
        rows = [
            (spec.menu, spec.title, QKeySequence(spec.key).toString(QKeySequence.SequenceFormat.NativeText))
            for spec in TABLE
        ]
        table.show_rows(
            ("Where", "What", "Key"), [tuple(Cell(text=text) for text in row) for row in (*rows, *IN_FIELDS)]
        )
        self.body.addWidget(table)
        self.resize(em(self, 36), em(self, 38))
        table.setFocus()
