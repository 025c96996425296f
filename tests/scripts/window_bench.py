"""How fast the window is: first frame against an empty window, and a step of a spin box.

QT_QPA_PLATFORM=offscreen python tests/scripts/window_bench.py
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp()
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

EMPTY = """
import time; t = time.perf_counter()
from PySide6.QtWidgets import QApplication, QMainWindow
app = QApplication([])
class Window(QMainWindow):
    def paintEvent(self, event):
        super().paintEvent(event); print(time.perf_counter() - t); app.exit()
window = Window(); window.resize(1280, 720); window.show(); app.exec()
"""
OURS = """
import time; t = time.perf_counter()
from PySide6.QtWidgets import QApplication
from PySide6.QtCore import QObject, QEvent
from kvdesk.gui.main import outline
app = QApplication([])
window = outline(app)
class First(QObject):
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint:
            print(time.perf_counter() - t); window.removeEventFilter(self); app.exit()
        return False
first = First(); window.installEventFilter(first)
window.resize(1280, 720); window.show(); app.exec()
"""
RUNS = 3


def first_frame(code: str) -> float:
    """Seconds from the first import to the first painted frame, median of fresh processes."""
    times = [
        float(subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True).stdout)
        for _ in range(RUNS)
    ]
    return statistics.median(times)


def steps() -> list[float]:
    """Milliseconds of CPU time of single context steps with everything redrawn."""
    from PySide6.QtTest import QTest
    from PySide6.QtWidgets import QApplication

    from kvdesk.app import actions
    from kvdesk.app.session import GpuChoice
    from kvdesk.gui.main import build

    app = QApplication([])
    window = build(app)
    window.resize(1280, 720)
    window.show()
    for gpu in ("h200-sxm", "l40s"):
        window.bridge.edit("", partial(actions.add_gpu, choice=GpuChoice(gpu=gpu)))
    QTest.qWait(1500)
    times = []
    for number in range(60):
        begin = time.process_time()
        window.parts.workload.context.stepBy(1 if number < 30 else -1)
        window.bridge.flush()
        app.processEvents()
        times.append((time.process_time() - begin) * 1000)
    window.close()
    return times


def main() -> None:
    """Print the figures."""
    empty, ours = first_frame(EMPTY), first_frame(OURS)
    print(f"first frame: empty {empty * 1000:.0f} ms, kvdesk {ours * 1000:.0f} ms, {ours / empty:.2f} times")
    times = steps()
    print(f"spin step: median {statistics.median(times):.1f} ms, p95 {sorted(times)[int(len(times) * 0.95)]:.1f} ms")


if __name__ == "__main__":
    main()
