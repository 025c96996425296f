"""The budget of one option as a tree model: a row for each line, below it formula, numbers put in and result."""

import re
from collections.abc import Sequence
from typing import overload

from PySide6.QtCore import QAbstractItemModel, QModelIndex, QObject, QPersistentModelIndex, Qt
from PySide6.QtGui import QFont

from kvdesk.core.budget import BudgetLine
from kvdesk.core.sourced import Origin
from kvdesk.gui import numbers
from kvdesk.gui.widgets.chip import word
from kvdesk.gui.widgets.text import tabular

Index = QModelIndex | QPersistentModelIndex

HEADERS = ("", "Line", "Value", "From")
STEPS = ("formula", "numbers", "result")
_NAME = re.compile(r"[A-Za-z]\w*")
_ROLE = Qt.ItemDataRole
_TOP = 0
_STRONG = frozenset({"budget", "pool", "sequences"})


class BudgetModel(QAbstractItemModel):
    """Top rows carry id 0, the steps below row n carry id n + 1."""

    def __init__(self) -> None:
        super().__init__()
        self.lines: Sequence[BudgetLine] = ()
        self._yours: tuple[tuple[str, ...], ...] = ()
        self._unit = numbers.DEFAULT_UNIT

    def show_lines(self, lines: Sequence[BudgetLine], unit: str) -> None:
        """Show these lines; rows that stay the same kind keep their selection and stay open."""
        if (lines, unit) == (self.lines, self._unit):
            return
        yours = tuple(made_with(line, lines) for line in lines)
        same = _shape(lines) == _shape(self.lines)
        if not same:
            self.beginResetModel()
        former, unit_stays = tuple(zip(self.lines, self._yours, strict=True)), unit == self._unit
        self.lines, self._unit, self._yours = lines, unit, yours
        if not same:
            self.endResetModel()
            return
        # Only the rows that changed are painted again: a step of the context leaves most of the budget as it is.
        for row, (old, new) in enumerate(zip(former, zip(lines, yours, strict=True), strict=True)):
            if old != new or not unit_stays:
                self.dataChanged.emit(self.index(row, 0), self.index(row, len(HEADERS) - 1))

    def steps(self, line: BudgetLine) -> tuple[tuple[str, str], ...]:
        """What a line opens to: formula, numbers put in, result; and the source in full."""
        texts = (line.formula, line.substituted and f"{line.symbol} = {line.substituted}", self._result(line))
        rows = [(name, numbers.localised(text)) for name, text in zip(STEPS, texts, strict=True) if text]
        own = made_with(line, self.lines)
        return (*rows, ("source", "; ".join((str(line.source), *(f"with your {value}" for value in own)))))

    def value(self, line: BudgetLine) -> str:
        """A line's value in the window's unit, with ≈ before an estimate."""
        mark = "" if line.exact else "≈ "
        if isinstance(line.value, float):
            return f"{mark}{numbers.decimal(line.value)}"
        if line.unit == "B":
            return mark + numbers.readable_size(line.value, self._unit)
        return f"{mark}{numbers.integer(line.value)} {line.unit}".rstrip()

    def index(self, row: int, column: int, parent: Index | None = None) -> QModelIndex:
        """An index of a line, or of a step below one."""
        if parent is None or not parent.isValid():
            return self.createIndex(row, column, _TOP)
        return self.createIndex(row, column, parent.row() + 1)

    @overload
    def parent(self) -> QObject | None: ...

    @overload
    def parent(self, child: Index, /) -> QModelIndex: ...

    def parent(self, child: Index | None = None) -> QObject | QModelIndex | None:
        """The line that a step belongs to."""
        if child is None:
            return super().parent()
        if not child.isValid() or child.internalId() == _TOP:
            return QModelIndex()
        return self.createIndex(child.internalId() - 1, 0, _TOP)

    def rowCount(self, parent: Index | None = None) -> int:
        """Lines, or the steps of one."""
        if parent is None or not parent.isValid():
            return len(self.lines)
        if parent.internalId() == _TOP and parent.column() == 0 and parent.row() < len(self.lines):
            return len(self.steps(self.lines[parent.row()]))
        return 0

    def columnCount(self, parent: Index | None = None) -> int:
        """Symbol, line, value, source."""
        return len(HEADERS)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _ROLE.DisplayRole) -> object:
        """Names of the columns; numbers stand right."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role == _ROLE.DisplayRole:
            return HEADERS[section]
        if role == _ROLE.TextAlignmentRole:
            side = Qt.AlignmentFlag.AlignRight if section == 2 else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = _ROLE.DisplayRole) -> object:
        """Texts of lines and steps."""
        if index.internalId() != _TOP:
            return self._step_data(index, role)
        line, column = self.lines[index.row()], index.column()
        if role == _ROLE.DisplayRole:
            return (line.symbol, numbers.localised(line.label), self.value(line), self._from(index.row()))[column]
        if role == _ROLE.ToolTipRole:
            return self._tip(line)
        if role == _ROLE.AccessibleTextRole and column == 0:
            return f"{line.label}: {self.value(line)}, from {self._from(index.row())}"
        if role == _ROLE.TextAlignmentRole and column == 2:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == _ROLE.FontRole and (line.key in _STRONG or column == 2):
            font = tabular(QFont())
            font.setBold(line.key in _STRONG)
            return font
        return None

    def _from(self, row: int) -> str:
        return "with yours" if self._yours[row] else word(self.lines[row].source)

    def _step_data(self, index: Index, role: int) -> object:
        name, text = self.steps(self.lines[index.internalId() - 1])[index.row()]
        if role in (_ROLE.DisplayRole, _ROLE.ToolTipRole):
            first = f"{name}:  {text}" if index.column() == 0 else ""
            return first if role == _ROLE.DisplayRole else text
        if role == _ROLE.AccessibleTextRole:
            return f"{name}: {text}"
        return None

    def _result(self, line: BudgetLine) -> str:
        if isinstance(line.value, float):
            return f"{line.symbol} = {line.value:g}"
        unit = f" {line.unit}" if line.unit else ""
        sizes = f" = {numbers.size(line.value, 'GB')} = {numbers.size(line.value, 'GiB')}" if line.unit == "B" else ""
        band = ""
        if line.low is not None and line.high is not None:
            band = f", estimated between {numbers.size(line.low, self._unit)} and {numbers.size(line.high, self._unit)}"
        return f"{line.symbol} {'=' if line.exact else '≈'} {line.value:,}{unit}{sizes}{band}"

    def _tip(self, line: BudgetLine) -> str:
        return "\n".join(f"{name}: {text}" for name, text in self.steps(line))


def made_with(line: BudgetLine, lines: Sequence[BudgetLine]) -> tuple[str, ...]:
    """The user's own values that a line's formula names, such as `u = 0.8`."""
    names = frozenset(_NAME.findall(line.formula.partition("=")[2]))
    return tuple(
        numbers.localised(f"{other.symbol} = {other.value:,} {other.unit}").rstrip()
        for other in lines
        if other.source.origin is Origin.USER and other.symbol in names
    )


def _shape(lines: Sequence[BudgetLine]) -> list[tuple[str, bool, bool]]:
    """What decides the rows: the lines, and which steps each has."""
    return [(line.key, bool(line.formula), bool(line.substituted)) for line in lines]
