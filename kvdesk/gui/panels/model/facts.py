"""The table of values read from config.json: each with its source, each can be typed over and reset."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPalette, QResizeEvent
from PySide6.QtWidgets import QAbstractItemView, QHeaderView, QStyleOptionViewItem, QTableView, QVBoxLayout, QWidget

from kvdesk.app import actions
from kvdesk.core.json_value import JsonValue
from kvdesk.gui.bridge import Bridge
from kvdesk.gui.panels.model.facts_model import FactsModel
from kvdesk.gui.view import View
from kvdesk.gui.widgets.buttons import link, tool
from kvdesk.gui.widgets.chip import ChipDelegate, RowDelegate
from kvdesk.gui.widgets.text import em, tabular

SHOWN = 5
"""Rows before "Show all"."""


class Facts(QWidget):
    """Shows the deciding values, and the others on demand. It never scrolls by itself."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self._bridge = bridge
        self._all = False
        self._buttons: dict[int, str] = {}
        self._shown: object = None
        self.model = FactsModel()
        self.model.typed.connect(self._override)
        self.model.modelReset.connect(self._buttons.clear)
        self.table = _Table()
        self.table.setModel(self.model)
        self.table.setItemDelegateForColumn(2, ChipDelegate(self.table))
        self.table.setItemDelegateForColumn(0, _NameDelegate(self.model, self.table))
        self.table.reset_asked.connect(self._reset_row)
        self.more = link("", self._toggle)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(self.table)
        layout.addWidget(self.more, 0, Qt.AlignmentFlag.AlignLeft)

    def show_view(self, view: View) -> None:
        """Show the facts of the present model."""
        shown = (view.derived.facts, view.derived.original)
        if shown == self._shown:
            return
        self._shown = shown
        self.setVisible(bool(view.derived.facts))
        self.model.show_facts(*shown)
        self._arrange()

    def _arrange(self) -> None:
        count = self.model.rowCount()
        yours = [row for row in range(count) if self.model.is_yours(row)]
        for row in range(count):
            hidden = not self._all and row >= SHOWN and row not in yours
            self.table.setRowHidden(row, hidden)
            self.table.setRowHeight(row, em(self, 2.5 if row in yours and self.model.was(row) else 1.5))
            self._reset_button(row, wanted=row in yours)
        rest = count - SHOWN
        self.more.setText("Show fewer values" if self._all else f"Show all {count} values")
        self.more.setVisible(rest > 0)
        self.table.fit()

    def _reset_button(self, row: int, *, wanted: bool) -> None:
        key = self.model.keys[row] if wanted else ""
        if self._buttons.get(row, "") == key:
            return
        self._buttons[row] = key
        holder = QWidget() if wanted else None
        if holder:
            layout = QVBoxLayout(holder)
            layout.setContentsMargins(0, 0, 0, 0)
            name = f"Reset {self.model.index(row, 0).data()}"
            layout.addWidget(tool("reset", name, lambda: self._reset(key)), 0, Qt.AlignmentFlag.AlignRight)
        # None takes the widget away; the stubs do not say so.
        self.table.setIndexWidget(self.model.index(row, 2), holder)  # type: ignore[arg-type]

    def _toggle(self) -> None:
        self._all = not self._all
        self._arrange()

    def _override(self, key: str, value: JsonValue) -> None:
        self._bridge.edit(f"Set {key}", lambda session: actions.override(session, key, value))

    def _reset_row(self, row: int) -> None:
        if self.model.is_yours(row):
            self._reset(self.model.keys[row])

    def _reset(self, key: str) -> None:
        self._bridge.edit(f"Reset {key}", lambda session: actions.reset_override(session, key))


class _NameDelegate(RowDelegate):
    """The name of a value and, below it in a quiet colour, what it was before it was typed over."""

    def __init__(self, model: FactsModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Both lines."""
        was = self._model.was(index.row())
        if not was:
            RowDelegate.paint(self, painter, option, index)
            return
        box = option.rect.adjusted(3, 0, 0, 0)
        half = box.height() // 2
        painter.save()
        painter.setPen(option.palette.color(QPalette.ColorRole.Text))
        painter.drawText(box.adjusted(0, 0, 0, -half), Qt.AlignmentFlag.AlignVCenter, str(index.data()))
        painter.setPen(option.palette.color(QPalette.ColorRole.PlaceholderText))
        painter.setClipping(False)
        painter.drawText(box.adjusted(0, half, 2 * box.width(), 0), Qt.AlignmentFlag.AlignVCenter, was)
        painter.restore()


class _Table(QTableView):
    """A table as high as its rows."""

    reset_asked = Signal(int)

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Values of the model")
        self.setFont(tabular(self.font()))
        self.setShowGrid(False)
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.viewport().setAutoFillBackground(False)
        self.verticalHeader().hide()
        self.horizontalHeader().hide()
        self.setTabKeyNavigation(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self.setSelectionMode(QAbstractItemView.SelectionMode.SingleSelection)
        self.setEditTriggers(
            QAbstractItemView.EditTrigger.DoubleClicked
            | QAbstractItemView.EditTrigger.EditKeyPressed
            | QAbstractItemView.EditTrigger.AnyKeyPressed
        )
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        header = self.horizontalHeader()
        header.setMinimumSectionSize(10)

    def setModel(self, model: "FactsModel") -> None:  # type: ignore[override]  # only ever this one
        """The columns: names take what is left."""
        super().setModel(model)
        header = self.horizontalHeader()
        header.setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        header.setSectionResizeMode(1, QHeaderView.ResizeMode.ResizeToContents)
        header.setSectionResizeMode(2, QHeaderView.ResizeMode.Fixed)
        header.resizeSection(2, em(self, 7.2))

    def fit(self) -> None:
        """Take exactly the height of the rows that are shown."""
        height = sum(self.rowHeight(row) for row in range(self.model().rowCount()) if not self.isRowHidden(row))
        self.setFixedHeight(height + 2)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Return edits the row's value, Del and Ctrl+Backspace reset it."""
        key, current = event.key(), self.currentIndex()
        control = event.modifiers() & Qt.KeyboardModifier.ControlModifier
        if not current.isValid() or self.state() == QAbstractItemView.State.EditingState:
            super().keyPressEvent(event)  # the editor's own keys come here too, after it
        elif key == Qt.Key.Key_Delete or (key == Qt.Key.Key_Backspace and control):
            self.reset_asked.emit(current.row())
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_F2):
            value = current.siblingAtColumn(1)
            self.setCurrentIndex(value)
            self.edit(value)
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Never a scroll position of its own."""
        super().resizeEvent(event)
        self.verticalScrollBar().setValue(0)
