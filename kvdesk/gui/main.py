"""Starts the window."""

import sys
from typing import TYPE_CHECKING

from PySide6.QtGui import QIcon
from PySide6.QtWidgets import QApplication

from kvdesk import resources
from kvdesk.gui import theme
from kvdesk.gui.file_open import FileOpener
from kvdesk.gui.main_window import MainWindow
from kvdesk.gui.settings import Settings

if TYPE_CHECKING:
    from kvdesk.app.session import Model
    from kvdesk.hub.cancel import Cancel


def run(argv: list[str]) -> int:
    """Open the window, with a scenario file, id or path if `argv` has one; returns the exit status."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(sys.argv[:1])
    window = outline(app)
    app.installEventFilter(FileOpener(window))
    window.restore()
    window.show()
    # The outline is painted first; the panels, and all that they import, come after it.
    window.after_outline(lambda: _fill_and_open(window, argv))
    return int(app.exec())


def build(app: QApplication) -> MainWindow:
    """The whole window on its default scenario, not yet shown."""
    window = outline(app)
    fill(window)
    return window


def outline(app: QApplication) -> MainWindow:
    """The window without its panels."""
    app.setApplicationName("kvdesk")
    app.setOrganizationName("kvdesk")
    app.setDesktopFileName("kvdesk")
    app.setDesktopFileName("kvdesk")
    app.setWindowIcon(QIcon(str(resources.path("icons/kvdesk.svg"))))
    if app.style().name() != "fusion":
        app.setStyle("Fusion")
    settings = Settings()
    chosen = theme.chosen(settings.theme)
    app.setPalette(theme.palette(chosen))
    return MainWindow(settings)


def fill(window: MainWindow) -> None:
    """Make the panels on the default scenario."""
    from PySide6.QtGui import QIcon

    from kvdesk import resources
    from kvdesk.app import workspace
    from kvdesk.app.defaults import default_session
    from kvdesk.gui.bridge import Bridge
    from kvdesk.gui.style import style_sheet
    from kvdesk.gui.view import Display

    chosen = theme.chosen(window.settings.theme)
    app = QApplication.instance()
    if isinstance(app, QApplication):
        app.setStyleSheet(style_sheet(chosen))
    display = Display(unit=window.settings.unit, theme=chosen)
    window.setWindowIcon(QIcon(str(resources.path("icons/kvdesk.svg"))))
    window.fill(Bridge(workspace.of(default_session()), load, display))


def load(text: str, cancel: "Cancel") -> "Model":
    """The look-up that the window uses."""
    from kvdesk.app import lookup

    return lookup.load(text, cancel=cancel)


def _fill_and_open(window: MainWindow, argv: list[str]) -> None:
    from kvdesk.gui import opening
    from kvdesk.gui.defects import Defects

    fill(window)
    Defects(window).install()
    opening.offer_recovery(window)
    if argv:
        window.open_text(argv[0])
