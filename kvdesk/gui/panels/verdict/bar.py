"""The budget of one GPU as a bar."""

from functools import lru_cache

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from kvdesk.gui import numbers
from kvdesk.gui.panels.verdict.shares import Shares, told
from kvdesk.gui.theme import LIGHT, Theme
from kvdesk.gui.widgets.measure import Widths
from kvdesk.gui.widgets.text import em

Segment = tuple[str, int, str]


class BudgetBar(QWidget):
    """Weights, reserve and cache side by side; a mark where the budget ends, hatching past it."""

    def __init__(self) -> None:
        super().__init__()
        self._shares: Shares | None = None
        self._theme = LIGHT
        self._unit = numbers.DEFAULT_UNIT
        self._widths = Widths(self)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        font = self.font()
        font.setPointSizeF(font.pointSizeF() * 0.9)
        self.setFont(font)

    def show_shares(self, shares: Shares | None, theme: Theme, unit: str) -> None:
        """Show these shares."""
        if (shares, theme, unit) == (self._shares, self._theme, self._unit):
            return
        self._shares, self._theme, self._unit = shares, theme, unit
        self.setToolTip(told(shares, unit) if shares else "")
        self.setAccessibleName("Budget")
        self.setAccessibleDescription(self.toolTip())
        self.update()

    def sizeHint(self) -> QSize:
        """A line and a bit."""
        return QSize(em(self, 18), em(self, 1.35))

    def paintEvent(self, event: object) -> None:
        """The segments, the end of the budget, and the words that fit."""
        shares = self._shares
        if shares is None:
            return
        self._widths.refresh()
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        # A fill upon another looks like a stroked edge and costs a fifth of it.
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(self._theme.border))
        painter.drawRoundedRect(self.rect(), 3, 3)
        painter.setBrush(QColor(self._theme.chip))
        painter.drawRoundedRect(self.rect().adjusted(1, 1, -1, -1), 2.5, 2.5)
        scale = box.width() / shares.whole
        left = box.left()
        parts = []
        for segment in self._segments(shares):
            part = QRectF(left, box.top(), segment[1] * scale, box.height())
            painter.fillRect(part, QColor(segment[2]))
            parts.append((part, segment))
            left = part.right()
        self._paint_rest(painter, box, left, scale, shares)
        end = box.left() + shares.budget * scale
        for part, (name, size, colour) in parts:
            part.setRight(min(part.right(), max(end, part.left())) if part.left() < end else part.right())
            self._paint_words(painter, part, name, size, colour)

    def _segments(self, shares: Shares) -> tuple[Segment, ...]:
        theme = self._theme
        return (
            ("weights", shares.weights, theme.weights),
            ("reserve", shares.reserve, theme.reserve),
            ("KV", shares.cache, theme.cache),
        )

    def _paint_words(self, painter: QPainter, part: QRectF, name: str, size: int, colour: str) -> None:
        amount = numbers.size(size, self._unit, 1)
        for text in (f"{name} {amount}", amount, name):
            if self._widths.of(text) + 8 <= part.width():
                painter.setPen(QColor("#ffffff" if _is_dark(colour) else "#000000"))
                painter.drawText(part, Qt.AlignmentFlag.AlignCenter, text)
                return

    def _paint_rest(self, painter: QPainter, box: QRectF, left: float, scale: float, shares: Shares) -> None:
        end = box.left() + shares.budget * scale
        over = shares.needed > shares.budget
        if over:
            part = QRectF(end, box.top(), left - end, box.height())
            painter.fillRect(part, QBrush(QColor(self._theme.bad), Qt.BrushStyle.BDiagPattern))
        elif shares.device > shares.budget:
            part = QRectF(end, box.top(), box.right() - end, box.height())
            painter.fillRect(part, QBrush(QColor(self._theme.border), Qt.BrushStyle.BDiagPattern))
        painter.setPen(QPen(QColor(self._theme.bad if over else self._theme.text), 2))
        painter.drawLine(QPointF(end, box.top() - 1), QPointF(end, box.bottom() + 1))
        free = f"{numbers.size(shares.budget - shares.needed, self._unit, 1)} free"
        if not over and self._widths.of(free) + 8 <= end - left:
            painter.setPen(QColor(self._theme.muted))
            painter.drawText(QRectF(left, box.top(), end - left, box.height()), Qt.AlignmentFlag.AlignCenter, free)


@lru_cache(maxsize=64)
def _is_dark(colour: str) -> bool:
    """Whether white letters read better on it than black ones (relative luminance by WCAG below 0.18)."""
    parts = (QColor(colour).redF(), QColor(colour).greenF(), QColor(colour).blueF())
    red, green, blue = (p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue < 0.18
