"""Handlers of the Edit menu."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from kvdesk.app import actions
from kvdesk.app.command_line import command_line
from kvdesk.app.results_table import results_table
from kvdesk.gui.dialogs.settings import SettingsDialog
from kvdesk.gui.widgets import copying

if TYPE_CHECKING:
    from kvdesk.gui.main_window import MainWindow


def handlers(window: "MainWindow") -> dict[str, Callable[[], None]]:
    """By action id."""
    return {
        "edit.undo": window.bridge.store.undo,
        "edit.redo": window.bridge.store.redo,
        "edit.copy_command": lambda: _copy_command(window),
        "edit.copy_tsv": lambda: _copy_results(window, copying.tsv),
        "edit.copy_markdown": lambda: _copy_results(window, copying.markdown),
        "edit.reset_all": lambda: window.bridge.edit("Reset all values", actions.reset_all),
        "edit.settings": lambda: SettingsDialog(window).open(),
    }


def _copy_command(window: "MainWindow") -> None:
    copying.to_clipboard(command_line(window.bridge.store.session))
    window.say("The command line was copied.")


def _copy_results(window: "MainWindow", form: Callable[[copying.Rows], str]) -> None:
    sizing = window.bridge.view.sizing
    if sizing is None:
        window.say("There are no results to copy.")
        return
    copying.to_clipboard(form(results_table(sizing, window.bridge.view.session)))
    window.say("The results were copied.")
