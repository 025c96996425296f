"""The plot of a chart against the context: one pyqtgraph widget whose items are kept and given new data."""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np
import pyqtgraph as pg
from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QWheelEvent
from PySide6.QtWidgets import QGraphicsItem

from kvdesk.gui.panels.plots.chart import Chart, Line
from kvdesk.gui.plot.axes import TokenAxis, ValueAxis
from kvdesk.gui.plot.items import CurveItem, DotItem, LabelItem, LineItem
from kvdesk.gui.plot.labelling import Frame, labels_of
from kvdesk.gui.plot.labels import Numbers
from kvdesk.gui.theme import LIGHT, Theme, curve_pen, mix

_Item = TypeVar("_Item", bound=QGraphicsItem)
_Value = TypeVar("_Value")


class ContextPlot(pg.PlotWidget):  # type: ignore[misc]  # pyqtgraph has no types
    """Draws a `Chart`; `pointed` tells the index of the context under the crosshair, -1 for none."""

    pointed = Signal(int)

    def __init__(self) -> None:
        self._x_axis, self._y_axis = TokenAxis("bottom"), ValueAxis("left")
        super().__init__(axisItems={"bottom": self._x_axis, "left": self._y_axis})
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setFrameShape(self.Shape.NoFrame)
        # Curves cut up by the rectangles of all that changed are slower to draw than once as a whole.
        self.setViewportUpdateMode(self.ViewportUpdateMode.BoundingRectViewportUpdate)
        self.scene().setItemIndexMethod(self.scene().ItemIndexMethod.NoIndex)
        self._chart: Chart | None = None
        self._theme = LIGHT
        self._at = -1
        plot = self.getPlotItem()
        plot.setMenuEnabled(False)
        plot.hideButtons()
        plot.setMouseEnabled(x=True, y=False)
        plot.vb.setMouseMode(pg.ViewBox.PanMode)
        plot.vb.sigRangeChangedManually.connect(self._place_labels)
        # Not the widget's own size: an axis whose numbers get longer takes room from the plot, too.
        plot.vb.sigResized.connect(self._fit)
        for axis in (self._x_axis, self._y_axis):
            axis.enableAutoSIPrefix(False)
        self._y_axis.setStyle(tickLength=0)
        self._curves: list[CurveItem] = []
        self._limits: list[LineItem] = []
        self._bands: list[tuple[pg.PlotDataItem, pg.PlotDataItem, pg.FillBetweenItem]] = []
        self._labels: list[LabelItem] = []
        self._marks: list[DotItem] = []
        self._grid: list[LineItem] = []
        self._context, self._cross = LineItem(), LineItem()
        for item in (self._context, self._cross):
            plot.vb.addItem(item, ignoreBounds=True)
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
        self._stand(self._context, chart, chart.context)
        self.setAccessibleDescription(chart.sentence)
        if self._at >= 0:
            self.point_at(min(self._at, len(chart.contexts) - 1))

    def zoom_to_range(self) -> None:
        """From 256 tokens to the model's longest context, and room for the labels."""
        chart = self._chart
        if chart is None:
            return
        first, last = math.log2(chart.contexts[0]), math.log2(chart.contexts[-1])
        self.setXRange(first, last + 0.25, padding=0)
        self.setYRange(*self._heights(chart), padding=0)
        self._draw_grid()

    def point_at(self, at: int) -> None:
        """Put the crosshair on a context; -1 takes it away."""
        chart = self._chart
        self._at = at
        self._cross.setVisible(at >= 0)
        if chart is not None and at >= 0:
            self._stand(self._cross, chart, chart.contexts[at])
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

    def _heights(self, chart: Chart) -> tuple[float, float]:
        return (self._y(0.7) if chart.logarithmic else 0.0, self._y(chart.top))

    def _stand(self, line: LineItem, chart: Chart, tokens: int) -> None:
        line.upright(math.log2(tokens), *self._heights(chart))

    def _draw_curves(self, chart: Chart) -> None:
        x = np.log2(np.array(chart.contexts, dtype=float))
        heights = [self._heights_of(chart, line) for line in chart.lines]
        (low, high), far = self._heights(chart), 2 * x[-1]
        room = QRectF(-far, low - (high - low), 3 * far, 3 * (high - low))
        for item, (line, y) in self._kept(self._curves, CurveItem, list(zip(chart.lines, heights, strict=True))):
            pen = curve_pen(self._colour(line.series), line.series)
            if pen != item.pen():
                item.setPen(pen)
            item.across(room)
            seen = _seen(y, high)
            item.setPath(pg.arrayToQPath(x[seen], y[seen], connect="finite"))

    @staticmethod
    def _heights_of(chart: Chart, line: Line) -> Numbers:
        """Where the points of a curve lie; a gap is no number."""
        values = np.array(line.values, dtype=float)
        return np.log10(np.maximum(values, 1e-9)) if chart.logarithmic else values

    def _draw_grid(self) -> None:
        """Faint lines at the ticks of the values; as part of the axis they would be painted with all of its texts."""
        low, high = self.getPlotItem().vb.viewRange()[1]
        ticks = [y for _, ys in self._y_axis.tickValues(low, high, self._y_axis.height()) for y in ys]
        colour = QColor(self._theme.border)
        colour.setAlphaF(0.18 if self._theme.dark else 0.12)
        for item, y in self._kept(self._grid, LineItem, ticks):
            item.setZValue(-20)
            item.draw(colour)
            item.across(y)

    def _draw_limits(self, chart: Chart) -> None:
        for item, limit in self._kept(self._limits, LineItem, chart.limits):
            colour = self._colour(limit.series)
            colour.setAlpha(190)
            item.draw(colour)
            item.across(self._y(limit.value))

    def _kept(
        self, items: list[_Item], make: Callable[[], _Item], wanted: Sequence[_Value]
    ) -> Iterator[tuple[_Item, _Value]]:
        """One of `items` for each of `wanted`; more are made, those that are too many are hidden."""
        while len(items) < len(wanted):
            items.append(make())
            self.getPlotItem().vb.addItem(items[-1], ignoreBounds=True)
        for at, item in enumerate(items):
            item.setVisible(at < len(wanted))
        return zip(items, wanted, strict=False)

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
        for item, mark in self._kept(self._marks, DotItem, chart.marks):
            item.draw(self._colour(mark.series), self._theme.surface)
            item.setPos(math.log2(mark.context), self._y(mark.value))

    def _place_labels(self, _by_mouse: object = None) -> None:
        chart = self._chart
        if chart is None:
            return
        frame = self._framed()
        labels = labels_of(chart, frame, self.fontMetrics())
        for item, (label, spot) in self._kept(self._labels, LabelItem, labels):
            item.say(label.text, self._ink(label.series), self._theme.surface)
            item.setPos(*frame.place(spot))

    def _fit(self, _box: object) -> None:
        """Labels keep their distance in pixels, grid lines are as many as there is room for."""
        if self._chart is not None:
            self._draw_grid()
            self._place_labels()

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
        self._context.draw(QColor(theme.muted))
        self._cross.draw(QColor(theme.accent))

    def _mouse_moved(self, position: QPointF) -> None:
        chart = self._chart
        box = self.getPlotItem().vb
        if chart is None or not box.sceneBoundingRect().contains(position):
            return
        tokens = 2.0 ** min(40.0, max(0.0, float(box.mapSceneToView(position).x())))
        at = chart.nearest(tokens)
        if at != self._at:
            self.point_at(at)


def _seen(values: Numbers, top: float) -> slice:
    """The points from the first to the last that can be seen: Qt would deal out dashes along all of a curve."""
    low = np.flatnonzero(~(values > top))
    return slice(max(0, low[0] - 1), low[-1] + 2) if low.size else slice(0)


def _drawn(chart: Chart) -> tuple[object, ...]:
    """All that is drawn but for the line at the workload's own context."""
    return (_frame(chart), chart.contexts, chart.lines, chart.limits, chart.marks, chart.bands)


def _frame(chart: Chart) -> tuple[object, ...]:
    """What decides the axes: a change of it zooms anew, anything else leaves the zoom alone."""
    return (chart.title, chart.contexts[0], chart.contexts[-1], chart.top, chart.logarithmic)
