"""Locks end with the process that holds them."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kvdesk.files import lock

HOLD = """
import sys
from pathlib import Path
from kvdesk.files import lock
held = lock.take(Path(sys.argv[1]))
print(held is not None, flush=True)
sys.stdin.read()
"""


def test_one_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    assert not lock.is_held(path)
    held = lock.take(path)
    assert held is not None
    assert lock.take(path) is None
    assert lock.is_held(path)
    held.release()
    held.release()
    assert not lock.is_held(path)


@pytest.mark.skipif(sys.platform == "win32", reason="kills with SIGKILL")
def test_a_killed_process_holds_nothing_even_before_it_is_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "a.lock"
    command = [sys.executable, "-c", HOLD, str(path)]
    process = subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=Path(__file__).resolve().parents[2]
    )
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stdout.readline().strip() == b"True"
    assert lock.is_held(path)
    process.send_signal(signal.SIGKILL)
    process.stdout.read()  # ends when the process has
    os.kill(process.pid, 0)  # still counts as a process
    assert not lock.is_held(path)
    process.wait()
    process.stdin.close()
    process.stdout.close()


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(OSError, match="No such file"):
        lock.take(tmp_path / "none" / "a.lock")
    (tmp_path / "folder.lock").mkdir()
    assert not lock.is_held(tmp_path / "folder.lock")
