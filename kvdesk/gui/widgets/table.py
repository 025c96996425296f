"""A plain table of texts: what compare, plan and log show."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractTableModel, QModelIndex, QPersistentModelIndex, Qt
from PySide6.QtGui import QColor, QFont, QPalette
from PySide6.QtWidgets import QAbstractItemView, QApplication, QHeaderView, QTableView

from kvdesk.core.values import dataclass
from kvdesk.gui.widgets.chip import RowDelegate
from kvdesk.gui.widgets.copying import copies_with_ctrl_c
from kvdesk.gui.widgets.text import em, tabular, tip

Index = QModelIndex | QPersistentModelIndex
_ROLE = Qt.ItemDataRole


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """A text; numbers stand right. `tone` is "", "strong", "dim", "good" or "bad"; `tip` says more."""

    text: str
    right: bool = False
    tone: str = ""
    tip: str = ""


Row = tuple[Cell, ...]


class CellModel(QAbstractTableModel):
    """Rows of cells under a header."""

    def __init__(self) -> None:
        super().__init__()
        self._header: tuple[str, ...] = ()
        self._rows: tuple[Row, ...] = ()

    def show_rows(self, header: Sequence[str], rows: Sequence[Row]) -> None:
        """Show these; the same shape keeps selection and scrolling."""
        head, body = tuple(header), tuple(rows)
        if (head, body) == (self._header, self._rows):
            return
        same = (len(head), len(body)) == (len(self._header), len(self._rows)) and head == self._header
        if not same:
            self.beginResetModel()
        self._header, self._rows = head, body
        if not same:
            self.endResetModel()
        elif body:
            self.dataChanged.emit(self.index(0, 0), self.index(len(body) - 1, len(head) - 1))

    def rowCount(self, parent: Index | None = None) -> int:
        """Rows."""
        return len(self._rows)

    def columnCount(self, parent: Index | None = None) -> int:
        """Columns."""
        return len(self._header)

    def headerData(self, section: int, orientation: Qt.Orientation, role: int = _ROLE.DisplayRole) -> object:
        """The header; above numbers it stands right."""
        if orientation != Qt.Orientation.Horizontal:
            return None
        if role in (_ROLE.DisplayRole, _ROLE.ToolTipRole):
            return self._header[section]
        if role == _ROLE.TextAlignmentRole:
            right = bool(self._rows) and any(row[section].right for row in self._rows)
            side = Qt.AlignmentFlag.AlignRight if right else Qt.AlignmentFlag.AlignLeft
            return side | Qt.AlignmentFlag.AlignVCenter
        return None

    def data(self, index: Index, role: int = _ROLE.DisplayRole) -> object:
        """Texts, alignment and tone."""
        cell = self._rows[index.row()][index.column()]
        if role == _ROLE.DisplayRole:
            return cell.text
        if role == _ROLE.ToolTipRole:
            return tip(cell.tip) or None
        if role == _ROLE.TextAlignmentRole and cell.right:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        if role == _ROLE.FontRole and cell.tone in ("strong", "good", "bad"):
            font = tabular(QFont())
            font.setBold(True)
            return font
        if role == _ROLE.ForegroundRole and cell.tone == "dim":
            return QApplication.palette().color(QPalette.ColorRole.PlaceholderText)
        if role == _ROLE.ForegroundRole and cell.tone == "bad":
            return QColor(QApplication.palette().color(QPalette.ColorRole.BrightText))
        return None


class Table(QTableView):
    """A table without grid; one column takes what is left, or with -1 all but the first share it.

    With `wrap` texts go on in the next line, and rows are as high as they need.
    """

    def __init__(self, name: str, stretch: int = 0, *, wrap: bool = False) -> None:
        super().__init__()
        self.cells = CellModel()
        self._stretch = stretch
        self.setModel(self.cells)
        self.setAccessibleName(name)
        self.setFont(tabular(self.font()))
        self.setItemDelegate(RowDelegate(self))
        self.setShowGrid(False)
        self.setFrameShape(QTableView.Shape.NoFrame)
        self.viewport().setAutoFillBackground(False)
        self.setTabKeyNavigation(False)
        self.setWordWrap(wrap)
        self.setHorizontalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)
        self.setSelectionMode(QAbstractItemView.SelectionMode.ContiguousSelection)
        self.verticalHeader().hide()
        self.verticalHeader().setDefaultSectionSize(em(self, 1.55))
        self.horizontalHeader().setHighlightSections(False)
        self.horizontalHeader().setTextElideMode(Qt.TextElideMode.ElideRight)
        self.cells.modelReset.connect(self._arrange)
        if wrap:
            self.verticalHeader().setSectionResizeMode(QHeaderView.ResizeMode.ResizeToContents)
            self.horizontalHeader().sectionResized.connect(self._fit)
        copies_with_ctrl_c(self)

    def show_rows(self, header: Sequence[str], rows: Sequence[Row]) -> None:
        """Show these rows."""
        self.cells.show_rows(header, rows)

    def _fit(self, _column: int, _old: int, _new: int) -> None:
        self.resizeRowsToContents()

    def _arrange(self) -> None:
        header = self.horizontalHeader()
        for column in range(self.cells.columnCount()):
            stretch = column > 0 if self._stretch < 0 else column == self._stretch
            modes = QHeaderView.ResizeMode
            header.setSectionResizeMode(column, modes.Stretch if stretch else modes.ResizeToContents)
