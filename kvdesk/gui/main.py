"""Starts the window.

The first frame is an outline with the answer in it: so little is imported before it that it takes hardly longer than an
empty window. PySide6 makes the class of a name when it is first asked for, and `Qt` alone, with all its enumerations,
takes 12 ms: nothing that the outline needs mentions it. The panels come in the turn of the event loop after it.
"""

import gc
import sys
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QApplication

from kvdesk.gui import theme
from kvdesk.gui.main_window import MainWindow
from kvdesk.gui.settings import Settings

if TYPE_CHECKING:
    from kvdesk.app.session import Model
    from kvdesk.gui.beginning import Beginning
    from kvdesk.hub.cancel import Cancel


def run(argv: list[str]) -> int:
    """Open the window, with a scenario file, id or path if `argv` has one; returns the exit status."""
    gc.disable()  # what start-up makes stays; looking for cycles in it takes a tenth of the time
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = application(sys.argv[:1])
    beginning = None if argv else _default()
    window = outline(app, beginning)
    if sys.platform == "darwin":
        from kvdesk.gui.file_open import FileOpener

        app.installEventFilter(FileOpener(window))
    window.restore()
    window.show()
    window.after_outline(lambda: _fill_and_open(window, beginning, argv))
    return int(app.exec())


def application(arguments: list[str]) -> QApplication:
    """The program itself, in the style that looks the same on each system."""
    QApplication.setStyle("Fusion")
    return QApplication(arguments)


def build(app: QApplication) -> MainWindow:
    """The whole window on its default scenario, not yet shown."""
    window = outline(app)
    fill(window)
    return window


def outline(app: QApplication, beginning: "Beginning | None" = None) -> MainWindow:
    """The window without its panels, but with the answer that it begins with."""
    app.setApplicationName("kvdesk")
    app.setOrganizationName("kvdesk")
    app.setDesktopFileName("kvdesk")
    settings = Settings()
    app.setPalette(theme.palette(theme.guessed(settings.theme)))
    return MainWindow(settings, beginning.sentences if beginning else ())


def fill(window: MainWindow, beginning: "Beginning | None" = None) -> None:
    """Make the panels on the default scenario."""
    from PySide6.QtGui import QIcon

    from kvdesk import resources
    from kvdesk.app import workspace
    from kvdesk.gui.bridge import Bridge
    from kvdesk.gui.style import style_sheet
    from kvdesk.gui.view import Display

    beginning = beginning or _default()
    chosen = theme.chosen(window.settings.theme)
    app = QApplication.instance()
    if isinstance(app, QApplication):
        if app.style().name() != "fusion":
            app.setStyle("Fusion")
        app.setPalette(theme.palette(chosen))
        app.setStyleSheet(style_sheet(chosen))
        app.setWindowIcon(QIcon(str(resources.path("icons/kvdesk.svg"))))
    display = Display(unit=window.settings.unit, theme=chosen)
    window.fill(Bridge(workspace.of(beginning.session), load, display, beginning.deriver))


def load(text: str, cancel: "Cancel") -> "Model":
    """The look-up that the window uses."""
    from kvdesk.app import lookup

    return lookup.load(text, cancel=cancel)


def _default() -> "Beginning":
    from kvdesk.gui import beginning

    return beginning.default()


def _fill_and_open(window: MainWindow, beginning: "Beginning | None", argv: list[str]) -> None:
    from PySide6.QtCore import QTimer

    from kvdesk.gui import layout, opening
    from kvdesk.gui.defects import Defects

    fill(window, beginning)
    QTimer.singleShot(0, window, lambda: layout.keep_inside(window))
    gc.freeze()
    gc.enable()
    Defects(window).install()
    opening.offer_recovery(window)
    if argv:
        window.open_text(argv[0])
