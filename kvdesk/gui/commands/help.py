"""Handlers of the Help menu."""

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QAbstractItemView, QApplication, QWhatsThis, QWidget

from kvdesk.gui.dialogs.about import AboutDialog
from kvdesk.gui.dialogs.search import SearchDialog
from kvdesk.gui.dialogs.shortcuts import ShortcutsDialog

if TYPE_CHECKING:
    from kvdesk.gui.main_window import MainWindow


def handlers(window: "MainWindow") -> dict[str, Callable[[], None]]:
    """By action id."""
    return {
        "help.search": lambda: SearchDialog(window, window.actions_by_id).open(),
        "help.what": lambda: explain(QApplication.focusWidget()),
        "help.shortcuts": lambda: ShortcutsDialog(window).open(),
        "help.about": lambda: AboutDialog(window).open(),
    }


def explain(widget: QWidget | None) -> None:
    """Show at the focused field what its tooltip and its description say: above all, where its value came from."""
    if widget is None:
        return
    text = explanation(widget)
    if text:
        QWhatsThis.showText(widget.mapToGlobal(QPoint(0, widget.height())), text, widget)


def explanation(widget: QWidget) -> str:
    """What is known about a field, as plain lines."""
    if isinstance(widget, QAbstractItemView) and widget.currentIndex().isValid():
        index = widget.currentIndex()
        tips = (index.siblingAtColumn(c).data(3) for c in range(4))  # Qt.ItemDataRole.ToolTipRole
        return next((str(tip) for tip in tips if tip), "")
    parts = (widget.accessibleName(), widget.accessibleDescription(), widget.toolTip())
    return "\n".join(dict.fromkeys(part for part in parts if part))
