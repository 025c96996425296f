"""Forms: every row has a label, a field, a source chip, a reset button and a line for help or a refusal."""

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QGridLayout, QLabel, QToolButton, QWidget

from kvdesk.core.sourced import Source
from kvdesk.gui.widgets.buttons import tool
from kvdesk.gui.widgets.chip import Chip, word
from kvdesk.gui.widgets.fields import TextField
from kvdesk.gui.widgets.text import em, label, set_text


class Row:
    """One row of a form."""

    def __init__(self, name: str, field: QWidget, on_reset: Callable[[], None] | None, *, reserve: bool) -> None:
        self.name = name
        self.field = field
        self.label = label(name)
        self.label.setBuddy(field)
        self.chip = Chip()
        self.chip.hide()
        self.note = label("", "muted", wrap=True)
        self.note.hide()
        self.reset: QToolButton | None = None
        if on_reset:
            self.reset = tool("reset", f"Reset {name.lower()}", on_reset)
            if reserve:
                policy = self.reset.sizePolicy()
                policy.setRetainSizeWhenHidden(True)
                self.reset.setSizePolicy(policy)
            self.reset.hide()
            keys = QShortcut(QKeySequence("Ctrl+Backspace"), field)
            keys.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            keys.activated.connect(on_reset)
        if isinstance(field, TextField):
            field.refused.connect(self.refuse)
        self._help = ""
        self._refused = ""

    def show_source(self, source: Source | None, *, yours: bool = False, was: str = "") -> None:
        """The chip, the reset button where the value is the user's, and what it was before."""
        self.chip.show_source(source)
        if self.reset:
            self.reset.setVisible(yours)
        self.field.setAccessibleDescription(f"from {word(source)}; {source}" if source else "")
        self.show_help(f"was {was}" if yours and was else "")

    def show_help(self, text: str) -> None:
        """A quiet line below the field; a refusal goes before it."""
        self._help = text
        self._show_note()

    def set_visible(self, visible: bool) -> None:
        """Show or hide the whole row."""
        self.label.setVisible(visible)
        self.field.setVisible(visible)
        self.chip.setVisible(visible and bool(self.chip.text()))
        if not visible:
            self.note.hide()

    def refuse(self, text: str) -> None:
        """Why the field's value cannot be used, "" where it can."""
        if text != self._refused:
            self._refused = text
            self._show_note()

    def _show_note(self) -> None:
        text = self._refused or self._help
        role = "error" if self._refused else "muted"
        if self.note.property("role") != role:
            self.note.setProperty("role", role)
            self.note.style().unpolish(self.note)
            self.note.style().polish(self.note)
        set_text(self.note, text)
        self.note.setVisible(bool(text))


class Form(QWidget):
    """Rows in aligned columns; with `reserve`, fields do not move when a reset button appears."""

    def __init__(self, *, reserve: bool = True) -> None:
        super().__init__()
        self._reserve = reserve
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, 0, 0, 0)
        self._grid.setHorizontalSpacing(em(self, 0.5))
        self._grid.setVerticalSpacing(em(self, 0.25))
        self._grid.setColumnStretch(1, 1)
        self.rows: list[Row] = []

    def add(self, name: str, field: QWidget, on_reset: Callable[[], None] | None = None) -> Row:
        """One more row."""
        row = Row(name, field, on_reset, reserve=self._reserve)
        at = 2 * len(self.rows)
        self._grid.addWidget(row.label, at, 0)
        self._grid.addWidget(field, at, 1)
        self._grid.addWidget(row.chip, at, 2)
        if row.reset:
            self._grid.addWidget(row.reset, at, 3)
        self._grid.addWidget(row.note, at + 1, 1, 1, 3)
        self.rows.append(row)
        return row

    def label_width(self) -> int:
        """The width its labels want, so that forms one below another can align."""
        return max((row.label.sizeHint().width() for row in self.rows), default=0)

    def align(self, width: int) -> None:
        """Make the column of labels `width` wide."""
        self._grid.setColumnMinimumWidth(0, width)


def align(*forms: Form) -> None:
    """Give several forms the same column of labels."""
    width = max(form.label_width() for form in forms)
    for form in forms:
        form.align(width)


def labels_of(form: Form) -> list[QLabel]:
    """The labels of a form's rows."""
    return [row.label for row in form.rows]
