"""About: versions, paths, licences."""

import platform
import sys

import PySide6
from PySide6.QtWidgets import QDialogButtonBox, QWidget

from kvdesk.app.build import build
from kvdesk.gui.dialogs.licences import LicencesDialog
from kvdesk.gui.dialogs.plain import PlainDialog
from kvdesk.gui.widgets.buttons import push
from kvdesk.gui.widgets.copying import to_clipboard, tsv
from kvdesk.gui.widgets.table import Cell, Table
from kvdesk.gui.widgets.text import em, label
from kvdesk.resources import path

LICENCES = (
    "kvdesk is free software under the MIT licence. It uses Qt and PySide6 under the LGPL version 3, pyqtgraph and "
    "typst under their own free licences."
)


class AboutDialog(PlainDialog):
    """What a report of a defect needs."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, "About kvdesk")
        rows = facts()
        table = Table("Versions and paths", stretch=1)
        table.show_rows(("What", "Value"), [(Cell(text=a), Cell(text=b, tip=b)) for a, b in rows])
        self.body.addWidget(
            label("Says before hardware is bought whether a language model will serve.", "title", wrap=True)
        )
        self.body.addWidget(table)
        self.body.addWidget(label(LICENCES, "muted", wrap=True))
        self.buttons.addButton(push("Copy", lambda: to_clipboard(tsv(rows))), QDialogButtonBox.ButtonRole.ActionRole)
        licences = push("Licences", lambda: LicencesDialog(self).open())
        self.buttons.addButton(licences, QDialogButtonBox.ButtonRole.ActionRole)
        self.resize(em(self, 36), em(self, 26))


def facts() -> list[tuple[str, str]]:
    """Versions and places; nothing secret."""
    from PySide6.QtCore import QStandardPaths

    from kvdesk.gui.settings import Settings

    data = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppLocalDataLocation)
    built = build()
    known = (("Commit", built.commit), ("Newer versions", built.releases))
    return [
        ("kvdesk", built.version),
        *((what, value) for what, value in known if value),
        ("Python", platform.python_version()),
        ("Qt and PySide6", PySide6.__version__),
        ("System", platform.platform()),
        ("Program", sys.executable),
        ("Tables", str(path("accelerators.toml").parent)),
        ("Settings", Settings().path()),
        ("Autosave", data),
    ]
