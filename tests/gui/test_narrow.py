"""Small windows and large fonts: nothing but long tables needs a sideways scroll, no text is cut."""

from collections.abc import Iterator
from functools import partial

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLabel, QScrollArea

from kvdesk.app import actions
from kvdesk.app.session import GpuChoice
from kvdesk.gui.main_window import MainWindow
from tests.support.own_window import own_window

# 1280 x 720 at 150 and 200 % has as many ems as with a font of 13.5 and 18 points instead of 9.
SIZES = [(1024, 720, 9.0), (1280, 720, 9.0), (1280, 720, 13.5), (1280, 720, 18.0), (3840, 2160, 18.0)]


@pytest.fixture(params=SIZES, ids=lambda size: "{}x{}-{}pt".format(*size))
def small(request: pytest.FixtureRequest, qapp: QApplication) -> Iterator[MainWindow]:
    """A window of its own, since measures follow the font at the start: four options, four scenarios, crosshair set."""
    width, height, points = request.param
    with own_window(qapp, width, height, points) as window:
        for gpu in ("h200-sxm", "l40s", "b200"):
            window.bridge.edit("", partial(actions.add_gpu, choice=GpuChoice(gpu=gpu, count=2)))
        window.bridge.edit("", lambda session: actions.set_sequences(session, 20))
        for engine in ("plain", "sglang", "llama_cpp"):
            window.bridge.arrange("", lambda workspace: workspace.duplicated())
            window.bridge.edit("", partial(actions.set_engine, name=engine))
        while window.parts.plots.plot is None or not window.parts.plots.plot.chart:
            QTest.qWait(10)
        window.parts.plots.plot.point_at(40)
        QTest.qWait(200)
        yield window


def test_nothing_but_tables_is_wider_than_its_place(small: MainWindow) -> None:
    for plot in range(small.parts.plots.tabs.count()):
        small.parts.plots.tabs.setCurrentIndex(plot)
        for page in range(small.parts.details.tabs.count()):
            small.parts.details.tabs.setCurrentIndex(page)
            QApplication.processEvents()
            shown = [(area.widget(), area) for area in small.findChildren(QScrollArea) if area.isVisible()]
            wide = [inside for inside, area in shown if inside and inside.width() > area.viewport().width()]
            assert not wide, (plot, page)


def test_wrapped_texts_are_as_high_as_they_need(small: MainWindow) -> None:
    cut = [
        (text.text(), text.height(), text.heightForWidth(text.width()))
        for row in small.parts.verdict.rows
        for text in row.findChildren(QLabel)
        if text.wordWrap() and text.height() < text.heightForWidth(text.width())
    ]
    assert not cut


def test_names_of_budget_lines_can_be_read(small: MainWindow) -> None:
    tree: QAbstractItemView = small.parts.budget.tree
    small.parts.details.show_page(small.parts.budget)
    QApplication.processEvents()
    assert tree.visualRect(tree.model().index(0, 1)).width() >= 10 * tree.fontMetrics().height()


def test_the_wheel_scrolls_past_a_plot_that_was_not_clicked(window: MainWindow) -> None:
    plot = window.parts.plots.plot
    assert plot is not None
    window.parts.bar.focus()
    before = plot.getPlotItem().vb.viewRange()
    event = QWheelEvent(
        QPointF(50, 50), QPointF(50, 50), QPoint(0, 0), QPoint(0, -120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(plot.viewport(), event)
    assert plot.getPlotItem().vb.viewRange() == before
    assert not event.isAccepted()
