"""A label in the plot."""

import pyqtgraph as pg
from PySide6.QtGui import QBrush, QColor

MARGIN = 1
OPACITY = 200
"""Of the ground behind the text, of 255: lines below can be guessed and do not strike it through."""


class LabelItem(pg.TextItem):  # type: ignore[misc]  # pyqtgraph has no types
    """Stands with its top left corner at its place.

    Laid out anew only when its text changes, since that costs more than drawing a curve.
    """

    def __init__(self) -> None:
        super().__init__("", anchor=(0, 0))
        self.textItem.document().setDocumentMargin(MARGIN)
        self.setZValue(20)
        self._said: tuple[str, str, str] = ("", "", "")

    def say(self, text: str, colour: str, ground: str) -> None:
        """Show a text in a colour on a ground."""
        said = (text, colour, ground)
        if said == self._said:
            return
        self._said = said
        behind = QColor(ground)
        behind.setAlpha(OPACITY)
        self.fill = QBrush(behind)
        self.setText(text, color=colour)
