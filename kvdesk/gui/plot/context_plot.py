"""The plot of a chart against the context: one pyqtgraph widget whose items are kept and given new data."""

import math

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QResizeEvent, QWheelEvent

from kvdesk.gui.panels.plots.chart import Chart
from kvdesk.gui.plot.axes import TokenAxis, ValueAxis
from kvdesk.gui.plot.label_item import LabelItem
from kvdesk.gui.plot.labelling import Frame, labels_of
from kvdesk.gui.theme import LIGHT, Theme, curve_pen, mix


class ContextPlot(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """Draws a `Chart`; `pointed` tells the index of the context under the crosshair, -1 for none."""

    pointed = Signal(int)

    def __init__(self) -> None:
        self._x_axis, self._y_axis = TokenAxis("bottom"), ValueAxis("left")
        super().__init__(axisItems={"bottom": self._x_axis, "left": self._y_axis})
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(self.Shape.NoFrame)
        self._chart: Chart | None = None
        self._theme = LIGHT
        self._at = -1
        plot = self.getPlotItem()
        plot.setMenuEnabled(False)
        plot.hideButtons()
        plot.setMouseEnabled(x=True, y=False)
        plot.vb.setMouseMode(pg.ViewBox.PanMode)
        plot.vb.sigRangeChangedManually.connect(self._place_labels)
        for axis in (self._x_axis, self._y_axis):
            axis.enableAutoSIPrefix(False)
        self._curves: list[pg.PlotDataItem] = []
        self._limits: list[pg.InfiniteLine] = []
        self._bands: list[tuple[pg.PlotDataItem, pg.PlotDataItem, pg.FillBetweenItem]] = []
        self._labels: list[LabelItem] = []
        self._marks = pg.ScatterPlotItem(size=9, pxMode=True)
        self._context = pg.InfiniteLine(angle=90, movable=False)
        self._cross = pg.InfiniteLine(angle=90, movable=False)
        for item in (self._marks, self._context, self._cross):
            plot.addItem(item, ignoreBounds=True)
        self._cross.hide()
        self.scene().sigMouseMoved.connect(self._mouse_moved)

    @property
    def at(self) -> int:
        """The index of the context under the crosshair, -1 for none."""
        return self._at

    @property
    def chart(self) -> Chart | None:
        """What is drawn."""
        return self._chart

    def show_chart(self, chart: Chart, theme: Theme) -> None:
        """Draw `chart` in the colours of `theme`."""
        former = self._chart if theme is self._theme else None
        if former is None:
            self._paint_theme(theme)
        self._chart = chart
        # A step of one field leaves most of a chart as it is; drawing the same again would cost more than a frame has.
        if former is None or _drawn(former) != _drawn(chart):
            self._y_axis.logarithmic = chart.logarithmic
            for draw in (self._draw_bands, self._draw_curves, self._draw_limits, self._draw_marks):
                draw(chart)
            if former is None or _frame(former) != _frame(chart):
                self.zoom_to_range()
            self._place_labels()
        self._context.setPos(math.log2(chart.context))
        self.setAccessibleDescription(chart.sentence)
        if self._at >= 0:
            self.point_at(min(self._at, len(chart.contexts) - 1))

    def zoom_to_range(self) -> None:
        """From 256 tokens to the model's longest context, and room for the labels."""
        chart = self._chart
        if chart is None:
            return
        first, last = math.log2(chart.contexts[0]), math.log2(chart.contexts[-1])
        low = self._y(0.7) if chart.logarithmic else 0.0
        self.setXRange(first, last + 0.25, padding=0)
        self.setYRange(low, self._y(chart.top), padding=0)

    def point_at(self, at: int) -> None:
        """Put the crosshair on a context; -1 takes it away."""
        chart = self._chart
        self._at = at
        self._cross.setVisible(at >= 0)
        if chart is not None and at >= 0:
            self._cross.setPos(math.log2(chart.contexts[at]))
        self.pointed.emit(at)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Arrow keys move the crosshair, Home and End to the ends, Esc takes it away, 0 zooms to the range."""
        chart = self._chart
        steps = {Qt.Key.Key_Left: -1, Qt.Key.Key_Right: 1, Qt.Key.Key_PageUp: 8, Qt.Key.Key_PageDown: -8}
        key = event.key()
        if chart is None:
            super().keyPressEvent(event)
        elif key in steps:
            start = self._at if self._at >= 0 else chart.nearest(chart.context)
            self.point_at(min(max(0, start + steps[key]), len(chart.contexts) - 1))  # type: ignore[index]  # Qt's key
        elif key in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self.point_at(0 if key == Qt.Key.Key_Home else len(chart.contexts) - 1)
        elif key == Qt.Key.Key_Escape:
            self.point_at(-1)
        elif key == Qt.Key.Key_0:
            self.zoom_to_range()
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Zooms only while the plot has the focus, so that scrolling past it goes on."""
        super().wheelEvent(event) if self.hasFocus() else event.ignore()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Labels keep their distance in pixels."""
        super().resizeEvent(event)
        if getattr(self, "_chart", None) is not None:
            self._place_labels()

    def leaveEvent(self, event: object) -> None:
        """The crosshair goes with the pointer, unless it was set by key."""
        super().leaveEvent(event)
        if not self.hasFocus():
            self.point_at(-1)

    # --------------------------------------------------------------------------------------------------------- drawing

    def _y(self, value: float) -> float:
        chart = self._chart
        return math.log10(max(value, 1e-9)) if chart and chart.logarithmic else value

    def _colour(self, series: int) -> QColor:
        return QColor(self._theme.muted if series < 0 else self._theme.series[series % 4])

    def _draw_curves(self, chart: Chart) -> None:
        x = np.log2(np.array(chart.contexts, dtype=float))
        while len(self._curves) < len(chart.lines):
            self._curves.append(self.plot([], [], antialias=True))
        for at, curve in enumerate(self._curves):
            curve.setVisible(at < len(chart.lines))
            if at >= len(chart.lines):
                continue
            line = chart.lines[at]
            values = np.array([math.nan if v is None else self._y(v) for v in line.values])
            pen = curve_pen(self._colour(line.series), line.series)
            curve.setData(x, values, pen=pen, connect="finite")

    def _draw_limits(self, chart: Chart) -> None:
        while len(self._limits) < len(chart.limits):
            item = pg.InfiniteLine(angle=0, movable=False)
            self.addItem(item, ignoreBounds=True)
            self._limits.append(item)
        for at, item in enumerate(self._limits):
            item.setVisible(at < len(chart.limits))
            if at < len(chart.limits):
                limit = chart.limits[at]
                colour = self._colour(limit.series)
                colour.setAlpha(190)
                # Solid and thin: dashes as long as the plot is wide are slow to draw, and curves have them already.
                item.setPen(pg.mkPen(colour, width=1))
                item.setPos(self._y(limit.value))

    def _draw_bands(self, chart: Chart) -> None:
        x = np.log2(np.array(chart.contexts, dtype=float))
        while len(self._bands) < len(chart.bands):
            low, high = pg.PlotDataItem(), pg.PlotDataItem()
            fill = pg.FillBetweenItem(low, high)
            fill.setZValue(-10)
            self.addItem(fill, ignoreBounds=True)
            self._bands.append((low, high, fill))
        for at, (low, high, fill) in enumerate(self._bands):
            fill.setVisible(at < len(chart.bands))
            if at < len(chart.bands):
                band = chart.bands[at]
                low.setData(x, np.array(band.low))
                high.setData(x, np.array(band.high))
                colour = QColor(band.colour)
                colour.setAlpha(110)
                fill.setBrush(colour)

    def _draw_marks(self, chart: Chart) -> None:
        spots = [
            {
                "pos": (math.log2(mark.context), self._y(mark.value)),
                "brush": self._colour(mark.series),
                "pen": pg.mkPen(self._theme.surface, width=1.5),
            }
            for mark in chart.marks
        ]
        self._marks.setData(spots)

    def _place_labels(self, _by_mouse: object = None) -> None:
        chart = self._chart
        if chart is None:
            return
        frame = self._framed()
        labels = labels_of(chart, frame, self.fontMetrics())
        while len(self._labels) < len(labels):
            item = LabelItem()
            self.addItem(item, ignoreBounds=True)
            self._labels.append(item)
        for at, item in enumerate(self._labels):
            item.setVisible(at < len(labels))
            if at < len(labels):
                label, spot = labels[at]
                item.say(label.text, self._ink(label.series), self._theme.surface)
                item.setPos(*frame.place(spot))

    def _framed(self) -> Frame:
        box = self.getPlotItem().vb
        (left, right), (low, high) = box.viewRange()
        size = (max(1.0, box.width()), max(1.0, box.height()))
        return Frame(x=(left, right), y=(low, high), width=size[0], height=size[1], height_of=self._y)

    def _ink(self, series: int) -> str:
        """A curve's colour, nearer to that of text, so that it can be read as one (4.5:1)."""
        return mix(self._colour(series).name(), self._theme.text, 0.3)

    def _paint_theme(self, theme: Theme) -> None:
        self._theme = theme
        self.setBackground(theme.surface)
        for axis in (self._x_axis, self._y_axis):
            axis.setPen(pg.mkPen(theme.border))
            axis.setTextPen(pg.mkPen(theme.muted))
            axis.setTickFont(self.font())
        self.showGrid(x=False, y=True, alpha=0.12 if not theme.dark else 0.18)
        self._context.setPen(pg.mkPen(theme.muted, width=1))
        self._cross.setPen(pg.mkPen(theme.accent, width=1))

    def _mouse_moved(self, position: QPointF) -> None:
        chart = self._chart
        box = self.getPlotItem().vb
        if chart is None or not box.sceneBoundingRect().contains(position):
            return
        tokens = 2.0 ** min(40.0, max(0.0, float(box.mapSceneToView(position).x())))
        at = chart.nearest(tokens)
        if at != self._at:
            self.point_at(at)


def _drawn(chart: Chart) -> tuple[object, ...]:
    """All that is drawn but for the line at the workload's own context."""
    return (_frame(chart), chart.contexts, chart.lines, chart.limits, chart.marks, chart.bands)


def _frame(chart: Chart) -> tuple[object, ...]:
    """What decides the axes: a change of it zooms anew, anything else leaves the zoom alone."""
    return (chart.title, chart.contexts[0], chart.contexts[-1], chart.top, chart.logarithmic)
