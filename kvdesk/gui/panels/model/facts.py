"""The table of values read from config.json: each with its source, each can be typed over and reset."""

from PySide6.QtCore import QModelIndex, QPersistentModelIndex, QRect, Qt, Signal
from PySide6.QtGui import QKeyEvent, QPainter, QPalette, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QHeaderView,
    QStyle,
    QStyleOptionViewItem,
    QTableView,
    QVBoxLayout,
    QWidget,
)

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
        self.table.setItemDelegateForColumn(0, NameDelegate(self.model, self.table))
        self.table.widened.connect(self._arrange)
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
            if not hidden:
                self.table.setRowHeight(row, self._height(row))
            self._reset_button(row, wanted=row in yours)
        rest = count - SHOWN
        self.more.setText("Show fewer values" if self._all else f"Show all {count} values")
        self.more.setVisible(rest > 0)
        self.table.fit()

    def _height(self, row: int) -> int:
        """As high as its name, and what its value was before, need at the present width."""
        text = named(self.model, row)
        box = QRect(0, 0, self.table.columnWidth(0) - NameDelegate.MARGIN, 1 << 16)
        lines = self.table.fontMetrics().boundingRect(box, Qt.TextFlag.TextWordWrap, text).height()
        return max(em(self, 1.5), lines + em(self, 0.25))

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


class NameDelegate(RowDelegate):
    """The name of a value and, below it in a quiet colour, what it was before it was typed over; neither is cut."""

    MARGIN = 8
    """Pixels left and right of the text together."""

    def __init__(self, model: FactsModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """The cell's background as ever, and the text in it."""
        name, *was = named(self._model, index.row()).split("\n")
        box = option.rect.adjusted(self.MARGIN // 2, 2, -self.MARGIN // 2, -2)
        palette, roles = option.palette, QPalette.ColorRole
        self.initStyleOption(option, index)
        option.text = ""
        style = option.widget.style()
        style.drawControl(style.ControlElement.CE_ItemViewItem, option, painter, option.widget)
        selected = bool(option.state & QStyle.StateFlag.State_Selected)
        flags = Qt.TextFlag.TextWordWrap | (Qt.AlignmentFlag.AlignTop if was else Qt.AlignmentFlag.AlignVCenter)
        painter.save()
        painter.setPen(palette.color(roles.HighlightedText if selected else roles.Text))
        used = painter.boundingRect(box, flags, name)
        painter.drawText(box, flags, name)
        if was:
            painter.setPen(palette.color(roles.HighlightedText if selected else roles.PlaceholderText))
            painter.drawText(box.adjusted(0, used.height(), 0, 0), flags, was[0])
        painter.restore()


def named(model: FactsModel, row: int) -> str:
    """What stands in the first column; a key may go on in the next line after an underscore."""
    lines = (str(model.index(row, 0).data()).replace("_", "_\u200b"), model.was(row))
    return "\n".join(line for line in lines if line)


class _Table(QTableView):
    """A table as high as its rows."""

    reset_asked = Signal(int)
    widened = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Values of the model")
        self.setAccessibleDescription("Return or typing replaces a value, Del takes it back")
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
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.focusChanged.connect(self._leave)

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
        elif event.text().strip() and event.text().isprintable() and not control:
            self.setCurrentIndex(current.siblingAtColumn(1))  # what is typed is a value, wherever in the row
            super().keyPressEvent(event)
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Never a scroll position of its own; names may take more lines or fewer."""
        super().resizeEvent(event)
        self.verticalScrollBar().setValue(0)
        if event.size().width() != event.oldSize().width():
            self.widened.emit()

    def _leave(self, old: QWidget | None, new: QWidget | None) -> None:
        """A row is marked only while the focus is inside."""
        inside = [widget is not None and (widget is self or self.isAncestorOf(widget)) for widget in (old, new)]
        if inside == [True, False] and new is not None:
            self.clearSelection()
