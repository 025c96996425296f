"""What is written survives a kill at any moment and a disk that is full: the old file or the new one, never a part."""

import json
import os
import random
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path

import pytest

from kvdesk.app import autosave, scenarios
from kvdesk.app.autosave import Autosave
from kvdesk.app.lookup import from_card
from kvdesk.app.session import Session
from kvdesk.app.workspace import of
from kvdesk.core.errors import KvdeskError
from kvdesk.hub.client import store_json
from kvdesk.report import atomic

ROOT = Path(__file__).resolve().parents[2]
KILLS = 12
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="signals and limits of POSIX")
HEAD = "import sys; from pathlib import Path; folder = Path(sys.argv[1]); number = 0\n"
LOOPS = {
    "autosave": """
        from kvdesk.app.autosave import Autosave
        from kvdesk.app.lookup import from_card
        from kvdesk.app.session import Session
        from kvdesk.app.workspace import of
        model, autosave = from_card("llama-3.1-8b"), Autosave(folder, 1)
        print("ready", flush=True)
        while True:
            number += 1
            autosave.keep(of(Session(model=model, sequences=number)))
    """,
    "look-up": """
        from kvdesk.hub.client.store import Store
        from kvdesk.hub.refs import HubRef
        from kvdesk.hub.snapshot import Snapshot
        store = Store(folder, "https://hub.example")
        print("ready", flush=True)
        while True:
            number += 1
            config = b'{"number": %d, "filler": "%s"}' % (number, b"x" * 50000)
            store.keep(HubRef("a/b"), Snapshot(repo_id="a/b", revision="c" * 40, config=config))
    """,
    "report": """
        from kvdesk.report.atomic import write_bytes
        print("ready", flush=True)
        while True:
            number += 1
            write_bytes(folder / "report.pdf", b"%d" % (number % 10) * 200_000)
    """,
}


def killed_at_random(code: str, folder: Path, rng: random.Random) -> "subprocess.Popen[bytes]":
    """Let a process write in a loop, and kill it in the middle; the system keeps its number until it is waited for."""
    command = [sys.executable, "-c", HEAD + textwrap.dedent(code), str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, cwd=ROOT)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n"
    time.sleep(rng.random() * 0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.stdout.read()  # ends with the process
    process.stdout.close()
    return process


def kill_at_random(code: str, folder: Path, rng: random.Random) -> None:
    """The same, and wait for it."""
    killed_at_random(code, folder, rng).wait()


def whole(path: Path) -> None:
    """What holds of a file that was written as a whole."""
    data = path.read_bytes()
    if path.suffix == scenarios.SUFFIX:
        assert scenarios.read(path).session.model is not None
    elif path.suffix == ".pdf":
        assert len(data) == 200_000
        assert len(set(data)) == 1
    elif path.parent.name == "commits":
        found = store_json.load(data)
        assert found is not None
        assert len(json.loads(found.config)["filler"]) == 50_000
    else:
        assert data == b"c" * 40


@POSIX
@pytest.mark.slow
@pytest.mark.parametrize("name", LOOPS)
def test_a_kill_at_any_moment(name: str, tmp_path: Path) -> None:
    rng = random.Random(name)  # noqa: S311 - repeatable pauses
    for _ in range(KILLS):
        kill_at_random(LOOPS[name], tmp_path, rng)
        for path in tmp_path.rglob("*"):
            if path.is_file() and path.suffix not in (".part", ".lock"):
                whole(path)
    assert [path for path in tmp_path.rglob("*") if path.is_file() and path.suffix not in (".part", ".lock")]


@POSIX
def test_what_a_killed_window_left_is_found_at_once_and_read(tmp_path: Path) -> None:
    """Also before the process that started it has taken note, while its number still counts as that of a process."""
    process = killed_at_random(LOOPS["autosave"], tmp_path, random.Random(1))  # noqa: S311 - a pause
    try:
        while not list(tmp_path.glob("autosave-1.kvdesk")):  # killed before the first write
            process.wait()
            process = killed_at_random(LOOPS["autosave"], tmp_path, random.Random(2))  # noqa: S311 - a pause
        os.kill(process.pid, 0)  # raises where there is no such process any more
        left = Autosave(tmp_path, process.pid).left_behind()
        assert [path.name for path in left] == ["autosave-1.kvdesk"]
        model = autosave.read(left[0]).workspace.session.model
        assert model is not None
        assert model.id == "meta-llama/Llama-3.1-8B-Instruct"
    finally:
        process.wait()


@POSIX
def test_a_full_disk_leaves_the_old_file_and_no_part(tmp_path: Path) -> None:
    """The limit of a process on a file's size is the disk that fills up in the middle of a write."""
    path = tmp_path / "a.kvdesk"
    workspace = of(Session(model=from_card("llama-3.1-8b"), sequences=5))
    scenarios.write(path, workspace)
    before = path.read_bytes()
    code = """
        import resource, signal
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (500, 500))
        from kvdesk.app import scenarios
        from kvdesk.core.errors import KvdeskError
        try:
            scenarios.write(folder / "a.kvdesk", scenarios.read(folder / "a.kvdesk"))
        except KvdeskError as error:
            print(error.code, error)
    """
    command = [sys.executable, "-c", HEAD + textwrap.dedent(code), str(tmp_path)]
    done = subprocess.run(command, check=True, timeout=60, capture_output=True, cwd=ROOT)
    assert done.stdout.startswith(b"cannot-write")
    assert b"File too large" in done.stdout
    assert path.read_bytes() == before
    assert list(tmp_path.iterdir()) == [path]


@POSIX
def test_a_look_up_is_shown_though_it_cannot_be_kept(tmp_path: Path) -> None:
    """kvdesk answers where the folder of look-ups cannot be written; the figures do not depend on it."""
    command = [sys.executable, "-m", "kvdesk", "size", "llama-3.1-8b", "--json"]
    environment = {**os.environ, "HOME": "/proc/none", "HF_HOME": "/proc/none"}
    done = subprocess.run(command, check=False, timeout=60, capture_output=True, cwd=tmp_path, env=environment)
    assert (done.returncode, done.stderr) == (0, b"")


@POSIX
def test_a_folder_that_takes_no_files() -> None:
    for path in (Path("/proc/none.pdf"), Path("/none/none.pdf"), Path("/dev/null")):
        with pytest.raises(KvdeskError) as caught:
            atomic.write_bytes(path, b"x")
        assert caught.value.code == "cannot-write"
        assert caught.value.remedy
    assert Path("/dev/null").is_char_device()
