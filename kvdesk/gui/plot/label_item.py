"""A label in the plot."""

import pyqtgraph as pg
from PySide6.QtCore import Qt
from PySide6.QtGui import QBrush, QColor

Anchor = tuple[float, float]


class LabelItem(pg.TextItem):  # type: ignore[misc]  # pyqtgraph has no types
    """Laid out anew only when its text changes, since that costs more than drawing a curve."""

    def __init__(self) -> None:
        super().__init__("")
        self.setZValue(20)
        self._said: tuple[object, ...] = ()

    def say(self, text: str, colour: str, anchor: Anchor, background: str) -> None:
        """Show a text; `background` is a colour, or "" for none."""
        said = (text, colour, anchor, background)
        if said == self._said:
            return
        self._said = said
        self.fill = QBrush(QColor(background)) if background else QBrush(Qt.BrushStyle.NoBrush)
        self.setText(text, color=colour)
        self.setAnchor(anchor)
