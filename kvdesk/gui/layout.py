"""How the parts of the window stand: inputs in a column that scrolls, answers beside it."""

from collections.abc import Sequence

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtWidgets import QFrame, QScrollArea, QSizePolicy, QSplitter, QVBoxLayout, QWidget

from kvdesk.gui.widgets.text import em

WIDE = 120
"""From so many ems of width on, details stand beside the plot and not below it."""
LOW = 52
"""Below so many ems of height a plot of half of it would leave too few lines of the budget."""
LEAST_HEIGHTS = (13, 11)
"""Ems that the plot and the details take at least; a lower plot has no room for its labels."""


def gap(window: QWidget) -> int:
    """The margin around cards and between them."""
    return em(window, 0.5)


def inputs(panels: Sequence[QWidget], window: QWidget) -> QScrollArea:
    """The left column; it never scrolls sideways."""
    space = gap(window)
    column = QWidget()
    rows = QVBoxLayout(column)
    rows.setContentsMargins(space, space, space, space)
    rows.setSpacing(space)
    for panel in panels:
        rows.addWidget(panel)
    rows.addStretch(1)
    scroll = QScrollArea()
    scroll.setWidgetResizable(True)
    scroll.setFrameShape(QFrame.Shape.NoFrame)
    scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    scroll.setWidget(column)
    scroll.setMinimumWidth(em(window, 25))
    return scroll


def answers(top: Sequence[QWidget], split: QSplitter, window: QWidget) -> QScrollArea:
    """The right side: what is at the top keeps its height, the splitter takes the rest.

    It scrolls as a whole where a low window or a large font leave too little for both parts of the splitter.
    """
    space = gap(window)
    for at, least in enumerate(LEAST_HEIGHTS):
        part = split.widget(at)
        if part:
            part.setMinimumHeight(em(part, least))
    split.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
    side = QWidget()
    rows = QVBoxLayout(side)
    rows.setContentsMargins(0, space, space, space)
    rows.setSpacing(space)
    for widget in top:
        rows.addWidget(widget)
    rows.addWidget(split, 1)
    scroll = QScrollArea()
    scroll.setWidgetResizable(True)
    scroll.setFrameShape(QFrame.Shape.NoFrame)
    scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
    scroll.setWidget(side)
    return scroll


def splitter(orientation: Qt.Orientation, widgets: Sequence[QWidget], window: QWidget) -> QSplitter:
    """A splitter whose parts never vanish."""
    result = _Split(orientation)
    for widget in widgets:
        result.addWidget(widget)
    result.setHandleWidth(em(window, 0.5))
    result.setChildrenCollapsible(False)
    return result


class _Split(QSplitter):
    """Asks for no more height than it was given as its least: what its parts would like must not make a side scroll."""

    def sizeHint(self) -> QSize:
        """As wide as its parts would like, as high as its least."""
        return QSize(super().sizeHint().width(), self.minimumHeight())


def stacked(widgets: Sequence[QWidget], growing: QWidget) -> QWidget:
    """Widgets below one another without gaps; `growing` takes what is left."""
    whole = QWidget()
    rows = QVBoxLayout(whole)
    rows.setContentsMargins(0, 0, 0, 0)
    rows.setSpacing(0)
    for widget in widgets:
        rows.addWidget(widget)
    rows.addWidget(growing, 1)
    return whole


def turn(split: QSplitter, window: QWidget) -> None:
    """Beside one another where there is room, below one another where not; a low window gives more to the details."""
    wide = window.width() > em(window, WIDE)
    orientation = Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
    if split.orientation() != orientation or not split.property("turned"):
        split.setOrientation(orientation)
        split.setProperty("turned", True)
        low = window.height() < em(window, LOW)
        split.setSizes([3000, 2000] if wide else [1000, 1350] if low else [1100, 1000])
        split.setMinimumHeight(em(window, max(LEAST_HEIGHTS) if wide else sum(LEAST_HEIGHTS) + 1))


def keep_inside(window: QWidget) -> None:
    """Make a window that is shown, its frame included, no larger than its screen has room for, and move it there."""
    frame = window.frameGeometry()
    target = fitted(frame, window.screen().availableGeometry())
    if target != frame and not (window.isMaximized() or window.isFullScreen()):
        window.resize(window.size() + target.size() - frame.size())
        window.move(target.topLeft())


def fitted(frame: QRect, space: QRect) -> QRect:
    """`frame` no larger than `space` and inside it, moved no farther than need be."""
    size = frame.size().boundedTo(space.size())
    x = max(space.left(), min(frame.left(), space.right() + 1 - size.width()))
    y = max(space.top(), min(frame.top(), space.bottom() + 1 - size.height()))
    return QRect(QPoint(x, y), size)
