"""A layout that goes on in the next line where a row is full, so that buttons never make the window wide."""

from PySide6.QtCore import QPoint, QRect, QSize
from PySide6.QtWidgets import QLayout, QLayoutItem


class Flow(QLayout):
    """Items at their own size from left to right, line below line."""

    def __init__(self, spacing: int) -> None:
        super().__init__()
        self._items: list[QLayoutItem] = []
        self.setContentsMargins(0, 0, 0, 0)
        self.setSpacing(spacing)

    def addItem(self, item: QLayoutItem) -> None:
        """One more at the end."""
        self._items.append(item)

    def count(self) -> int:
        """Items."""
        return len(self._items)

    def itemAt(self, index: int) -> QLayoutItem | None:
        """The item at `index`, None past the last."""
        return self._items[index] if 0 <= index < len(self._items) else None

    def takeAt(self, index: int) -> QLayoutItem | None:
        """The same, taken out."""
        return self._items.pop(index) if 0 <= index < len(self._items) else None

    def hasHeightForWidth(self) -> bool:
        """A narrow row takes more lines."""
        return True

    def heightForWidth(self, width: int) -> int:
        """Lines at that width."""
        return self._place(QRect(0, 0, width, 0), move=False)

    def setGeometry(self, rect: QRect) -> None:
        """Place the items."""
        super().setGeometry(rect)
        self._place(rect, move=True)

    def sizeHint(self) -> QSize:
        """All in one line."""
        sizes = [item.sizeHint() for item in self._items]
        width = sum(size.width() for size in sizes) + self.spacing() * max(0, len(sizes) - 1)
        return QSize(width, max((size.height() for size in sizes), default=0))

    def minimumSize(self) -> QSize:
        """As wide as the widest item."""
        sizes = [item.minimumSize() for item in self._items]
        return QSize(max((s.width() for s in sizes), default=0), max((s.height() for s in sizes), default=0))

    def _place(self, rect: QRect, *, move: bool) -> int:
        """Put the items into their lines, or only count; the height of all lines."""
        x, y, line = rect.x(), rect.y(), 0
        for item in self._items:
            size = item.sizeHint()
            if x > rect.x() and x + size.width() > rect.right() + 1:
                x, y, line = rect.x(), y + line + self.spacing(), 0
            if move:
                item.setGeometry(QRect(QPoint(x, y), size.boundedTo(QSize(rect.width(), size.height()))))
            x, line = x + size.width() + self.spacing(), max(line, size.height())
        return y + line - rect.y()
