"""Autosaves: one for each running window, found when it does not run any more."""

import os
from pathlib import Path

import pytest

from kvdesk.app import autosave, workspace
from kvdesk.app.autosave import Autosave
from kvdesk.app.session import Session
from kvdesk.core.errors import KvdeskError, SourceError
from kvdesk.files import scenario_file


def work(sequences: int) -> workspace.Workspace:
    return workspace.of(Session(sequences=sequences))


def test_that_of_a_window_that_is_gone_is_found_and_that_of_a_running_one_is_not(tmp_path: Path) -> None:
    gone, runs, mine = (Autosave(tmp_path / "data", number) for number in (111, 222, 333))
    assert mine.left_behind() == []
    for one, sequences in ((gone, 1), (runs, 2), (mine, 3)):
        one.keep(work(sequences), tmp_path / "mine.kvdesk")
    gone.release()
    assert mine.left_behind() == [gone.path]
    kept = autosave.read(gone.path)
    assert kept.workspace == work(1)
    assert kept.document == tmp_path / "mine.kvdesk"
    runs.release()
    os.utime(gone.path, (1, 1))
    assert mine.left_behind() == [runs.path, gone.path]
    autosave.remove(gone.path)
    autosave.remove(runs.path)
    mine.forget()
    mine.forget()
    assert list((tmp_path / "data").iterdir()) == []


def test_work_that_is_in_no_file_has_none(tmp_path: Path) -> None:
    one = Autosave(tmp_path, 1)
    one.keep(work(1))
    assert autosave.read(one.path).document is None
    one.release()


def test_a_number_that_comes_again_overwrites_nothing(tmp_path: Path) -> None:
    """After a restart of the machine the number of a process that crashed can be this window's own."""
    former = Autosave(tmp_path, 7)
    former.keep(work(1))
    former.release()
    own = Autosave(tmp_path, 7)
    assert own.left_behind() == [former.path]
    own.keep(work(2))
    own.keep(work(3))
    assert own.path != former.path
    assert own.left_behind() == [former.path]
    assert autosave.read(former.path).workspace == work(1)
    own.forget()
    assert former.path.exists()


def test_two_windows_of_one_number_keep_apart(tmp_path: Path) -> None:
    one, other = Autosave(tmp_path, 7), Autosave(tmp_path, 7)
    one.keep(work(1))
    other.keep(work(2))
    assert one.path != other.path
    one.forget()
    assert autosave.read(other.path).workspace == work(2)
    other.forget()


def test_a_folder_that_cannot_be_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(KvdeskError, match="cannot be used"):
        Autosave(tmp_path / "file", 1).keep(work(1))
    monkeypatch.setattr(autosave, "_MOST", 1)
    scenario_file.write(tmp_path / "autosave-1.kvdesk", {})
    with pytest.raises(KvdeskError, match="cannot be used"):
        Autosave(tmp_path, 1).keep(work(1))


def test_a_file_that_is_none_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "autosave-1.kvdesk"
    path.write_text("{")
    with pytest.raises(SourceError):
        autosave.read(path)
