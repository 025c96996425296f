"""A file is the old one or the new one, never a part."""

import os
import sys
from pathlib import Path

import pytest

from kvdesk.core.errors import KvdeskError
from kvdesk.report import atomic


def test_a_new_file_and_a_replaced_one(tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    atomic.write_bytes(path, b"one")
    atomic.write_bytes(path, b"two")
    assert path.read_bytes() == b"two"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_permissions_of_the_old_file_stay(tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(b"old")
    path.chmod(0o640)
    atomic.write_bytes(path, b"new")
    assert path.stat().st_mode & 0o777 == 0o640


def test_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(KvdeskError) as caught:
        atomic.write_bytes(tmp_path / "none" / "report.pdf", b"x")
    assert caught.value.code == "cannot-write"


def test_a_failure_leaves_the_old_file_and_no_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(b"old")

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(KvdeskError, match="could not be written"):
        atomic.write_bytes(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
