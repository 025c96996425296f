"""Room: the window is inside its screen, and what is opened is in sight on a small one."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from kvdesk.app import actions
from kvdesk.app.session import GpuChoice
from kvdesk.gui import layout
from kvdesk.gui.main_window import MainWindow
from tests.support.own_window import own_window


@pytest.mark.parametrize(
    ("frame", "fitted"),
    [
        # As high as the screen, and the frame's 25 pixels on top.
        (QRect(0, 0, 1232, 745), QRect(0, 0, 1232, 720)),
        (QRect(-50, 20, 1400, 700), QRect(0, 20, 1280, 700)),
        (QRect(900, 500, 600, 400), QRect(680, 320, 600, 400)),
        (QRect(100, 100, 600, 400), QRect(100, 100, 600, 400)),
    ],
)
def test_a_window_is_made_to_fit_with_its_frame(frame: QRect, fitted: QRect) -> None:
    assert layout.fitted(frame, QRect(0, 0, 1280, 720)) == fitted


def test_the_window_starts_inside_its_screen(window: MainWindow) -> None:
    space = window.screen().availableGeometry()
    window.resize(space.size() * 1.5)
    layout.keep_inside(window)
    QTest.qWait(20)
    assert space.contains(window.frameGeometry())
    window.resize(1280, 720)


@pytest.fixture
def small(qapp: QApplication) -> Iterator[MainWindow]:
    """A window of its own, 1280 x 720, since measures follow the font at the start; its second option is looked at."""
    with own_window(qapp, 1280, 720, 9.0) as window:
        window.bridge.edit("", lambda session: actions.add_gpu(session, GpuChoice(gpu="h200-sxm", count=8)))
        while window.parts.plots.plot is None:
            QTest.qWait(20)
        yield window


def test_a_small_window_shows_an_opened_line_whole(small: MainWindow) -> None:
    QTest.qWait(50)
    tree, model = small.parts.budget.tree, small.parts.budget.model
    rows = tree.viewport().height() // tree.visualRect(model.index(0, 0)).height()
    assert (small.width(), small.height()) == (1280, 720)
    assert rows >= 6
    for row in range(model.rowCount()):
        line = model.index(row, 0)
        tree.expand(line)
        QTest.qWait(1)
        for index in (line, *(model.index(step, 0, line) for step in range(model.rowCount(line)))):
            assert tree.viewport().rect().contains(tree.visualRect(index).center()), model.lines[row].label
        tree.collapse(line)


@pytest.mark.parametrize("width", [1024, 1280])
def test_what_tables_say_is_not_cut(small: MainWindow, qtbot: QtBot, width: int) -> None:
    small.resize(width, 720)
    small.bridge.edit("", lambda session: actions.set_gpu(session, 0, GpuChoice(gpu="gh200-96", count=8)))
    small.bridge.flush()
    parts = small.parts
    small.actions_by_id["view.plan"].trigger()
    qtbot.waitUntil(lambda: parts.plan.states.ready and parts.plan.table.isEnabled(), timeout=20_000)
    small.actions_by_id["view.layers"].trigger()
    QTest.qWait(50)
    plan, layers = parts.plan.table, parts.layers.table
    name = str(plan.cells.index(0, 0).data())
    assert plan.columnWidth(0) >= plan.fontMetrics().horizontalAdvance(name)
    index = layers.cells.index(0, 3)
    box = layers.visualRect(index).adjusted(8, 0, -8, 0)
    words = layers.fontMetrics().boundingRect(box, Qt.TextFlag.TextWordWrap, str(index.data()))
    assert words.height() <= layers.rowHeight(0)


def test_the_list_of_formats_is_as_wide_as_its_texts(window: MainWindow) -> None:
    field = window.parts.serving.kv
    field.showPopup()
    QTest.qWait(20)
    view = field.view()
    widest = max(view.fontMetrics().horizontalAdvance(field.itemText(at)) for at in range(field.count()))
    assert view.viewport().width() >= widest
    field.hidePopup()
