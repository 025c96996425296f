"""Work that was not saved is offered again: which, of when, one after the other, and under its file's name."""

import os
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest

from kvdesk.app import actions, lookup, workspace
from kvdesk.app.autosave import Autosave
from kvdesk.app.defaults import default_session
from kvdesk.gui import numbers, opening
from kvdesk.gui.commands.file import save_to
from kvdesk.gui.main_window import MainWindow


@pytest.fixture
def folder(window: MainWindow, tmp_path: Path) -> Iterator[Path]:
    """Where this window's autosaves lie, empty."""
    former = window.documents._autosave
    window.documents._autosave = Autosave(tmp_path / "data", os.getpid())
    yield tmp_path / "data"
    window.documents._timer.stop()
    window.documents._autosave.forget()
    window.documents._autosave = former


def leave(folder: Path, number: int, sequences: int, *, file: Path | None = None, age: float = 0.0) -> Path:
    """What a window that is gone left."""
    session = actions.set_sequences(default_session(), sequences)
    model = lookup.from_card("qwen3-8b" if number % 2 else "llama-3.1-8b")
    one = Autosave(folder, number)
    one.keep(workspace.of(actions.set_model(session, model)), file)
    one.release()
    os.utime(one.path, (time.time() - age, time.time() - age))
    return one.path


def buttons(window: MainWindow) -> list[str]:
    return [button.text() for button in window.parts.notice.buttons]


def test_nothing_is_offered_where_nothing_was_left(window: MainWindow, folder: Path) -> None:
    opening.offer_recovery(window)
    assert not window.parts.notice.isVisible()


def test_which_work_and_when_and_each_in_its_turn(window: MainWindow, folder: Path, tmp_path: Path) -> None:
    newest = leave(folder, 1, 11)
    middle = leave(folder, 2, 22, file=tmp_path / "mine.kvdesk", age=40.0)
    oldest = leave(folder, 3, 33, age=80.0)
    opening.offer_recovery(window)
    notice = window.parts.notice
    assert notice.accessibleName() == (
        f"Work on Qwen/Qwen3-8B was not saved; it was kept {numbers.moment(newest.stat().st_mtime)}."
    )
    assert notice.accessibleDescription() == "2 more are offered after it."
    assert buttons(window) == ["Continue with it", "Discard"]
    notice.buttons[1].click()
    assert not newest.exists()
    assert notice.accessibleName().startswith("Work on mine.kvdesk was not saved; it was kept ")
    assert notice.accessibleDescription() == "One more is offered after it."
    before = window.bridge.store.workspace
    notice.buttons[0].click()
    window.bridge.flush()
    assert not middle.exists()
    assert window.bridge.store.session.sequences == 22
    assert window.windowTitle() == "*mine.kvdesk – kvdesk"
    # It is this window's work now, and kept as such before the old file went.
    assert Autosave(folder, 4).left_behind() == [oldest]
    assert window.documents._autosave.path.exists()
    assert notice.isVisible()
    notice.buttons[1].click()
    assert not notice.isVisible()
    window.bridge.store.undo()
    assert window.bridge.store.workspace == before


def test_a_recovered_file_is_not_written_without_asking(
    window: MainWindow, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After an undo the window holds other work than the file's."""
    path = tmp_path / "mine.kvdesk"
    leave(folder, 2, 22, file=path)
    opening.offer_recovery(window)
    window.parts.notice.buttons[0].click()
    asked: list[str] = []

    def ask(_window: object, _title: str, proposed: str, _kinds: str) -> tuple[str, str]:
        asked.append(proposed)
        return proposed, ""

    monkeypatch.setattr("kvdesk.gui.commands.file.QFileDialog.getSaveFileName", ask)
    window.actions_by_id["file.save"].trigger()
    assert asked == [str(path)]
    assert window.documents.path == path
    assert window.documents.recovered is None
    window.actions_by_id["file.new"].trigger()
    assert window.documents.name == ""


def test_the_files_name_is_kept_with_the_work(window: MainWindow, folder: Path, tmp_path: Path) -> None:
    path = tmp_path / "mine.kvdesk"
    save_to(window, path)
    window.bridge.edit("", lambda session: actions.set_sequences(session, 77))
    window.documents.keep()
    window.documents._autosave.release()
    window.documents.started()
    opening.offer_recovery(window)
    assert "mine.kvdesk" in window.parts.notice.accessibleName()
    window.parts.notice.buttons[0].click()
    assert window.documents.name == "mine.kvdesk"
    assert window.bridge.store.session.sequences == 77


def test_what_cannot_be_read_is_told_and_can_go(window: MainWindow, folder: Path) -> None:
    folder.mkdir()
    path = folder / "autosave-5.kvdesk"
    path.write_text("{")
    opening.offer_recovery(window)
    assert "is not a scenario file" in window.parts.notice.accessibleName()
    assert buttons(window) == ["Delete it", "Dismiss"]
    window.parts.notice.buttons[0].click()
    assert not path.exists()
    assert not window.parts.notice.isVisible()


def test_work_goes_on_being_kept_without_a_pause(window: MainWindow, folder: Path) -> None:
    """Each step used to put the autosave off by two seconds more."""
    window.documents._timer.stop()
    window.bridge.edit("", lambda session: actions.set_sequences(session, 2))
    window.documents._timer.setInterval(10_000)
    window.documents._timer.start()
    left = window.documents._timer.remainingTime()
    window.bridge.edit("", lambda session: actions.set_sequences(session, 3))
    assert window.documents._timer.remainingTime() <= left
    window.documents._timer.setInterval(2000)


def test_moments() -> None:
    noon = datetime.now().replace(hour=12, minute=5)  # noqa: DTZ005 - as the user's clock shows it
    assert numbers.moment(noon.timestamp()).startswith("today at 12:05")
    assert numbers.moment(0.0).startswith("on ")
