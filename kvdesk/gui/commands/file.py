"""Handlers of the File menu."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QFileDialog

from kvdesk.app import scenarios, workspace
from kvdesk.app.defaults import default_session
from kvdesk.core.errors import KvdeskError
from kvdesk.gui import exporting

if TYPE_CHECKING:
    from kvdesk.gui.main_window import MainWindow

SCENARIOS = f"kvdesk scenario (*{scenarios.SUFFIX})"


def handlers(window: "MainWindow") -> dict[str, Callable[[], None]]:
    """By action id."""
    return {
        "file.new": lambda: new(window),
        "file.open": lambda: choose_and_open(window),
        "file.save": lambda: save(window),
        "file.save_as": lambda: save_as(window),
        "file.export_pdf": lambda: exporting.ask_and_export(window),
        "file.quit": lambda: _quit(window),
    }


def _quit(window: "MainWindow") -> None:
    window.close()


def new(window: "MainWindow") -> None:
    """The default scenario again, as a step that can be undone."""
    window.bridge.arrange("New", lambda _: workspace.of(default_session()))
    window.documents.started()
    window.parts.bar.focus()


def choose_and_open(window: "MainWindow") -> None:
    """Ask for a file and open it."""
    name, _ = QFileDialog.getOpenFileName(
        window, "Open", window.documents.folder(), f"{SCENARIOS};;Model config (*.json);;All files (*)"
    )
    if name:
        window.open_text(name)


def save(window: "MainWindow") -> None:
    """Save to the file that was opened, or ask."""
    path = window.documents.path
    save_to(window, path) if path else save_as(window)


def save_as(window: "MainWindow") -> None:
    """Ask for a file and save."""
    model = window.bridge.store.session.model
    stem = model.id.rpartition("/")[2] if model else "scenario"
    named = window.documents.path or window.documents.recovered
    proposed = str(named or Path(window.documents.folder()) / f"{stem}{scenarios.SUFFIX}")
    name, _ = QFileDialog.getSaveFileName(window, "Save as", proposed, SCENARIOS)
    if name:
        path = Path(name)
        save_to(window, path if path.suffix else path.with_suffix(scenarios.SUFFIX))


def save_to(window: "MainWindow", path: Path) -> None:
    """Save, and say so in the status line or say why not above the results."""
    present = window.bridge.store.workspace
    try:
        scenarios.write(path, present)
    except KvdeskError as error:
        window.parts.notice.show_error(error)
        return
    window.documents.saved(path, present)
    window.say(f"Saved to {path}")
