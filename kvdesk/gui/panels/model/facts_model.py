"""The values read from config.json as a table model."""

import json
from collections.abc import Mapping

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt, Signal
from PySide6.QtGui import QFont

from kvdesk.core.geometry import FactValue
from kvdesk.core.json_value import JsonValue
from kvdesk.core.sourced import Origin, Sourced
from kvdesk.gui import numbers
from kvdesk.gui.panels.model import fact_names
from kvdesk.gui.widgets.chip import word

Facts = Mapping[str, Sourced[FactValue]]
Index = QModelIndex | QPersistentModelIndex

_HEADERS = ("Value", "", "From")
_ROLE = Qt.ItemDataRole


class FactsModel(QAbstractTableModel):
    """Rows of name, value and source; a typed value becomes an override."""

    typed = Signal(str, object)

    def __init__(self) -> None:
        super().__init__()
        self.keys: tuple[str, ...] = ()
        self._facts: Facts = {}
        self._original: Facts = {}

    def show_facts(self, facts: Facts, original: Facts) -> None:
        """Show `facts`; `original` are those of the file alone, to say what a typed value was."""
        keys = tuple(sorted(facts, key=fact_names.rank))
        if keys != self.keys:
            self.beginResetModel()
            self.keys, self._facts, self._original = keys, facts, original
            self.endResetModel()
        elif (facts, original) != (self._facts, self._original):
            self._facts, self._original = facts, original
            self.dataChanged.emit(self.index(0, 0), self.index(len(keys) - 1, 2))

    def is_yours(self, row: int) -> bool:
        """Whether the value of a row was typed."""
        return self._facts[self.keys[row]].source.origin is Origin.USER

    def rowCount(self, parent: Index | None = None) -> int:
        """One for each value."""
        return len(self.keys)

    def columnCount(self, parent: Index | None = None) -> int:
        """Name, value, source."""
        return len(_HEADERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _ROLE.DisplayRole) -> object:
        """Names of the columns."""
        if role == _ROLE.DisplayRole and orientation == Qt.Orientation.Horizontal:
            return _HEADERS[section]
        return None

    def flags(self, index: Index) -> Qt.ItemFlag:
        """Only values can be typed over."""
        flags = Qt.ItemFlag.ItemIsEnabled | Qt.ItemFlag.ItemIsSelectable
        return flags | Qt.ItemFlag.ItemIsEditable if index.column() == 1 else flags

    def data(self, index: Index, role: int = _ROLE.DisplayRole) -> object:
        """Texts, alignment, tooltips and what a screen reader says."""
        key = self.keys[index.row()]
        fact, column = self._facts[key], index.column()
        if role == _ROLE.DisplayRole:
            return (fact_names.title(key), shown(fact.value), word(fact.source))[column]
        if role == _ROLE.EditRole:
            return typed_text(fact.value)
        if role == _ROLE.ToolTipRole:
            way = "Del takes it back." if self.is_yours(index.row()) else "Double-click it, or Return, to type another."
            return f"{key} = {typed_text(fact.value)}\n{fact.source}\n{way}"
        if role == _ROLE.AccessibleDescriptionRole:
            return f"{key}, {fact.source}"
        if role == _ROLE.TextAlignmentRole and column == 1:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == _ROLE.FontRole and column == 1 and self.is_yours(index.row()):
            font = QFont()
            font.setBold(True)
            return font
        return None

    def setData(self, index: Index, value: object, role: int = _ROLE.EditRole) -> bool:
        """A typed value; the text decides what kind of value it is, as in JSON."""
        key = self.keys[index.row()]
        text = str(value).strip()
        if not text or text == typed_text(self._facts[key].value):
            return False
        self.typed.emit(key, parsed(text))
        return True

    def was(self, row: int) -> str:
        """What the typed value of a row was before, "" where it was not typed or not in the file."""
        key = self.keys[row]
        old = self._original.get(key)
        return f"was {shown(old.value)}, from {word(old.source)}" if old and self.is_yours(row) else ""


def shown(value: FactValue) -> str:
    """A value for the screen; long lists are summed up."""
    if isinstance(value, bool) or value is None:
        return {True: "yes", False: "no", None: "none"}[value]
    if isinstance(value, int):
        return numbers.integer(value)
    if isinstance(value, float):
        return numbers.decimal(value)
    if isinstance(value, tuple):
        return str(value[0]) if len(value) == 1 else f"{len(value)} entries"
    return value


def typed_text(value: FactValue) -> str:
    """A value as one would type it."""
    if isinstance(value, str):
        return value
    return json.dumps(list(value) if isinstance(value, tuple) else value)


def parsed(text: str) -> JsonValue:
    """What was typed: JSON where it is JSON, with separators of thousands taken out, else the text itself."""
    plain = text.replace(numbers.locale().groupSeparator(), "").replace("_", "")
    if plain.isascii() and plain.lstrip("-").isdigit():
        return int(plain)
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value
