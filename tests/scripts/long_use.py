"""Many recomputes, look-ups and reports in one process: what grows.

QT_QPA_PLATFORM=offscreen python tests/scripts/long_use.py [RECOMPUTES] [LOOK_UPS] [REPORTS]
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
for name in ("XDG_CONFIG_HOME", "XDG_DATA_HOME", "HF_HOME"):
    os.environ[name] = tempfile.mkdtemp()
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from kvdesk.gui.exporting import export
from kvdesk.gui.main import build
from kvdesk.gui.main_window import MainWindow
from tests.gui.conftest import LLAMA
from tests.scripts.window_storm import state
from tests.support.fake_hub import serve


def recomputes(window: MainWindow, app: QApplication, times: int) -> None:
    """Another context each time, everything redrawn."""
    for number in range(times):
        window.parts.workload.context.setValue(1000 + number % 100_000)
        window.bridge.flush()
        app.processEvents()


def look_ups(window: MainWindow, times: int) -> None:
    """Models of the Hub in turn."""
    for number in range(times):
        window.bridge.look_up(f"org/m{number % 8}")
        while window.bridge.view.look_up.running or window.bridge.jobs.busy("look-up"):
            QTest.qWait(1)


def reports(window: MainWindow, times: int) -> None:
    """PDF reports, one after the other."""
    for number in range(times):
        export(window, Path(tempfile.gettempdir()) / f"kvdesk-long-use-{number % 2}.pdf")
        while window.bridge.jobs.busy("export"):
            QTest.qWait(1)


def main(counts: list[int]) -> None:
    """Warm up, then measure each kind of work by its half-way and its end."""
    app = QApplication([])
    with serve() as hub:
        os.environ["HF_ENDPOINT"] = hub.url
        for number in range(8):
            hub.add(f"org/m{number}", {"config.json": {**LLAMA, "num_hidden_layers": 2 + number}})
        window = build(app)
        window.resize(1280, 720)
        window.show()
        QTest.qWait(1000)
        work: dict[str, Callable[[int], None]] = {
            "recomputes": lambda times: recomputes(window, app, times),
            "look-ups": lambda times: look_ups(window, times),
            "reports": lambda times: reports(window, times),
        }
        for (name, run), count in zip(work.items(), counts, strict=True):
            run(max(1, count // 20))
            print(f"{name:<11} warm       {state(window)}", flush=True)
            begin = time.monotonic()
            for half in (1, 2):
                run(count // 2)
                print(f"{name:<11} {half * (count // 2):>6}     {state(window)}", flush=True)
            print(f"{name:<11} {(time.monotonic() - begin) / count * 1000:.1f} ms each")
        window.bridge.store.mark_saved(window.bridge.store.workspace)
        window.close()


if __name__ == "__main__":
    main([int(text) for text in sys.argv[1:4]] or [10_000, 1_000, 200])
