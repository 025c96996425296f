"""Direct labels of the plots: none upon another, upon the axis or outside, whatever is drawn."""

from functools import partial
from itertools import combinations

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtWidgets import QApplication

from kvdesk.app import actions
from kvdesk.app.session import GpuChoice
from kvdesk.gui import theme
from kvdesk.gui.main_window import MainWindow
from kvdesk.gui.plot.labels import Wanted, along, beside, dense, on_curve, settle

NO_CURVE = np.empty((0, 2))
ROOM = (300.0, 100.0)
MEMORY, SEQUENCES, PER_TOKEN, SCENARIOS = 0, 1, 2, 4


def wanted(*spots: tuple[float, float], width: float = 60.0) -> Wanted:
    return Wanted(text="label", series=0, width=width, spots=spots)


def test_a_label_takes_its_first_spot_where_that_is_free() -> None:
    assert settle([wanted((0, 0), (0, 50))], 12, ROOM, NO_CURVE, []) == [(0, 0)]


def test_a_label_leaves_a_curve_a_line_and_another_label_alone() -> None:
    both = wanted((0, 0), (0, 50))
    assert settle([both], 12, ROOM, np.array([[5.0, 5.0]]), []) == [(0, 50)]
    assert settle([both], 12, ROOM, NO_CURVE, [6.0]) == [(0, 50)]
    assert settle([both, both], 12, ROOM, NO_CURVE, []) == [(0, 0), (0, 50)]


def test_a_label_without_a_free_spot_inside_is_left_out() -> None:
    outside = wanted((-1, 0), (0, 90), (250, 0))
    one = wanted((0, 0))
    assert settle([outside, one, one], 12, ROOM, NO_CURVE, []) == [None, (0, 0), None]


def test_spots_are_beside_what_they_name() -> None:
    assert all(top + 12 <= 50 or top >= 50 for _, top in along(300, 50, 60, 12))
    assert all(left + 60 <= 100 or left >= 100 for left, _ in beside(100, 50, 60, 12))
    x, y = np.array([0.0, 100.0]), np.array([80.0, 20.0])
    assert on_curve(x, y, 60, 12)[0] == (40, 5)
    assert dense(x, y).shape == (4, 2)
    assert dense(x[:0], y[:0]).shape == (0, 2)


@pytest.fixture
def crowded(window: MainWindow) -> MainWindow:
    """Eight options, of which four have the same capacity, in four scenarios."""
    for gpu, count in (("h100-sxm", 2), ("h100-sxm", 4), ("h100-sxm", 8), ("h200-sxm", 1), ("l40s", 1), ("b200", 1)):
        window.bridge.edit("", partial(actions.add_gpu, choice=GpuChoice(gpu=gpu, count=count)))
    window.bridge.edit("", lambda s: actions.add_gpu(s, GpuChoice(gpu="mi300x")))
    window.bridge.edit("", lambda s: actions.set_sequences(s, 20))
    for engine in ("plain", "sglang", "llama_cpp"):
        window.bridge.arrange("", lambda workspace: workspace.duplicated())
        window.bridge.edit("", partial(actions.set_engine, name=engine))
    window.bridge.flush()
    return window


@pytest.mark.parametrize("size", [(1024, 720), (1280, 720), (2560, 1440)])
@pytest.mark.parametrize("plot", [MEMORY, SEQUENCES, PER_TOKEN, SCENARIOS])
def test_labels_never_meet_nor_leave_the_plot(crowded: MainWindow, plot: int, size: tuple[int, int]) -> None:
    crowded.resize(*size)
    crowded.parts.plots.tabs.setCurrentIndex(plot)
    QApplication.processEvents()
    drawn = crowded.parts.plots.plot
    assert drawn is not None
    drawn.grab()  # an axis takes its room, and the plot its scale, only when painted
    room, zoom = drawn.getPlotItem().vb.sceneBoundingRect(), drawn.viewportTransform()
    shown = [label for label in drawn._labels if label.isVisible()]
    boxes: list[QRectF] = [label.deviceTransform(zoom).mapRect(label.boundingRect()) for label in shown]
    assert len(boxes) >= (2 if plot == PER_TOKEN else 6)
    # One pixel for rounding.
    assert all(room.adjusted(-1, -1, 1, 1).contains(box) for box in boxes)
    assert not [(a, b) for a, b in combinations(boxes, 2) if a.adjusted(1, 1, -1, -1).intersects(b)]
    crowded.resize(1280, 720)


@pytest.mark.parametrize("colours", [theme.LIGHT, theme.DARK, theme.CONTRAST_LIGHT, theme.CONTRAST_DARK])
def test_labels_can_be_read(window: MainWindow, colours: theme.Theme) -> None:
    drawn = window.parts.plots.plot
    assert drawn is not None
    former, drawn._theme = drawn._theme, colours
    inks = [drawn._ink(series) for series in range(-1, 4)]
    drawn._theme = former
    # 4.5 : 1, WCAG 2.2 success criterion 1.4.3.
    assert all(contrast(ink, colours.surface) >= 4.5 for ink in inks)


def contrast(first: str, second: str) -> float:
    """By WCAG 2.2's definitions of relative luminance and contrast ratio."""
    high, low = sorted((luminance(first), luminance(second)), reverse=True)
    return (high + 0.05) / (low + 0.05)


def luminance(colour: str) -> float:
    parts = (int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5))
    red, green, blue = (p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
