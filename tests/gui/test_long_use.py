"""Long use: no thread, timer or widget more after many look-ups, recomputes and plots."""

import gc
import threading

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from kvdesk.gui.main_window import MainWindow
from tests.gui.test_look_up import files
from tests.support.fake_hub import FakeHub

LOOK_UPS = 200


def counts(window: MainWindow) -> tuple[int, int, int]:
    """Threads, timers and widgets."""
    gc.collect()
    return (
        threading.active_count(),
        len(window.findChildren(QTimer)),
        len(window.findChildren(QWidget)),
    )


@pytest.mark.slow
def test_two_hundred_look_ups_leave_nothing_behind(window: MainWindow, qtbot: QtBot, fake_hub: FakeHub) -> None:
    for number in range(4):
        fake_hub.add(f"org/model{number}", files(num_hidden_layers=number + 1))

    def look_up(number: int) -> None:
        with qtbot.waitSignal(window.bridge.looked_up, timeout=20_000):
            window.bridge.look_up(f"org/model{number % 4}")
        window.bridge.flush()

    for number in range(20):
        look_up(number)
    before = counts(window)
    for number in range(LOOK_UPS):
        look_up(number)
    QTest.qWait(200)
    after = counts(window)
    assert after[0] <= before[0] + 1, "threads"
    assert after[1] <= before[1], "timers"
    assert after[2] == before[2], "widgets"
    sizing = window.bridge.view.sizing
    assert sizing is not None
    assert len(sizing.geometry.layers) == (LOOK_UPS - 1) % 4 + 1


def test_many_recomputes_leave_nothing_behind(window: MainWindow) -> None:
    def steps(times: int) -> None:
        for number in range(times):
            window.parts.workload.context.setValue(1000 + number)
            window.bridge.flush()
            QApplication.processEvents()

    steps(20)
    before = counts(window)
    scene = window.parts.plots.plot.scene() if window.parts.plots.plot else None
    items = len(scene.items()) if scene else 0
    steps(80)
    after = counts(window)
    assert (after[0], after[2]) == (before[0], before[2])
    assert after[1] <= before[1]
    assert (len(scene.items()) if scene else 0) == items
