"""Settings: unit, theme, and what the report's cover says."""

from typing import TYPE_CHECKING

from PySide6.QtWidgets import QLineEdit

from kvdesk.gui import numbers, theme
from kvdesk.gui.dialogs.plain import Buttons, PlainDialog
from kvdesk.gui.widgets.fields import Choice
from kvdesk.gui.widgets.form import Form
from kvdesk.gui.widgets.text import comfortable, em

if TYPE_CHECKING:
    from kvdesk.gui.main_window import MainWindow

_REPORT = (("report/author", "Author"), ("report/organisation", "Organisation"))


class SettingsDialog(PlainDialog):
    """Unit and theme apply at once; the texts of the report on closing."""

    def __init__(self, window: "MainWindow") -> None:
        super().__init__(window, "Settings", Buttons.Close)
        self._window = window
        form = Form(reserve=False)
        self.unit, self.theme = Choice("Unit of sizes"), Choice("Theme")
        self.unit.show_items([("GiB, 2^30 bytes", "GiB"), ("GB, 10^9 bytes", "GB")], window.settings.unit)
        self.theme.show_items([(name.capitalize(), name) for name in theme.CHOICES], window.settings.theme)
        self.unit.chosen.connect(self._set_unit)
        self.theme.chosen.connect(self._set_theme)
        form.add("Unit of sizes", self.unit)
        form.add("Theme", self.theme)
        self.texts: dict[str, QLineEdit] = {}
        for key, name in _REPORT:
            field = QLineEdit(window.settings.text(key))
            field.setMaxLength(120)
            comfortable(field)
            field.setAccessibleName(f"{name} on the report")
            form.add(f"{name} on the report", field)
            self.texts[key] = field
        self.body.addWidget(form)
        self.resize(em(self, 30), self.sizeHint().height())
        self.finished.connect(self._keep)

    def _set_unit(self, value: object) -> None:
        if value in numbers.UNITS:
            self._window.settings.unit = str(value)
            self._window.follow_theme()

    def _set_theme(self, value: object) -> None:
        if value in theme.CHOICES:
            self._window.settings.theme = str(value)
            self._window.follow_theme()

    def _keep(self) -> None:
        for key, field in self.texts.items():
            self._window.settings.keep_text(key, field.text().strip())
