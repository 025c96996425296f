"""Widths of texts."""

from PySide6.QtWidgets import QWidget

_MOST = 256


class Widths:
    """Widths of texts in the font of a widget; most come again at every step, and measuring costs like drawing."""

    def __init__(self, widget: QWidget) -> None:
        self._widget, self._font = widget, ""
        self._known: dict[str, int] = {}

    def refresh(self) -> None:
        """Forget all if the font is another one; once for each time that something is drawn."""
        font = self._widget.font().key()
        if font != self._font or len(self._known) > _MOST:
            self._font = font
            self._known.clear()

    def of(self, text: str) -> int:
        """The width of a text in pixels."""
        if text not in self._known:
            self._known[text] = self._widget.fontMetrics().horizontalAdvance(text)
        return self._known[text]
