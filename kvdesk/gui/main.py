"""Starts the window."""

import sys

from PySide6.QtWidgets import QApplication

from kvdesk.app import lookup, workspace
from kvdesk.app.defaults import default_session
from kvdesk.app.session import Model
from kvdesk.gui import opening, theme
from kvdesk.gui.bridge import Bridge
from kvdesk.gui.defects import Defects
from kvdesk.gui.main_window import MainWindow
from kvdesk.gui.settings import Settings
from kvdesk.gui.view import Display
from kvdesk.hub.cancel import Cancel


def run(argv: list[str]) -> int:
    """Open the window, with a scenario file, id or path if `argv` has one; returns the exit status."""
    app = QApplication.instance()
    if not isinstance(app, QApplication):
        app = QApplication(sys.argv[:1])
    window = build(app)
    window.restore()
    Defects(window).install()
    window.show()
    if argv:
        window.open_text(argv[0])
    opening.offer_recovery(window)
    return int(app.exec())


def build(app: QApplication) -> MainWindow:
    """The whole window on its default scenario, not yet shown."""
    app.setApplicationName("kvdesk")
    app.setOrganizationName("kvdesk")
    app.setStyle("Fusion")
    settings = Settings()
    chosen = theme.chosen(settings.theme)
    app.setPalette(theme.palette(chosen))
    app.setStyleSheet(theme.style_sheet(chosen))
    display = Display(unit=settings.unit, theme=chosen)
    bridge = Bridge(workspace.of(default_session()), load, display)
    return MainWindow(bridge, settings)


def load(text: str, cancel: Cancel) -> Model:
    """The look-up that the window uses."""
    return lookup.load(text, cancel=cancel)
