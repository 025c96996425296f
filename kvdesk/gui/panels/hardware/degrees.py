"""The layout of an option: a button that says it, and a small form of its four degrees."""

from PySide6.QtCore import QEvent, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFormLayout, QFrame, QToolButton, QWidget

from kvdesk.app.session import GpuChoice
from kvdesk.core.errors import KvdeskError
from kvdesk.core.layout import Layout, for_gpus
from kvdesk.core.values import replace
from kvdesk.gui.widgets.fields import NumberField
from kvdesk.gui.widgets.text import em, label, set_text

_WIDTH = 6.2
"""Of the button, in em."""
DEGREES = (("tp", "Tensor"), ("pp", "Pipeline"), ("dp", "Data"), ("dcp", "Decode context"))


def laid_out(choice: GpuChoice) -> Layout:
    """The layout of an option. Raises `UsageError` where there is none."""
    return for_gpus(choice.count, tp=choice.tp, pp=choice.pp, dp=choice.dp, dcp=choice.dcp)


class LayoutButton(QToolButton):
    """Shows the layout and opens its degrees; 0 leaves a degree to what the others leave.

    `refusal` says why there is no such layout, "" where there is one.
    """

    changed = Signal(object)
    _layout: Layout | None = None

    def __init__(self, number: int) -> None:
        super().__init__()
        self.setAccessibleName(f"Layout of option {number}")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setProperty("role", "field")
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.setMinimumHeight(em(self, 1.75))
        self.setFixedWidth(em(self, _WIDTH))
        self.refusal = ""
        self.form: DegreesForm | None = None
        self._choice = GpuChoice(gpu="")
        self.clicked.connect(lambda _checked=False: self.open())

    def show_choice(self, choice: GpuChoice) -> None:
        """Show the layout of an option."""
        self._choice = choice
        try:
            self._layout, self.refusal = laid_out(choice), ""
        except KvdeskError as error:
            self._layout, self.refusal = None, str(error)
        self._say(str(self._layout or "none"))
        self._fill()

    def open(self) -> None:
        """Open the form below the button, or where the screen has room for it; its first field takes the focus."""
        if self.form is None:
            self.form = DegreesForm(self)
            self.form.chosen.connect(self._set)
        self._fill()
        self.form.adjustSize()
        place = self.mapToGlobal(QPoint(0, self.height()))
        space = self.screen().availableGeometry()
        x = min(place.x(), space.right() - self.form.width())
        above = place.y() - self.height() - self.form.height()
        self.form.move(max(space.left(), x), place.y() if place.y() + self.form.height() <= space.bottom() else above)
        self.form.show()
        self.form.fields["tp"].setFocus(Qt.FocusReason.TabFocusReason)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return and Down open the form as Space does."""
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Down):
            self.open()
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """Another font wants another width."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.FontChange:
            self.setFixedWidth(em(self, _WIDTH))
            self._say(str(self._layout or "none"))

    def _say(self, layout: str) -> None:
        """The layout as far as there is room; the width stays, so that the fields of all options stand in columns."""
        room = self.width() - self.fontMetrics().horizontalAdvance(" ▾") - em(self, 0.9)
        self.setText(f"{self.fontMetrics().elidedText(layout, Qt.TextElideMode.ElideRight, room)} ▾")
        self.setToolTip(f"{layout}\nTensor, pipeline, data and decode context parallelism")
        self.setAccessibleDescription(layout)

    def _fill(self) -> None:
        if self.form:
            self.form.show_choice(self._choice, self._layout, self.refusal)

    def _set(self, key: str, value: int) -> None:
        degrees = {name: getattr(self._choice, name) for name, _ in DEGREES}
        degrees[key] = value or None
        self.changed.emit(replace(self._choice, **degrees))


class DegreesForm(QFrame):
    """A window of its own that goes away on Esc, on Return and on a click elsewhere."""

    chosen = Signal(str, int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setProperty("role", "card")
        self.setAccessibleName("Layout")
        self.fields: dict[str, NumberField] = {}
        form = QFormLayout(self)
        for key, name in DEGREES:
            field = _Degree(f"{name} parallel", low=0, high=1024)
            field.setMinimumWidth(em(self, 6))
            field.committed.connect(lambda value, key=key: self.chosen.emit(key, value))
            form.addRow(f"{name} parallel", field)
            self.fields[key] = field
        self.note = label("", "error", wrap=True)
        form.addRow(self.note)

    def show_choice(self, choice: GpuChoice, layout: Layout | None, refusal: str) -> None:
        """Show the degrees of an option, and what those came to that are left open."""
        for key, field in self.fields.items():
            field.setSpecialValueText(f"auto: {getattr(layout, key)}" if layout else "auto")
            field.show_value(getattr(choice, key) or 0)
        set_text(self.note, refusal)
        self.note.setVisible(bool(refusal))
        if self.isVisible():
            self.adjustSize()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """What a field has no use for closes the form."""
        if event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Enter):
            self.hide()
        else:
            super().keyPressEvent(event)


class _Degree(NumberField):
    """Esc takes back what is being typed; without that it is left to the form, as Return is once it applied."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc and Return go on to the form."""
        before = self.text()
        super().keyPressEvent(event)
        enter = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        if enter or (event.key() == Qt.Key.Key_Escape and self.text() == before):
            event.ignore()
