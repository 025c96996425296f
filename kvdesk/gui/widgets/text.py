"""Labels in the few roles that the window has, and its measures, all in units of the font."""

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from kvdesk.gui.numbers import localised


def em(widget: QWidget, factor: float = 1.0) -> int:
    """`factor` times the height of the widget's font, in device-independent pixels."""
    return round(widget.fontMetrics().height() * factor)


def label(text: str = "", role: str = "", *, wrap: bool = False) -> QLabel:
    """A plain-text label; `role` is "title", "muted" or "error"."""
    result = QLabel(localised(text))
    result.setTextFormat(Qt.TextFormat.PlainText)
    result.setWordWrap(wrap)
    if wrap:
        result.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Minimum)
    if role:
        result.setProperty("role", role)
    return result


def set_text(target: QLabel, text: str) -> None:
    """Put `text` into a label where it differs, so that nothing is laid out twice."""
    if target.text() != text:
        target.setText(text)


def comfortable(field: QWidget) -> None:
    """Give a field the height that all fields have."""
    field.setMinimumHeight(em(field, 1.75))


def without_vendor(name: str) -> str:
    """`NVIDIA H100 SXM5 80GB HBM3` -> `H100 SXM5 80GB HBM3`."""
    return name.removeprefix("NVIDIA ").removeprefix("AMD ")


def tabular(font: QFont) -> QFont:
    """The same font with figures of equal width, so that columns of numbers align."""
    result = QFont(font)
    result.setFeature(QFont.Tag("tnum"), 1)
    return result
