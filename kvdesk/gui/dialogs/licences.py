"""The licences of everything that an installed kvdesk brings along."""

from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QAbstractItemView, QPlainTextEdit, QSplitter, QWidget

from kvdesk import resources
from kvdesk.app import build
from kvdesk.gui.dialogs.plain import PlainDialog
from kvdesk.gui.widgets.table import Cell, Table
from kvdesk.gui.widgets.text import em


class LicencesDialog(PlainDialog):
    """A row for each part; its text below."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "Licences")
        self._parts = build.parts()
        self.table = Table("Parts of kvdesk and their licences", stretch=2)
        self.table.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.table.show_rows(
            ("Part", "Version", "Licence"),
            [(Cell(text=p.name), Cell(text=p.version), Cell(text=p.licence, tip=p.licence)) for p in self._parts],
        )
        self.text = QPlainTextEdit(own_licence())
        self.text.setReadOnly(True)
        self.text.setAccessibleName("Text of the licence")
        split = QSplitter()
        split.setOrientation(split.orientation().Vertical)
        split.addWidget(self.table)
        split.addWidget(self.text)
        self.body.addWidget(split)
        self.table.setVisible(bool(self._parts))
        self.table.selectionModel().currentRowChanged.connect(self._show)
        self.resize(em(self, 44), em(self, 40))

    def _show(self, current: QModelIndex) -> None:
        self.text.setPlainText(build.licence_text(self._parts[current.row()]))


def own_licence() -> str:
    """The licence of kvdesk: among the resources of an installed program, beside the package in a source tree."""
    try:
        return resources.read_text("LICENSE")
    except FileNotFoundError:
        source = resources.path("icons").parent.parent / "LICENSE"
        return source.read_text(encoding="utf-8") if source.is_file() else "MIT licence"
