"""Everything that can be done, as one table and a handler for each of its rows."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from kvdesk.app import actions as changes
from kvdesk.app.store import Store
from kvdesk.app.workspace import MOST_SCENARIOS
from kvdesk.gui.commands import edit, file, help, menus, model, recents, scenario, view  # noqa: A004  # the Help menu's module
from kvdesk.gui.view import View

if TYPE_CHECKING:
    from kvdesk.gui.main_window import MainWindow


def install(window: "MainWindow") -> dict[str, QAction]:
    """Menus and shortcuts of the window."""
    parts = (file, edit, model, scenario, view, help)
    made = menus.build(window, {key: run for part in parts for key, run in part.handlers(window).items()})
    for action in window.menuBar().actions():
        menu = action.menu()
        if isinstance(menu, QMenu) and action.text() == "&File":
            recents.add(window, menu)
    return made


def enable(actions: Mapping[str, QAction], state: View, store: Store) -> None:
    """Grey what cannot be done now, and say what undo would undo."""
    count = len(state.workspace.scenarios)
    for key, title, text in (
        ("edit.undo", store.undo_title, "Undo"),
        ("edit.redo", store.redo_title, "Redo"),
    ):
        actions[key].setEnabled(title is not None)
        actions[key].setText(f"{text} “{title}”" if title else text)
    possible = {
        "edit.reset_all": changes.changed_count(state.session) > 0,
        "model.cancel": state.look_up.running,
        "scenario.remove": count > 1,
        "scenario.duplicate": count < MOST_SCENARIOS,
        "scenario.remove_gpu": len(state.session.gpus) > 1,
        **{f"scenario.{n + 1}": n < count for n in range(MOST_SCENARIOS)},
    }
    for key, yes in possible.items():
        actions[key].setEnabled(yes)
