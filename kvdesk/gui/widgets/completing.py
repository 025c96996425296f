"""Type-ahead: any part of a name finds it."""

from PySide6.QtCore import QAbstractItemModel, QObject, Qt
from PySide6.QtWidgets import QCompleter


def completer(names: QAbstractItemModel, parent: QObject) -> QCompleter:
    """A completer over `names` whose list has the rows of the window's other lists."""
    made = QCompleter(names, parent)
    made.setCaseSensitivity(Qt.CaseSensitivity.CaseInsensitive)
    made.setFilterMode(Qt.MatchFlag.MatchContains)
    made.setCompletionMode(QCompleter.CompletionMode.PopupCompletion)
    made.setMaxVisibleItems(12)
    popup = made.popup()
    if popup:
        popup.setObjectName("completer")  # its rows are in the style sheet
        popup.setAccessibleName("Suggestions")
    return made
