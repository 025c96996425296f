"""The menu of recent models, with revision and date; they work offline from the cache."""

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QMenu

if TYPE_CHECKING:
    from kvdesk.gui.main_window import MainWindow


def add(window: "MainWindow", menu: QMenu) -> None:
    """Put the menu into `menu`; it is filled when it opens."""
    recents = QMenu("Recent", menu)
    recents.aboutToShow.connect(partial(fill, window, recents))
    first = menu.actions()[2] if len(menu.actions()) > 2 else None
    menu.insertMenu(first, recents) if first else menu.addMenu(recents)


def fill(window: "MainWindow", menu: QMenu) -> None:
    """One entry for each model, newest first."""
    menu.clear()
    for entry in window.settings.recents:
        text, revision, date = (*entry.split("\t"), "", "")[:3]
        parts = (text, f"revision {revision[:7]}" if revision else "", date[:10])
        action = menu.addAction("   ·   ".join(part for part in parts if part))
        action.triggered.connect(partial(_open, window, text, revision))
    if menu.isEmpty():
        menu.addAction("No recent models").setEnabled(False)


def _open(window: "MainWindow", text: str, revision: str, _checked: bool = False) -> None:
    """The very revision that was looked up then, which the cache holds."""
    window.open_text(f"{text}@{revision}" if revision else text)
