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
import numpy as np
import pyqtgraph as pg
from kvdesk.gui.theme import curve_pen
ours = window.parts.plots.plot
chart, colour = ours.chart, lambda series: ours._colour(series)
# The same picture by hand: as large, over the same range, the same points, pens and capacities.
bare = pg.PlotWidget(); bare.resize(ours.size()); bare.show()
(left, right), (low, high) = ours.viewRange()
bare.setXRange(left, right, padding=0); bare.setYRange(low, high, padding=0)
curves = [bare.plot([0, 1], [0, 1], pen=curve_pen(colour(l.series), l.series), antialias=True) for l in chart.lines]
for l in chart.limits: bare.addItem(pg.InfiniteLine(pos=l.value, angle=0, pen=colour(l.series)), ignoreBounds=True)
xs = np.log2(np.array(chart.contexts, dtype=float))
assert len(curves) == len(chart.limits) == 4
QTest.qWait(300)
fields = ("context", "sequences")
steps, theirs = {field: [] for field in fields}, {field: [] for field in fields}
def timed(times, work):
    begun = time.process_time(); work(); app.processEvents(); times.append(time.process_time() - begun)
def step(field, by): getattr(window.parts.workload, field).stepBy(by); window.bridge.flush()
def draw(ys):
    for curve, y in zip(curves, ys): curve.setData(xs, y)
for number in range(60):
    for field in fields:
        timed(steps[field], lambda: step(field, 1 if number < 30 else -1))
        ys = [np.array(l.values) for l in ours.chart.lines]
        timed(theirs[field], lambda: draw(ys))
window.close(); print(*map(statistics.median, (*steps.values(), *theirs.values())), len(curves))
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
    context, sequences, *bare, curves = printed(STEP, runs=min(runs, 3))
    against = f"{curves:.0f} curves in bare pyqtgraph"
    yield row("another context, everything redrawn, CPU", against, context, bare[0], 2.0)
    yield row("another number of sequences, which moves every curve", against, sequences, bare[1], 2.0)
    step = max(context, sequences)
    yield Row(
        what="the dearer of both",
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
