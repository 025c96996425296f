"""The window's first frame: the answer is in it, and what it does not need is not there yet."""

import json
import subprocess
import sys

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from kvdesk.app.defaults import default_session
from kvdesk.app.derive import Deriver
from kvdesk.gui import beginning
from kvdesk.gui.main import build, fill, outline
from tests.bench.measure import environment

_UNTIL_PAINTED = """
import json, sys
from PySide6 import QtCore
from kvdesk.gui import beginning
from kvdesk.gui.main import application, outline
app = application([])
window = outline(app, beginning.default())
painted = []
window.skeleton.painted.connect(lambda: painted.append(1))
window.show()
app.processEvents()
said = [label.text() for label in window.skeleton.said]
print(json.dumps([len(painted), sorted(sys.modules), "Qt" in vars(QtCore), said]))
"""


def test_the_first_frame_needs_no_panel_no_plot_and_not_the_whole_of_qt() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _UNTIL_PAINTED],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    painted, modules, qt, said = json.loads(done.stdout)
    assert painted
    assert not {"numpy", "pyqtgraph", "huggingface_hub", "typst"} & set(modules)
    assert not [name for name in modules if name.startswith("kvdesk.gui.panels")]
    assert not qt, "PySide6 made the class Qt, which takes 12 ms"
    assert len(said) == 2


def test_it_says_what_the_panels_say_after_it(qtbot: QtBot, qapp: QApplication) -> None:
    start = beginning.default()
    window = outline(qapp, start)
    qtbot.addWidget(window)
    window.show()
    QTest.keyClicks(window.skeleton.field, "Qwen/")
    fill(window, start)
    (answer,) = (option.answer for option in Deriver().derive(default_session()).options)
    assert answer
    assert start.sentences[1].startswith("FITS")
    assert f" {answer.full_length_sequences} sequences of 8,192 tokens" in start.sentences[1]
    assert f"{answer.full_length_sequences} sequences of 8,192 tokens" in window.parts.verdict.rows[0].accessibleName()
    qtbot.waitUntil(lambda: window.parts.bar.field.text() == "Qwen/", timeout=5000)
    window.bridge.store.mark_saved(window.bridge.store.workspace)
    window.close()


def test_pages_behind_tabs_come_when_they_are_shown(qtbot: QtBot, qapp: QApplication) -> None:
    window = build(qapp)
    qtbot.addWidget(window)
    tabs = window.parts.details.tabs
    assert "layers" not in vars(window.parts)
    tabs.setCurrentIndex(1)
    assert window.parts.details.pages.currentWidget() is window.parts.layers
    assert window.parts.layers.table.cells.rowCount()
    assert window.parts.details.pages.count() == tabs.count()
    window.close()


def test_what_pyqtgraph_calls_qt_is_qt() -> None:
    import pyqtgraph.Qt
    from PySide6 import QtCore

    from kvdesk.gui import plot  # noqa: F401  # imports pyqtgraph

    assert pyqtgraph.Qt.QtCore.QObject is QtCore.QObject
    assert {"QObject", "QTimer"} <= set(dir(QtCore))
