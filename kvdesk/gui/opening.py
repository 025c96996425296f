"""What was dropped, given on the command line or chosen in a dialog: a scenario, a log, or a model."""

from pathlib import Path
from typing import TYPE_CHECKING

from kvdesk.app import autosave, scenarios
from kvdesk.core.errors import KvdeskError
from kvdesk.gui import numbers

if TYPE_CHECKING:
    from kvdesk.gui.main_window import MainWindow

LOGS = (".log", ".txt", ".out")


def open_text(window: "MainWindow", text: str) -> None:
    """Open whatever `text` names; what is no file is looked up as a model."""
    text = text.strip()
    path = Path(text).expanduser() if text and len(text) < 4096 else Path()
    if is_file(path) and scenarios.is_scenario(path):
        open_scenario(window, path)
    elif is_file(path) and path.suffix.lower() in LOGS:
        window.parts.details.show_page(window.parts.log)
        window.parts.log.open_path(path)
    elif text:
        window.parts.bar.typed(text)


def open_scenario(window: "MainWindow", path: Path) -> None:
    """A scenario file in place of what is open; a step back brings that again."""
    try:
        found = scenarios.opened(path)
    except KvdeskError as error:
        window.parts.notice.show_error(error)
        return
    window.bridge.store.open(found)
    window.documents.opened(path)
    window.say(f"Opened {path.name}")


def offer_recovery(window: "MainWindow") -> None:
    """Offer what earlier windows left unsaved, one after the other, the newest first."""
    left = window.documents.recoverable()
    if not left:
        window.parts.notice.hide()
        return
    path, waiting = left[0], len(left) - 1

    def discard() -> None:
        autosave.remove(path)
        offer_recovery(window)

    def recover() -> None:
        window.bridge.arrange("Recover unsaved work", lambda _: kept.workspace)
        window.documents.started(kept.document)
        if window.documents.keep():
            discard()

    try:
        kept = autosave.read(path)
    except KvdeskError as error:
        window.parts.notice.say_error(error, [("Delete it", discard), ("Dismiss", window.parts.notice.hide)])
        window.parts.notice.show()
        return
    model = kept.workspace.session.model
    what = kept.document.name if kept.document else model.id if model else "a scenario without a model"
    after = ("", "One more is offered after it.")[waiting] if waiting < 2 else f"{waiting} more are offered after it."
    window.parts.notice.show_choice(
        f"Work on {what} was not saved; it was kept {numbers.moment(path.stat().st_mtime)}.",
        after,
        [("Continue with it", recover), ("Discard", discard)],
    )


def is_file(path: Path) -> bool:
    """Whether it is one; a name that the system cannot even ask about is none."""
    try:
        return path.is_file()
    except (OSError, ValueError):
        return False
