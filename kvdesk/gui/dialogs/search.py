"""Command search: type a part of an action's name, Return runs it."""

from collections.abc import Mapping

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import QLineEdit, QListWidget, QListWidgetItem, QWidget

from kvdesk.gui.commands.table import TABLE, Spec
from kvdesk.gui.dialogs.plain import Buttons, PlainDialog
from kvdesk.gui.widgets.text import em

_ID = Qt.ItemDataRole.UserRole


class SearchDialog(PlainDialog):
    """Finds actions by the words of their title, menu and help."""

    def __init__(self, parent: QWidget, actions: Mapping[str, QAction]) -> None:
        super().__init__(parent, "Search commands", Buttons.Close)
        self._actions = actions
        self.field = QLineEdit()
        self.field.setAccessibleName("Command")
        self.field.setPlaceholderText("Type a part of a command")
        self.list = QListWidget()
        self.list.setAccessibleName("Commands found")
        self.body.addWidget(self.field)
        self.body.addWidget(self.list)
        self.field.textChanged.connect(self._find)
        self.field.returnPressed.connect(self._run)
        self.field.installEventFilter(self)
        self.list.itemActivated.connect(lambda _: self._run())
        self.resize(em(self, 32), em(self, 24))
        self._find("")
        self.field.setFocus()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Up and Down in the field move through the list."""
        if isinstance(event, QKeyEvent) and event.type() == QEvent.Type.KeyPress:
            step = {Qt.Key.Key_Down: 1, Qt.Key.Key_Up: -1}.get(Qt.Key(event.key()))
            if step:
                row = min(max(0, self.list.currentRow() + step), self.list.count() - 1)
                self.list.setCurrentRow(row)
                return True
        return super().eventFilter(watched, event)

    def _find(self, text: str) -> None:
        self.list.clear()
        for spec in sorted(
            matches(text), key=lambda spec: spec.id != "" and not spec.title.lower().startswith(text.lower())
        ):
            key = QKeySequence(spec.key).toString(QKeySequence.SequenceFormat.NativeText)
            item = QListWidgetItem(f"{spec.menu}: {spec.title}" + (f"    {key}" if key else ""))
            item.setData(_ID, spec.id)
            item.setSizeHint(QSize(0, em(self, 1.5)))
            self.list.addItem(item)
        self.list.setCurrentRow(0)

    def _run(self) -> None:
        item = self.list.currentItem()
        if item is not None:
            action = self._actions[item.data(_ID)]
            self.accept()
            action.trigger()


def matches(text: str) -> list[Spec]:
    """The actions that hold every word of `text`."""
    words = text.lower().split()
    return [spec for spec in TABLE if all(word in f"{spec.menu} {spec.title} {spec.help}".lower() for word in words)]
