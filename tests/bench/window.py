"""The window: first frame, finished plot, one changed value, resident memory; each beside bare Qt and pyqtgraph."""

from collections.abc import Iterator

from tests.bench.measure import Row, milliseconds, printed, row

_PAINTED = """
import sys, time; t = time.perf_counter()
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication
class First(QObject):
    def __init__(self, window): super().__init__(); self.window = window; self.at = None
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and self.at is None: self.at = time.perf_counter() - t
        return False
def resident():
    return next(int(line.split()[1]) for line in open('/proc/self/status') if line.startswith('VmRSS')) / 1024
"""
EMPTY = (
    _PAINTED
    + """
from PySide6.QtWidgets import QMainWindow
app = QApplication([]); window = QMainWindow(); first = First(window); window.installEventFilter(first)
window.resize(1280, 720); window.show()
QTimer.singleShot(300, app.exit); app.exec()
print(first.at, resident())
"""
)
PLOT = (
    _PAINTED
    + """
from PySide6.QtWidgets import QMainWindow
import pyqtgraph as pg
app = QApplication([]); window = QMainWindow(); first = First(window); window.installEventFilter(first)
plot = pg.PlotWidget(); window.setCentralWidget(plot); plot.plot(list(range(200)), list(range(200)))
window.resize(1280, 720); window.show()
QTimer.singleShot(300, app.exit); app.exec()
print(0, resident())
"""
)
OURS = (
    _PAINTED
    + """
from kvdesk.gui.main import build
app = QApplication([]); window = build(app); first = First(window); window.installEventFilter(first)
window.resize(1280, 720); window.show()
drawn = []
def look():
    from kvdesk.gui.plot.context_plot import ContextPlot
    found = window.findChildren(ContextPlot)
    if found and any(plot.isVisible() and plot.listDataItems() for plot in found):
        window.grab(); drawn.append(time.perf_counter() - t); QTimer.singleShot(300, app.exit)
    else: QTimer.singleShot(5, look)
QTimer.singleShot(0, look); QTimer.singleShot(20000, app.exit); app.exec()
print(first.at, drawn[0], resident())
"""
)
STEP = (
    _PAINTED
    + """
import statistics
from PySide6.QtTest import QTest
from kvdesk.app import actions
from kvdesk.app.session import GpuChoice
from kvdesk.gui.main import build
import pyqtgraph as pg
app = QApplication([]); window = build(app); window.resize(1280, 720); window.show()
for gpu in ("h200-sxm", "l40s", "b200"):
    window.bridge.edit("", lambda session, gpu=gpu: actions.add_gpu(session, GpuChoice(gpu=gpu)))
QTest.qWait(1500)
bare = pg.PlotWidget(); bare.resize(840, 240); bare.show()
curves = [bare.plot([0, 1], [0, 1], pen=pg.mkPen(width=2), antialias=True) for _ in range(4)]
QTest.qWait(300)
ours, theirs = [], []
xs = list(range(120))
for number in range(40):
    a = time.process_time(); window.workload.context.stepBy(1 if number < 20 else -1); window.bridge.flush()
    app.processEvents(); b = time.process_time()
    for index, curve in enumerate(curves): curve.setData(xs, [x * (number + index) for x in xs])
    app.processEvents(); c = time.process_time()
    ours.append(b - a); theirs.append(c - b)
window.close(); print(statistics.median(ours), statistics.median(theirs))
"""
)


def rows(runs: int) -> Iterator[Row]:
    """Four rows."""
    empty_frame, _ = printed(EMPTY, runs=runs)
    _, plot_memory = printed(PLOT, runs=runs)
    frame, plot, memory = printed(OURS, runs=runs)
    yield row("window, start to first painted frame", "empty PySide6 window", frame, empty_frame, 1.5)
    yield row("window, start to finished plot", "empty PySide6 window", plot, empty_frame, 2.5)
    step, bare = printed(STEP, runs=1)
    yield row("one changed value, everything redrawn, CPU", "4 curves in bare pyqtgraph", step, bare, 2.0)
    yield Row(
        what="the same",
        against="one frame",
        ours=milliseconds(step),
        theirs="16.0 ms",
        ratio=step / 0.016,
        goal="≤ 1 ×",
        met=step <= 0.016,
    )
    yield Row(
        what="resident memory of the open window",
        against="empty PySide6 + pyqtgraph window",
        ours=f"{memory:.0f} MiB",
        theirs=f"{plot_memory:.0f} MiB",
        ratio=memory / plot_memory,
        goal="≤ 1.3 ×",
        met=memory <= 1.3 * plot_memory,
    )
