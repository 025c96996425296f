"""Random use of the window while the Hub on loopback fails at random: nothing may crash, hang or grow.

QT_QPA_PLATFORM=offscreen python tests/scripts/window_storm.py [MINUTES] [SEED]
"""

import faulthandler
import gc
import os
import random
import sys
import tempfile
import threading
import time
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "HF_HOME"):
    os.environ[name] = tempfile.mkdtemp()
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from PySide6.QtWidgets import QApplication, QDialog, QWidget

from kvdesk.gui.main import build
from kvdesk.gui.main_window import MainWindow
from tests.gui.conftest import LLAMA
from tests.gui.test_actions import random_edit
from tests.support.fake_hub import FakeHub, Reply, Request, serve

SAFE = ("view.", "chart.copy", "edit.copy", "help.what", "model.cancel", "model.focus", "scenario.", "edit.reset_all")


class Storm:
    """What the Hub does to each request."""

    def __init__(self, hub: FakeHub, chance: random.Random) -> None:
        self.hub, self.chance = hub, chance

    def __call__(self, request: Request) -> Reply | None:
        """Mostly answer; else fail, hang, cut or talk nonsense."""
        fate = self.chance.random()
        if fate < 0.6:
            return None
        if fate < 0.8:
            return Reply(status=self.chance.choice((401, 403, 404, 416, 429, 500, 502, 503, 504)))
        if fate < 0.87:
            return Reply(body=b"{" * 100)
        if fate < 0.94:
            return Reply(body=b"x" * 5000, cut=100)
        self.hub.hang(self.chance.random() * 2)
        return None


def resident() -> int:
    """Resident memory in MiB, 0 where the system does not tell."""
    try:
        pages = int(Path("/proc/self/statm").read_text().split()[1])
    except OSError:
        return 0
    return pages * os.sysconf("SC_PAGESIZE") >> 20


def state(window: MainWindow) -> str:
    """Everything that must stay flat."""
    gc.collect()
    handles = len(list(Path("/proc/self/fd").iterdir())) if Path("/proc/self/fd").is_dir() else 0
    widgets = len(window.findChildren(QWidget))
    return f"{resident()} MiB, {threading.active_count()} threads, {handles} handles, {widgets} widgets"


def once(window: MainWindow, app: QApplication, chance: random.Random) -> None:
    """One thing that a user might do, and a turn of the event loop."""
    fate = chance.random()
    if fate < 0.15:
        window.bridge.look_up(chance.choice(("org/a", "org/b", "org/none", "llama-3.1-8b", "qwen3-32b", "nonsense")))
    elif fate < 0.3:
        ids = [name for name in window.actions_by_id if name.startswith(SAFE) and name != "scenario.rename"]
        window.actions_by_id[chance.choice(ids)].trigger()
    else:
        random_edit(window, chance)
    app.processEvents()
    for dialog in window.findChildren(QDialog):
        dialog.close()


def main(minutes: float, seed: int) -> None:
    """Run, and print what grew."""
    faulthandler.enable()
    chance = random.Random(seed)  # noqa: S311  # repeatable, and no secret
    app = QApplication([])
    defects: list[str] = []
    sys.excepthook = lambda kind, error, _: defects.append(f"{kind.__name__}: {error}")
    with serve() as hub:
        os.environ["HF_ENDPOINT"] = hub.url
        for name in ("a", "b"):
            hub.add(f"org/{name}", {"config.json": {**LLAMA, "num_hidden_layers": 4 + ord(name)}})
        hub.fault = Storm(hub, chance)
        window = build(app)
        window.resize(1280, 720)
        window.show()
        begin, done, slowest = time.monotonic(), 0, 0.0
        while time.monotonic() - begin < minutes * 60:
            start = time.monotonic()
            once(window, app, chance)
            slowest = max(slowest, time.monotonic() - start)
            done += 1
            if done % 2000 == 1:
                print(f"{done:>7} actions, {time.monotonic() - begin:5.0f} s: {state(window)}", flush=True)
        hub.released.set()
        print(f"{done:>7} actions, {minutes:g} minutes: {state(window)}; slowest turn {slowest * 1000:.0f} ms")
        window.bridge.store.mark_saved(window.bridge.store.workspace)
        window.close()
    print(f"{len(defects)} unexpected errors", *sorted(set(defects)), sep="\n")
    sys.exit(bool(defects))


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 10.0, int(sys.argv[2]) if len(sys.argv) > 2 else 1)
