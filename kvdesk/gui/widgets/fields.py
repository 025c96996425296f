"""Fields: text applies on Return or on leaving, spin steps at once, Esc gives the former value back.

None of them takes the mouse wheel before it was clicked into, so that scrolling past never changes a value.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QKeySequence, QWheelEvent
from PySide6.QtWidgets import QComboBox, QLineEdit, QSizePolicy, QSpinBox, QWidget

from kvdesk.core.errors import KvdeskError
from kvdesk.gui import numbers
from kvdesk.gui.widgets.text import comfortable

LARGEST = 2**31 - 1


class NumberField(QSpinBox):
    """A whole number with its unit."""

    committed = Signal(int)

    def __init__(self, name: str, unit: str = "", low: int = 0, high: int = LARGEST) -> None:
        super().__init__()
        self.setLocale(numbers.locale())
        self.setAccessibleName(name)
        self.setGroupSeparatorShown(True)
        self.setKeyboardTracking(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setRange(low, high)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        comfortable(self)
        self.setAccelerated(True)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        if unit:
            self.setSuffix(f" {unit}")
        self.setMinimumWidth(
            self.fontMetrics().horizontalAdvance(f"10,000,000 {unit}") + 3 * self.fontMetrics().height()
        )
        self.valueChanged.connect(self.committed)

    def show_value(self, value: int) -> None:
        """Show a value of the session; what is being typed stays."""
        if value != self.value():
            with QSignalBlocker(self):
                self.setValue(min(max(value, self.minimum()), self.maximum()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc: the former value."""
        if event.key() == Qt.Key.Key_Escape:
            with QSignalBlocker(self):
                self.setValue(self.value())
            self.selectAll()
            return
        typed = self.lineEdit().text() != self.textFromValue(self.value()) + self.suffix()
        event.ignore() if undoes(event) and not typed else super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Only while the field has the focus."""
        super().wheelEvent(event) if self.hasFocus() else event.ignore()


class TokenField(NumberField):
    """Tokens; a step is an eighth of the octave, so that every power of two is among the stops."""

    def stepBy(self, steps: int) -> None:
        """Up or down by `steps` eighths of an octave, on the grid."""
        value = self.value()
        for _ in range(abs(steps)):
            value = min(_next_stop(value), self.maximum()) if steps > 0 else _former_stop(value)
        self.setValue(value)
        self.selectAll()


class TextField(QLineEdit):
    """A text that `parse` turns into a value; empty means the default. Bad text stays, with the reason in `refused`."""

    committed = Signal(object)
    refused = Signal(str)

    def __init__(self, name: str, parse: Callable[[str], object], placeholder: str = "") -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setPlaceholderText(placeholder)
        comfortable(self)
        self._parse = parse
        self._shown = ""
        self.editingFinished.connect(self._commit)

    def show_value(self, text: str) -> None:
        """Show the session's value; text that is being typed, or was refused, stays."""
        if text != self._shown or not (self.hasFocus() or self.property("refused")):
            self._shown = text
            if self.text() != text:
                self.setText(text)
            self._accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc: the former text."""
        if event.key() == Qt.Key.Key_Escape:
            self.setText(self._shown)
            self._accept()
            self.selectAll()
            return
        typed = self.text() != self._shown
        event.ignore() if undoes(event) and not typed else super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """All is selected when the field is entered by key, so that typing replaces it."""
        super().focusInEvent(event)
        if event.reason() in (Qt.FocusReason.TabFocusReason, Qt.FocusReason.BacktabFocusReason):
            self.selectAll()

    def _commit(self) -> None:
        text = self.text().strip()
        if text == self._shown:
            self._accept()
            return
        try:
            value = self._parse(text) if text else None
        except (KvdeskError, ValueError) as error:
            self.setProperty("refused", True)
            self.refused.emit(str(error))
            return
        self._shown = text
        self._accept()
        self.committed.emit(value)

    def _accept(self) -> None:
        self.setProperty("refused", False)
        self.refused.emit("")


class Choice(QComboBox):
    """One of a few values, each with a text."""

    chosen = Signal(object)

    def __init__(self, name: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMinimumContentsLength(8)
        comfortable(self)
        self.activated.connect(lambda index: self.chosen.emit(self.itemData(index)))
        self._items: tuple[tuple[str, object], ...] = ()

    def show_items(self, items: Sequence[tuple[str, object]], value: object) -> None:
        """Offer `items` and show `value`; a value that is not among them is added, so that nothing is hidden."""
        known = tuple(items)
        if value not in [data for _, data in known]:
            known = (*known, (str(value), value))
        if known != self._items:
            self._items = known
            self.clear()
            for text, data in known:
                self.addItem(text, data)
        index = next(i for i, (_, data) in enumerate(known) if data == value)
        if index != self.currentIndex():
            self.setCurrentIndex(index)
        self.setToolTip(self.currentText())

    def showPopup(self) -> None:
        """The list is as wide as its texts, also where the field is not."""
        view = self.view()
        view.setMinimumWidth(view.sizeHintForColumn(0) + 2 * self.fontMetrics().height())
        super().showPopup()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Only while the field has the focus."""
        super().wheelEvent(event) if self.hasFocus() else event.ignore()


def undoes(event: QKeyEvent) -> bool:
    """Whether a key asks for undo or redo. A field takes it only while there is something typed to take back."""
    return event.matches(QKeySequence.StandardKey.Undo) or event.matches(QKeySequence.StandardKey.Redo)


def in_order(widgets: Sequence[QWidget]) -> None:
    """Make Tab go through `widgets` in this order."""
    for first, second in pairwise(widgets):
        QWidget.setTabOrder(first, second)


def _next_stop(value: int) -> int:
    step = _step(value)
    return (value // step + 1) * step


def _former_stop(value: int) -> int:
    step = _step(max(1, value - 1))
    return max(0, (value - 1) // step * step)


def _step(value: int) -> int:
    return max(16, 1 << max(0, value.bit_length() - 4))
