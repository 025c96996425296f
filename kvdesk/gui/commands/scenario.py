"""Handlers of the Scenario menu."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QInputDialog

from kvdesk.app import actions
from kvdesk.app.workspace import MOST_SCENARIOS, Workspace

if TYPE_CHECKING:
    from kvdesk.gui.main_window import MainWindow


def handlers(window: "MainWindow") -> dict[str, Callable[[], None]]:
    """By action id."""
    arrange = window.bridge.arrange
    select = {
        f"scenario.{n + 1}": partial(arrange, f"Scenario {n + 1}", partial(_selected, index=n))
        for n in range(MOST_SCENARIOS)
    }
    return {
        "scenario.duplicate": lambda: arrange("Duplicate scenario", Workspace.duplicated),
        "scenario.rename": lambda: rename(window),
        "scenario.remove": lambda: arrange("Remove scenario", Workspace.removed),
        "scenario.pin": lambda: arrange("Compare with this one", Workspace.pinned_here),
        **select,
        "scenario.add_gpu": window.parts.hardware.add_option,
        "scenario.remove_gpu": lambda: remove_gpu(window),
    }


def rename(window: "MainWindow") -> None:
    """Ask for a name."""
    present = window.bridge.store.workspace
    name, accepted = QInputDialog.getText(
        window, "Rename scenario", "Name", text=present.scenarios[present.active].name
    )
    if accepted:
        window.bridge.arrange("Rename scenario", lambda workspace: workspace.renamed(name))


def remove_gpu(window: "MainWindow") -> None:
    """Remove the option looked at; the last one stays."""
    view = window.bridge.view
    if len(view.session.gpus) > 1:
        window.bridge.edit("Remove a GPU option", lambda session: actions.remove_gpu(session, view.option))


def _selected(workspace: Workspace, index: int) -> Workspace:
    return workspace.selected(index)
