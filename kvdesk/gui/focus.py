"""Moving the focus from panel to panel."""

from collections.abc import Sequence
from itertools import pairwise

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication, QWidget


def step(panels: Sequence[QWidget], by: int) -> None:
    """From the panel that has the focus to the next (or former) one that can take it."""
    shown = [panel for panel in panels if panel.isVisible() and first_field(panel)]
    if not shown:
        return
    focused = QApplication.focusWidget()
    at = next((i for i, panel in enumerate(shown) if focused and (panel is focused or panel.isAncestorOf(focused))), -1)
    start = at if at >= 0 else (-1 if by > 0 else 0)
    field = first_field(shown[(start + by) % len(shown)])
    if field:
        field.setFocus(Qt.FocusReason.TabFocusReason)


def first_field(panel: QWidget) -> QWidget | None:
    """The first widget of a panel, in tab order, that takes the focus by Tab."""
    return next(iter(fields(panel)), None)


def arrange(panels: Sequence[QWidget]) -> None:
    """Make Tab go through `panels` in this order, and in each through its fields in the order in which they stand.

    Qt puts a widget that is made later, such as a row that was added, at the end of the chain.
    """
    chain = [
        widget
        for panel in panels
        for widget in panel.findChildren(QWidget)
        if takes_tab(widget) and widget.window() is panel.window()
    ]
    for first, second in pairwise(chain):
        QWidget.setTabOrder(first, second)


def is_inside(widget: QWidget) -> bool:
    """Whether the focus is on a widget or within it, or will be there once its window is active again."""
    focused: object = widget.window().focusWidget()  # None where nothing has it, which the stubs do not say
    return isinstance(focused, QWidget) and (focused is widget or widget.isAncestorOf(focused))


def takes_tab(widget: QWidget) -> bool:
    """Whether Tab stops at a widget itself, and not at one that it only stands for."""
    return bool(widget.focusPolicy() & Qt.FocusPolicy.TabFocus) and widget.focusProxy() is None


def fields(panel: QWidget) -> list[QWidget]:
    """All visible widgets of a panel that take the focus by Tab, in tab order."""
    found = []
    widget: QWidget | None = panel
    for _ in range(5000):  # the chain is a ring; the bound is only for one that is broken
        if widget is None:
            break
        own = widget is panel or panel.isAncestorOf(widget)
        if own and takes_tab(widget) and widget.isVisible() and widget.isEnabled():
            found.append(widget)
        widget = widget.nextInFocusChain()
        if widget is panel:
            break
    return found
