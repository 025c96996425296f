"""A window of a test's own, for what depends on the size and the font it starts with."""

from collections.abc import Iterator
from contextlib import contextmanager

from PySide6.QtCore import QSettings
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from kvdesk.gui.main import build
from kvdesk.gui.main_window import MainWindow


@contextmanager
def own_window(app: QApplication, width: int, height: int, points: float) -> Iterator[MainWindow]:
    """Shown at `width` x `height` pixels with a font of `points`; afterwards closed, and the font is the former one."""
    former, font = app.font(), app.font()
    font.setPointSizeF(points)
    app.setFont(font)
    QSettings("kvdesk", "kvdesk").remove("window")  # the layout of a window that another test has closed
    window = build(app)
    window.resize(width, height)
    window.show()
    try:
        yield window
    finally:
        window.bridge.store.mark_saved(window.bridge.store.workspace)
        window.close()
        window.deleteLater()
        app.setFont(former)
        QTest.qWait(10)
