"""For everyone: every field has a name, Tab goes through all of them in reading order, every action has a key."""

from itertools import pairwise

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QAccessible, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QMenu, QScrollBar, QWidget

from kvdesk.gui import focus
from kvdesk.gui.commands.table import TABLE
from kvdesk.gui.main_window import MainWindow


def name_of(widget: QWidget) -> str:
    """What a screen reader would say."""
    interface = QAccessible.queryAccessibleInterface(widget)
    return interface.text(QAccessible.Text.Name)


def pages(window: MainWindow) -> list[QWidget]:
    """Bring every page to the front once, all folds open, and collect what can take the focus."""
    found: list[QWidget] = []
    window.parts.serving.fold.button.click()
    for plot in range(window.parts.plots.tabs.count()):
        window.parts.plots.tabs.setCurrentIndex(plot)
        for page in range(window.parts.details.tabs.count()):
            window.parts.details.tabs.setCurrentIndex(page)
            QApplication.processEvents()
            found += [widget for widget in focus.fields(window) if widget not in found]
    return found


def test_every_widget_that_takes_the_focus_has_a_name(window: MainWindow) -> None:
    widgets = pages(window)
    assert len(widgets) > 35
    nameless = [
        f"{type(widget).__name__} in {type(widget.parent()).__name__}" for widget in widgets if not name_of(widget)
    ]
    assert not nameless


def test_tab_order_is_reading_order(window: MainWindow) -> None:
    """Within each panel nothing comes after something that stands below it by more than a row."""
    parts = window.parts
    for panel in (parts.bar, parts.model, parts.workload, parts.serving, parts.hardware, parts.verdict):
        tops = [widget.mapTo(panel, QPoint(0, widget.height() // 2)).y() for widget in focus.fields(panel)]
        assert all(later >= earlier - 12 for earlier, later in pairwise(tops)), type(panel).__name__


def test_panels_follow_each_other_in_tab_order(window: MainWindow) -> None:
    chain = focus.fields(window)
    places = []
    for panel in window.parts.in_order():
        own = [chain.index(widget) for widget in focus.fields(panel) if widget in chain]
        if own:
            places.append((min(own), max(own)))
    assert all(first[1] < second[0] for first, second in pairwise(places))


def test_f6_goes_through_the_panels_and_back(window: MainWindow) -> None:
    window.parts.bar.focus()
    seen = []
    for _ in range(7):
        focus.step(window.panels(), 1)
        seen.append(QApplication.focusWidget())
    assert len({id(widget) for widget in seen}) == 7
    for _ in range(7):
        focus.step(window.panels(), -1)
    assert window.parts.bar.isAncestorOf(QApplication.focusWidget() or window)


def test_no_two_actions_share_a_key_and_each_has_one() -> None:
    keys = [QKeySequence(spec.key).toString() for spec in TABLE]
    assert all(keys)
    assert len(set(keys)) == len(keys)


def test_every_action_is_in_the_menus(window: MainWindow) -> None:
    menus = [menu for menu in window.menuBar().findChildren(QMenu) if menu.title().startswith("&")]
    shown = [action.objectName() for menu in menus for action in menu.actions()]
    assert sorted(name for name in shown if name) == sorted(spec.id for spec in TABLE)


def test_texts_are_not_cut(window: MainWindow) -> None:
    """Labels and buttons are at least as wide and high as their text, at a small window."""
    widgets: list[QLabel | QAbstractButton] = [*window.findChildren(QLabel), *window.findChildren(QAbstractButton)]
    shown = [widget for widget in widgets if widget.isVisible() and widget.text()]
    assert len(shown) > 30
    assert not [f"{type(widget).__name__} “{widget.text()}”" for widget in shown if not _fits(widget)]


def _fits(widget: QLabel | QAbstractButton) -> bool:
    if isinstance(widget, QLabel) and widget.wordWrap():
        return widget.height() >= widget.heightForWidth(widget.width())
    hint = widget.minimumSizeHint()
    return widget.width() >= hint.width() - 1 and widget.height() >= hint.height() - 1


def test_the_wheel_changes_no_field_that_has_not_the_focus(window: MainWindow) -> None:
    from PySide6.QtCore import QPointF
    from PySide6.QtGui import QWheelEvent

    before = window.bridge.store.session
    for field in (window.parts.workload.context, window.parts.workload.sequences, window.parts.serving.kv):
        event = QWheelEvent(
            QPointF(5, 5), QPointF(5, 5), QPoint(0, 0), QPoint(0, 120), Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(field, event)
    assert window.bridge.store.session == before


def test_the_plot_is_described_in_a_sentence(window: MainWindow) -> None:
    plot = window.parts.plots.plot
    assert plot is not None
    assert "capacity" in plot.accessibleDescription()
    assert plot.accessibleName()


def test_large_fonts_fit(window: MainWindow) -> None:
    font = window.font()
    font.setPointSizeF(16)
    QApplication.setFont(font)
    try:
        QTest.qWait(50)
        assert window.parts.workload.context.minimumSizeHint().height() <= window.parts.workload.context.height() + 1
        bars = [
            bar
            for bar in window.findChildren(QScrollBar)
            if bar.isVisible() and bar.orientation() == Qt.Orientation.Horizontal
        ]
        inputs = window.columns.widget(0)
        assert inputs is not None
        assert not [bar for bar in bars if inputs.isAncestorOf(bar)]
    finally:
        font.setPointSizeF(9)
        QApplication.setFont(font)
