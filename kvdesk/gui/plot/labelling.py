"""The labels of a chart, and where they stand in a plot of a given size and range."""

import math
from collections.abc import Callable
from functools import partial

import numpy as np
from PySide6.QtGui import QFontMetrics

from kvdesk.core.values import dataclass
from kvdesk.gui.panels.plots.chart import Chart
from kvdesk.gui.plot.items import MARGIN
from kvdesk.gui.plot.labels import Numbers, Spot, Wanted, along, beside, dense, on_curve, settle


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """What a plot shows, low to high, and its size in pixels; `height_of` turns a value into the plot's own units."""

    x: tuple[float, float]
    y: tuple[float, float]
    width: float
    height: float
    height_of: Callable[[float], float]

    def across(self, context: float) -> float:
        """Pixels from the left."""
        return (math.log2(context) - self.x[0]) / (self.x[1] - self.x[0]) * self.width

    def down(self, value: float) -> float:
        """Pixels from the top."""
        return (self.y[1] - self.height_of(value)) / (self.y[1] - self.y[0]) * self.height

    def place(self, spot: Spot) -> tuple[float, float]:
        """The same in the plot's own units."""
        x = self.x[0] + spot[0] / self.width * (self.x[1] - self.x[0])
        return x, self.y[1] - spot[1] / self.height * (self.y[1] - self.y[0])


def labels_of(chart: Chart, frame: Frame, metrics: QFontMetrics) -> list[tuple[Wanted, Spot]]:
    """The labels that have room: of crossings, of capacities, and of curves that no capacity names."""
    high = metrics.height() + 2 * MARGIN
    across = np.array([frame.across(context) for context in chart.contexts])
    curves = [_pixels(across, line.values, frame) for line in chart.lines]
    named = {limit.series for limit in chart.limits}
    found: list[Wanted] = []

    def ask(text: str, series: int, spots: Callable[[float, float], tuple[Spot, ...]]) -> None:
        width = metrics.horizontalAdvance(text) + 2 * MARGIN
        found.append(Wanted(text=text, series=series, width=width, spots=spots(width, high)))

    for mark in chart.marks:
        ask(mark.title, mark.series, partial(beside, frame.across(mark.context), frame.down(mark.value)))
    for limit in chart.limits:
        ask(limit.title, limit.series, partial(along, frame.width, frame.down(limit.value)))
    for line, (x, y) in zip(chart.lines, curves, strict=True):
        if line.series not in named and len(x):
            ask(line.title, line.series, partial(on_curve, x, y))
    points = np.concatenate([np.empty((0, 2)), *(dense(x, y) for x, y in curves)])
    rules = [frame.down(limit.value) for limit in chart.limits]
    spots = settle(found, high, (frame.width, frame.height), points, rules)
    return [(label, spot) for label, spot in zip(found, spots, strict=True) if spot is not None]


def _pixels(across: Numbers, values: tuple[float | None, ...], frame: Frame) -> tuple[Numbers, Numbers]:
    """The corners of a curve where it has a value."""
    known = [at for at, value in enumerate(values) if value is not None]
    return across[known], np.array([frame.down(value) for value in values if value is not None])
