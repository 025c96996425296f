"""The picture of allocation: the blocks of each sequence, and the slots of the last one that stay empty."""

from PySide6.QtCore import QRectF, QSize, Qt
from PySide6.QtGui import QBrush, QColor, QPainter, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from kvdesk.core.values import dataclass
from kvdesk.gui import numbers
from kvdesk.gui.theme import LIGHT, Theme
from kvdesk.gui.view import View
from kvdesk.gui.widgets.text import em

MOST_ROWS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocks:
    """Whole blocks of `size` tokens for `sequences` sequences of `context` tokens, `shared` blocks held once."""

    context: int
    size: int
    sequences: int
    shared: int

    @property
    def count(self) -> int:
        """Blocks of one sequence."""
        return -(-self.context // self.size)

    @property
    def used_in_last(self) -> int:
        """Tokens in the last block."""
        return self.context - (self.count - 1) * self.size

    @property
    def slack(self) -> int:
        """Slots of the last block that stay empty."""
        return self.count * self.size - self.context

    def told(self) -> str:
        """The picture in a sentence."""
        tokens = numbers.integer(self.context)
        words = f"{tokens} tokens take {numbers.integer(self.count)} blocks of {self.size} tokens"
        if self.slack:
            share = numbers.percent(self.slack / (self.count * self.size), 2)
            words += f"; the last one holds {self.used_in_last} and leaves {self.slack} slots empty ({share})"
        else:
            words += ", all of them full"
        if self.shared:
            words += f"; the first {numbers.integer(self.shared)} blocks are shared by all sequences and held once"
        return words + "."


def blocks_of(view: View) -> Blocks | None:
    """The blocks of the option looked at, None where its engine has none."""
    sizing, chosen = view.sizing, view.chosen
    answer = chosen.answer if chosen else None
    if sizing is None or answer is None or not answer.block_size:
        return None
    return Blocks(
        context=sizing.workload.context,
        size=answer.block_size,
        sequences=sizing.workload.sequences,
        shared=min(sizing.workload.shared_prefix, sizing.workload.context) // answer.block_size,
    )


class BlocksPicture(QWidget):
    """A row for each sequence: its first blocks, an ellipsis where there are too many, and its last ones."""

    def __init__(self) -> None:
        super().__init__()
        self._blocks: Blocks | None = None
        self._theme = LIGHT
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setAccessibleName("Blocks of each sequence")

    def show_blocks(self, blocks: Blocks | None, theme: Theme) -> None:
        """Draw these."""
        self._blocks, self._theme = blocks, theme
        self.setAccessibleDescription(blocks.told() if blocks else "The engine keeps no blocks.")
        self.update()

    def sizeHint(self) -> QSize:
        """Room for a few rows."""
        return QSize(em(self, 30), em(self, 10))

    def paintEvent(self, event: object) -> None:
        """The rows and the sentence."""
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.fillRect(self.rect(), QColor(self._theme.surface))
        blocks, margin = self._blocks, em(self, 0.8)
        text_box = QRectF(margin, margin / 2, self.width() - 2 * margin, em(self, 2.6))
        painter.setPen(QColor(self._theme.text))
        wrap = Qt.TextFlag.TextWordWrap | Qt.AlignmentFlag.AlignTop
        if blocks is None:
            painter.drawText(text_box, wrap, "This engine keeps no blocks of tokens for the model.")
            return
        painter.drawText(text_box, wrap, blocks.told())
        top = text_box.bottom() + margin / 2
        room = self.height() - top - 2 * em(self, 1.4)
        rows = min(MOST_ROWS, blocks.sequences, max(1, int(room // em(self, 1.5))))
        height = min(em(self, 2.0), room / rows)
        for row in range(rows):
            self._paint_row(painter, blocks, row, QRectF(margin, top + row * height, text_box.width(), height * 0.8))
        bottom = top + rows * height
        painter.setPen(QColor(self._theme.muted))
        if blocks.sequences > rows:
            more = f"and {numbers.integer(blocks.sequences - rows)} sequences more"
            painter.drawText(QRectF(margin, bottom, text_box.width(), em(self, 1.3)), more)
            bottom += em(self, 1.3)
        self._paint_key(painter, margin, bottom + 2)

    def _paint_row(self, painter: QPainter, blocks: Blocks, row: int, box: QRectF) -> None:
        name = f"Sequence {row + 1}"
        left = painter.fontMetrics().horizontalAdvance(f"Sequence {MOST_ROWS}  ")
        painter.setPen(QColor(self._theme.muted))
        painter.drawText(box, Qt.AlignmentFlag.AlignVCenter, name)
        space = box.width() - left
        fit = max(6, int(space // max(14, em(self, 1.1))))
        shown = _shown(blocks.count, fit)
        width = space / max(len(shown), 8)
        for place, block in enumerate(shown):
            cell = QRectF(box.left() + left + place * width, box.top(), width - 2, box.height())
            self._paint_block(painter, blocks, row, block, cell)

    def _paint_block(self, painter: QPainter, blocks: Blocks, row: int, block: int, cell: QRectF) -> None:
        theme = self._theme
        if block < 0:
            painter.setPen(QColor(theme.muted))
            painter.drawText(cell, Qt.AlignmentFlag.AlignCenter, "…")
            return
        shared = block < blocks.shared
        colour = QColor(theme.series[1] if shared else theme.series[0])
        painter.setPen(QPen(colour, 1, Qt.PenStyle.DashLine if shared and row else Qt.PenStyle.SolidLine))
        if shared and row:
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRect(cell)
            return
        last = block == blocks.count - 1
        part = blocks.used_in_last / blocks.size if last else 1.0
        painter.fillRect(QRectF(cell.left(), cell.top(), cell.width() * part, cell.height()), colour)
        if part < 1:
            rest = QRectF(cell.left() + cell.width() * part, cell.top(), cell.width() * (1 - part), cell.height())
            painter.fillRect(rest, QBrush(QColor(theme.bad), Qt.BrushStyle.BDiagPattern))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(cell)

    def _paint_key(self, painter: QPainter, left: float, top: float) -> None:
        theme, side = self._theme, em(self, 0.7)
        entries = [("tokens of the sequence", QBrush(QColor(theme.series[0])))]
        if self._blocks and self._blocks.shared:
            entries.append(("shared prefix, held once", QBrush(QColor(theme.series[1]))))
        if self._blocks and self._blocks.slack:
            entries.append(("reserved, empty", QBrush(QColor(theme.bad), Qt.BrushStyle.BDiagPattern)))
        for text, brush in entries:
            painter.fillRect(QRectF(left, top + side * 0.3, side, side), brush)
            painter.setPen(QColor(theme.muted))
            width = painter.fontMetrics().horizontalAdvance(text) + side * 3
            painter.drawText(QRectF(left + side * 1.5, top, width, side * 1.8), text)
            left += width + side


def _shown(count: int, fit: int) -> list[int]:
    """Which blocks are drawn: all, or the first ones, -1 for what is left out, and the last three."""
    if count <= fit:
        return list(range(count))
    return [*range(fit - 4), -1, *range(count - 3, count)]
