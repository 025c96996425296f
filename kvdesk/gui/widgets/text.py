"""Labels in the few roles that the window has, and its measures, all in units of the font."""

import textwrap

from PySide6.QtCore import Qt
from PySide6.QtGui import QFont
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from kvdesk.gui.numbers import localised

TIP_LETTERS = 84


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


def tip(text: str) -> str:
    """A text for a tooltip: lines short enough for it to stand beside what it is of, in any window."""
    return "\n".join(part for line in text.splitlines() for part in textwrap.wrap(line, TIP_LETTERS) or [""])


def comfortable(field: QWidget) -> None:
    """Give a field the height that all fields have."""
    field.setMinimumHeight(em(field, 1.75))


def short_device(name: str) -> str:
    """`NVIDIA H100 SXM5 80GB HBM3` -> `H100 SXM5 80GB`; what a catalogue adds in brackets goes too."""
    words = name.partition(" (")[0].removeprefix("NVIDIA ").removeprefix("AMD ").split()
    while len(words) > 2 and words[-1].startswith(("HBM", "GDDR", "LPDDR")):
        words.pop()
    return " ".join(words)


def short_title(title: str) -> str:
    """An option's title without its vendor and kind of memory: `1 × H100 SXM5 80GB`."""
    count, mark, name = title.partition("× ")
    return f"{count}{mark}{short_device(name)}"


def tabular(font: QFont) -> QFont:
    """The same font with figures of equal width, so that columns of numbers align."""
    result = QFont(font)
    result.setFeature(QFont.Tag("tnum"), 1)
    return result
