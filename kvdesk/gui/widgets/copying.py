"""Tables as text: what Ctrl+C puts on the clipboard."""

from collections.abc import Sequence

from PySide6.QtCore import QAbstractItemModel, QModelIndex, Qt
from PySide6.QtGui import QGuiApplication, QKeySequence, QShortcut
from PySide6.QtWidgets import QAbstractItemView

Rows = Sequence[Sequence[str]]


def tsv(rows: Rows) -> str:
    """Tab-separated, one line for each row; tabs and breaks inside a cell become spaces."""
    return "\n".join("\t".join(" ".join(cell.split()) for cell in row) for row in rows)


def markdown(rows: Rows) -> str:
    """A Markdown table; the first row is its header."""
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]]) if lines else ""


def rows_of(model: QAbstractItemModel, columns: Sequence[int] | None = None) -> list[list[str]]:
    """Header and top rows of a table model as text."""
    wanted = list(columns) if columns is not None else list(range(model.columnCount()))
    header = [str(model.headerData(c, Qt.Orientation.Horizontal) or "") for c in wanted]
    root = QModelIndex()
    rows = range(model.rowCount(root))
    return [header, *([str(model.index(r, c, root).data() or "") for c in wanted] for r in rows)]


def to_clipboard(text: str) -> None:
    """Put a text on the clipboard."""
    QGuiApplication.clipboard().setText(text)


def copies_with_ctrl_c(view: QAbstractItemView) -> None:
    """Make Ctrl+C in a table copy it whole, as tab-separated text with its header."""
    keys = QShortcut(QKeySequence(QKeySequence.StandardKey.Copy), view)
    keys.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)

    def copy() -> None:
        model = view.model()
        if isinstance(model, QAbstractItemModel):
            to_clipboard(tsv(rows_of(model)))

    keys.activated.connect(copy)
