"""One option's verdict: fits or not, in a sentence, with its bar."""

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QGridLayout, QSizePolicy, QWidget

from kvdesk.app.results import OptionResult, Sizing
from kvdesk.app.verdict import headroom, sentence
from kvdesk.gui.panels.verdict import shares
from kvdesk.gui.panels.verdict.bar import BudgetBar
from kvdesk.gui.theme import LIGHT, Theme, curve_pen
from kvdesk.gui.view import Display
from kvdesk.gui.widgets.steady import steady
from kvdesk.gui.widgets.text import em, label, set_text, short_title
from kvdesk.gui.wording import told

LEAST = 20
"""Ems that a row has besides title and layout, so that its bar can stand beside them."""


class VerdictRow(QAbstractButton):
    """Chosen by click, Space or the arrow keys; the budget below is that of the chosen one."""

    def __init__(self) -> None:
        super().__init__()
        self.setCheckable(True)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self._theme = LIGHT
        self._series = 0
        self._badge = _Badge()
        self._title = label("", "title")
        self._layout_text = label("", "muted")
        self._text = steady(wrap=True)
        self._bar = BudgetBar()
        self._narrow: bool | None = None
        self._heads = (0, 0)
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(em(self, 0.5), em(self, 0.35), em(self, 0.7), em(self, 0.35))
        self._grid.setHorizontalSpacing(em(self, 0.7))
        self._grid.setVerticalSpacing(em(self, 0.1))
        self._grid.setColumnStretch(3, 1)
        self._arrange(narrow=False)
        for part in self.findChildren(QWidget):
            part.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, part is not self._bar)

    def show_option(self, sizing: Sizing, option: OptionResult, series: int, display: Display, stale: str = "") -> None:
        """Show an option; `series` is the number of its curve in the plots, `stale` what is said of an old result."""
        if (display.theme, series) != (self._theme, self._series):
            self._theme, self._series = display.theme, series
            self.update()
        text = told(f"{sentence(option)} {headroom(option)}".strip())
        text = text if text[1:2].isupper() else text[:1].upper() + text[1:]
        answer = option.answer
        self._badge.show_verdict(fits=option.fits, theme=display.theme)
        set_text(self._title, short_title(option.title))
        set_text(self._layout_text, str(answer.layout) if answer else "")
        self._text.setText(text)
        self._bar.show_shares(shares.of(sizing, option), display.theme, display.unit)
        said = f"{'Fits' if option.fits else 'Does not fit'}: {option.title}. {text}"
        self.setAccessibleName(f"{stale}. {said}" if stale else said)
        self.setAccessibleDescription(self._bar.toolTip())

    def heads(self) -> tuple[int, int]:
        """The widths that the title and the layout want."""
        return self._title.sizeHint().width(), self._layout_text.sizeHint().width()

    def align(self, title: int, layout: int) -> None:
        """Give title and layout these widths, so that the bars of all rows begin at the same place."""
        if (title, layout) != self._heads:
            self._heads = (title, layout)
            self._title.setMinimumWidth(0 if self._narrow else title)
            self._layout_text.setMinimumWidth(layout)
            self._turn()

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is little room, the bar goes below the title."""
        super().resizeEvent(event)
        self._turn()

    def _turn(self) -> None:
        narrow = self.width() < sum(self._heads) + em(self, LEAST)
        if narrow != self._narrow:
            self._arrange(narrow=narrow)

    def _arrange(self, *, narrow: bool) -> None:
        self._narrow = narrow
        self._title.setWordWrap(narrow)
        self._title.setMinimumWidth(0 if narrow else self._heads[0])
        below = 1 if narrow else 0
        for part in (self._badge, self._title, self._layout_text, self._bar, self._text):
            self._grid.removeWidget(part)
        self._grid.addWidget(self._badge, 0, 0)
        self._grid.addWidget(self._title, 0, 1, 1, 3 if narrow else 1)
        self._grid.addWidget(self._layout_text, below, 1 if narrow else 2)
        self._grid.addWidget(self._bar, below, 2 if narrow else 3, 1, 2 if narrow else 1)
        self._grid.addWidget(self._text, below + 1, 1, 1, 3, Qt.AlignmentFlag.AlignTop)
        self.update()

    def sizeHint(self) -> QSize:
        """What its parts want."""
        layout = self.layout()
        return layout.sizeHint() if layout else super().sizeHint()

    def hasHeightForWidth(self) -> bool:
        """The sentence may take two lines where the window is narrow."""
        return True

    def heightForWidth(self, width: int) -> int:
        """As high as its parts need at that width."""
        layout = self.layout()
        return layout.heightForWidth(width) if layout else super().heightForWidth(width)

    def paintEvent(self, event: QPaintEvent) -> None:
        """A tint for the chosen row, a frame for the one with the focus, and the curve's own line at the left."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(1, 1, -1, -1)
        if self.isChecked() or self.underMouse():
            tint = QColor(self._theme.accent)
            tint.setAlpha(28 if self.isChecked() else 14)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(tint)
            painter.drawRoundedRect(box, 5, 5)
        if self.hasFocus():
            painter.setPen(QPen(QColor(self._theme.accent), 1.5))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(box, 5, 5)
        badge = self._badge.geometry()
        if event.rect().left() > badge.right():
            return
        painter.setPen(curve_pen(QColor(self._theme.series[self._series % 4]), self._series))
        y = self._text.geometry().top() + self.fontMetrics().height() * 0.55
        painter.drawLine(QPointF(badge.left() + 2, y), QPointF(badge.right() - 2, y))


class _Badge(QWidget):
    """The words FITS or NO with a tick or a cross, on their colour."""

    def __init__(self) -> None:
        super().__init__()
        font = self.font()
        font.setBold(True)
        self.setFont(font)
        self._fits = True
        self._theme = LIGHT
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_verdict(self, *, fits: bool, theme: Theme) -> None:
        """Show a verdict."""
        if (fits, theme) == (self._fits, self._theme) and self.accessibleName():
            return
        self._fits, self._theme = fits, theme
        self.setAccessibleName("Fits" if fits else "Does not fit")
        self.update()

    def sizeHint(self) -> QSize:
        """The longer of the two words."""
        return QSize(self.fontMetrics().horizontalAdvance("✓ FITS") + em(self, 0.8), em(self, 1.25))

    def paintEvent(self, event: object) -> None:
        """The pill."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        colour = QColor(self._theme.good if self._fits else self._theme.bad)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QPen(colour, 1))
        fill = QColor(colour)
        fill.setAlpha(34)
        painter.setBrush(fill)
        painter.drawRoundedRect(box, 4, 4)
        painter.setPen(colour)
        painter.drawText(box, Qt.AlignmentFlag.AlignCenter, "✓ FITS" if self._fits else "✕ NO")
