"""Menus from the table of actions."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import QMainWindow

from kvdesk.gui.commands.table import MENUS, TABLE, Spec

Handlers = Mapping[str, Callable[[], None]]


def build(window: QMainWindow, handlers: Handlers) -> dict[str, QAction]:
    """Fill the window's menu bar; every action of the table gets its handler. `KeyError` where one is missing."""
    actions = {spec.id: _action(window, spec, handlers[spec.id]) for spec in TABLE}
    for name in MENUS:
        menu = window.menuBar().addMenu(f"&{name}")
        group = 0
        for spec in (s for s in TABLE if s.menu == name):
            if spec.group != group:
                menu.addSeparator()
                group = spec.group
            menu.addAction(actions[spec.id])
    return actions


def _action(window: QMainWindow, spec: Spec, handler: Callable[[], None]) -> QAction:
    action = QAction(spec.title, window)
    action.setObjectName(spec.id)
    if spec.key:
        action.setShortcut(QKeySequence(spec.key))
    action.setShortcutContext(Qt.ShortcutContext.WindowShortcut)
    action.setStatusTip(spec.help)
    action.triggered.connect(lambda _checked=False: handler())
    return action
