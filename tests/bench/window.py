"""The window: first frame, finished plot, one changed value, resident memory; each beside bare Qt and pyqtgraph.

Processor time since the process began: time on the clock would measure what else the machine does.
"""

from collections.abc import Iterator

from tests.bench.measure import Row, milliseconds, printed, printed_in_turns, row

_PAINTED = """
import sys, time
from PySide6.QtCore import QEvent, QObject, QTimer
from PySide6.QtWidgets import QApplication
class First(QObject):
    def __init__(self, window): super().__init__(); self.window = window; self.at = None
    def eventFilter(self, watched, event):
        if event.type() == QEvent.Type.Paint and self.at is None: self.at = time.process_time()
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
app = QApplication([]); window = QMainWindow(); drawn = []
plot = pg.PlotWidget(); window.setCentralWidget(plot); plot.plot(list(range(200)), list(range(200)))
window.resize(1280, 720); window.show()
def look(): window.grab(); drawn.append(time.process_time()); QTimer.singleShot(300, app.exit)
QTimer.singleShot(0, look); app.exec()
print(drawn[0], resident())
"""
)
OURS = (
    "import gc; gc.disable()"
    + _PAINTED
    + """
import kvdesk.cli.main, kvdesk.cli.window_command
from kvdesk.gui import beginning
from kvdesk.gui.main import application, fill, outline
app = application([]); start = beginning.default(); window = outline(app, start)
answer = First(window.skeleton.said[0]); answer.window.installEventFilter(answer)
window.resize(1280, 720)
drawn = []
def make():
    fill(window, start); gc.freeze(); gc.enable()
    look()
def look():
    plot = window.parts.plots.plot
    if plot is not None and plot.isVisible() and plot.chart is not None:
        window.grab(); drawn.append(time.process_time()); QTimer.singleShot(300, app.exit)
    else: QTimer.singleShot(2, look)
window.show(); window.after_outline(make); QTimer.singleShot(20000, app.exit); app.exec()
window.close()
print(answer.at, drawn[0], resident())
"""
)
STEP = (
    _PAINTED
    + """
import statistics
from PySide6.QtTest import QTest
from kvdesk.app import actions
from kvdesk.app.session import GpuChoice
from kvdesk.app.workspace import Workspace
from kvdesk.gui.main import build
app = QApplication([]); window = build(app); window.resize(1280, 720); window.show()
for gpu in ("h200-sxm", "l40s", "b200"):
    window.bridge.edit("", lambda session, gpu=gpu: actions.add_gpu(session, GpuChoice(gpu=gpu)))
for _ in range(3): window.bridge.arrange("", Workspace.duplicated)
QTest.qWait(1500)
assert len(window.bridge.view.results) == len(window.bridge.view.sizing.options) == 4
import pyqtgraph as pg
bare = pg.PlotWidget(); bare.resize(window.parts.plots.plot.size()); bare.show()
lines = window.parts.plots.plot.chart.lines
curves = [bare.plot([0, 1], [0, 1], pen=pg.mkPen(width=2), antialias=True) for _ in lines]
xs = list(window.parts.plots.plot.chart.contexts)
QTest.qWait(300)
ours, theirs = [], []
for number in range(60):
    a = time.process_time()
    window.parts.workload.context.stepBy(1 if number < 30 else -1); window.bridge.flush(); app.processEvents()
    b = time.process_time()
    for index, curve in enumerate(curves): curve.setData(xs, [x * (number + index) for x in xs])
    app.processEvents()
    c = time.process_time()
    ours.append(b - a); theirs.append(c - b)
window.close(); print(statistics.median(ours), statistics.median(theirs), len(curves))
"""
)


def rows(runs: int) -> Iterator[Row]:
    """First frame, first frame with the default sizing, finished plot, one step, memory."""
    (empty_frame, _), (bare_plot, plot_memory), ours = printed_in_turns(EMPTY, PLOT, OURS, runs=runs)
    frame, plot, memory = ours
    yield row("window, start to first frame with the sizing, CPU", "empty PySide6 window", frame, empty_frame, 1.5)
    yield row("window, start to finished plot, CPU", "empty PySide6 window", plot, empty_frame, 2.5)
    yield Row(
        what="the same",
        against="bare pyqtgraph window with one curve",
        ours=milliseconds(plot),
        theirs=milliseconds(bare_plot),
        ratio=plot / bare_plot,
        goal="-",
        met=None,
    )
    step, bare, curves = printed(STEP, runs=min(runs, 3))
    yield row("one changed value, everything redrawn, CPU", f"{curves:.0f} curves in bare pyqtgraph", step, bare, 2.0)
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
