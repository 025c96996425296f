"""Room: the window is inside its screen, and what is opened is in sight on a small one."""

import pytest
from PySide6.QtCore import QRect
from PySide6.QtTest import QTest

from kvdesk.app import actions
from kvdesk.app.session import GpuChoice
from kvdesk.gui import layout
from kvdesk.gui.main_window import MainWindow


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


def test_a_small_window_shows_an_opened_line_whole(window: MainWindow) -> None:
    window.bridge.edit("", lambda session: actions.add_gpu(session, GpuChoice(gpu="h200-sxm", count=8)))
    window.bridge.flush()
    QTest.qWait(50)
    tree, model = window.parts.budget.tree, window.parts.budget.model
    rows = tree.viewport().height() // tree.visualRect(model.index(0, 0)).height()
    assert (window.width(), window.height()) == (1280, 720)
    assert rows >= 6
    for row in range(model.rowCount()):
        line = model.index(row, 0)
        tree.expand(line)
        QTest.qWait(1)
        for index in (line, *(model.index(step, 0, line) for step in range(model.rowCount(line)))):
            assert tree.viewport().rect().contains(tree.visualRect(index).center()), model.lines[row].label
        tree.collapse(line)
