"""The program itself under a real X server, with a window manager where there is one."""

import os
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import sys
from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QApplication
from kvdesk.gui import main
app = QApplication([])
def finish():
    window = next(w for w in app.topLevelWidgets() if getattr(w, "filled", False))
    active = window.isActiveWindow() and window.parts.bar.field.hasFocus()
    print(app.platformName(), window.parts.plots.plot is not None, active, window.bridge.view.sizing is not None)
    window.close()
QTimer.singleShot(4000, finish)
sys.exit(main.run([]))
"""

pytestmark = [
    pytest.mark.xvfb,
    pytest.mark.skipif(not shutil.which("Xvfb"), reason="needs Xvfb"),
]


@pytest.fixture
def display(tmp_path: Path) -> Iterator[str]:
    """A screen of its own, and a window manager on it if one is installed."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", "1280x800x24", "-nolisten", "tcp"],
        pass_fds=[write],
        stderr=subprocess.DEVNULL,
    )
    os.close(write)
    with os.fdopen(read) as pipe:
        name = f":{pipe.readline().strip()}"
    processes = [server]
    manager = shutil.which("openbox") or shutil.which("metacity") or shutil.which("xfwm4")
    if manager:
        environment = {**os.environ, "DISPLAY": name}
        processes.append(subprocess.Popen([manager], env=environment, stderr=subprocess.DEVNULL))
        time.sleep(0.5)
    yield name
    for process in reversed(processes):
        process.terminate()
        with suppress(subprocess.TimeoutExpired):
            process.wait(5)


def test_the_window_opens_takes_the_focus_and_ends_in_order(display: str) -> None:
    environment = {k: v for k, v in os.environ.items() if k != "QT_QPA_PLATFORM"}
    found = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        env={**environment, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb"},
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if "Could not load the Qt platform plugin" in found.stderr:
        pytest.skip("needs Qt's libraries for X")
    assert found.returncode == 0, found.stderr
    platform, plotted, active, sized = found.stdout.split()
    assert (platform, plotted, sized) == ("xcb", "True", "True")
    if shutil.which("openbox"):
        assert active == "True"
