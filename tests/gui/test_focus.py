"""The focus stays where the user is, or goes to the nearest thing that can take it; all can be done by key."""

from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget

from kvdesk.app import actions
from kvdesk.gui.main_window import MainWindow
from kvdesk.gui.panels.all import PAGES


def focused() -> QWidget:
    widget = QApplication.focusWidget()
    assert widget is not None
    return widget


def press(key: Qt.Key) -> None:
    QTest.keyClick(focused(), key)


def test_a_layout_is_set_by_key_alone(window: MainWindow) -> None:
    row = window.parts.hardware.rows[0]
    row.count.setValue(4)
    window.bridge.flush()
    row.layout_button.setFocus()
    press(Qt.Key.Key_Space)
    form = row.layout_button.form
    assert form is not None
    assert form.isVisible()
    assert form.focusWidget() is form.fields["tp"]
    QTest.keyClicks(form.fields["tp"], "2")
    QTest.keyClick(form.fields["tp"], Qt.Key.Key_Tab)
    window.bridge.flush()
    assert form.isVisible()
    assert form.focusWidget() is form.fields["pp"]
    QTest.keyClick(form.fields["pp"], Qt.Key.Key_Up)
    window.bridge.flush()
    assert row.layout_button.text() == "TP 2, DP 2 ▾"
    QTest.keyClick(form.fields["pp"], Qt.Key.Key_Up)
    QTest.keyClick(form.fields["pp"], Qt.Key.Key_Return)
    window.bridge.flush()
    assert not form.isVisible()
    assert row.layout_button.text() == "TP 2, PP 2 ▾"
    QTest.keyClick(row.layout_button, Qt.Key.Key_Down)
    assert form.isVisible()
    QTest.keyClicks(form.fields["tp"], "9")
    QTest.keyClick(form.fields["tp"], Qt.Key.Key_Escape)
    assert form.isVisible()
    QTest.keyClick(form.fields["tp"], Qt.Key.Key_Escape)
    assert not form.isVisible()
    assert window.bridge.store.session.gpus[0].tp == 2


def test_the_form_of_a_layout_stays_on_the_screen(window: MainWindow) -> None:
    button = window.parts.hardware.rows[0].layout_button
    button.open()
    assert button.form is not None
    assert button.screen().availableGeometry().contains(button.form.frameGeometry())
    button.form.hide()


def test_a_page_that_goes_leaves_the_focus_at_its_tab(window: MainWindow) -> None:
    details = window.parts.details
    window.parts.budget.tree.setFocus()
    place = details.tabs.tabRect(PAGES.index("Compare")).center()
    QTest.mouseClick(details.tabs, Qt.MouseButton.LeftButton, pos=QPoint(place))
    QTest.qWait(20)
    assert details.tabs.currentIndex() == PAGES.index("Compare")
    assert details.tabs.hasFocus()
    window.parts.workload.context.setFocus()
    details.tabs.setCurrentIndex(0)
    QTest.qWait(20)
    assert window.parts.workload.context.hasFocus()


def test_removing_an_option_keeps_the_focus_among_the_options(window: MainWindow) -> None:
    hardware = window.parts.hardware
    for _ in range(2):
        hardware.add.click()
        window.bridge.flush()
    hardware.rows[1].remove.setFocus()
    press(Qt.Key.Key_Space)
    window.bridge.flush()
    assert hardware.rows[1].remove.hasFocus()
    press(Qt.Key.Key_Space)
    window.bridge.flush()
    assert len(window.bridge.store.session.gpus) == 1
    assert hardware.rows[0].device.hasFocus()


def test_a_row_that_an_undo_takes_away_hands_its_focus_on(window: MainWindow) -> None:
    hardware = window.parts.hardware
    hardware.add.click()
    window.bridge.flush()
    hardware.rows[1].count.setFocus()
    window.bridge.store.undo()
    window.bridge.flush()
    assert hardware.rows[0].isAncestorOf(focused())


def test_an_option_that_is_added_is_looked_at_and_typing_names_its_gpu(window: MainWindow) -> None:
    window.actions_by_id["scenario.add_gpu"].trigger()
    window.bridge.flush()
    row = window.parts.hardware.rows[1]
    assert row.isAncestorOf(focused())
    line = row.device.lineEdit()
    assert line is not None
    assert line.selectedText() == line.text()
    assert window.bridge.view.option == 1
    window.actions_by_id["scenario.remove_gpu"].trigger()
    window.bridge.flush()
    assert [choice.count for choice in window.bridge.store.session.gpus] == [1]


def test_a_gpu_that_is_not_known_is_told_in_place(window: MainWindow) -> None:
    row = window.parts.hardware.rows[0]
    line = row.device.lineEdit()
    assert line is not None
    line.setFocus()
    line.selectAll()
    QTest.keyClicks(line, "no such thing")
    window.parts.workload.context.setFocus()
    assert row.note.isVisible()
    assert row.note.text() == "There is no GPU “no such thing” in the catalogue."
    assert "H100" in line.text()
    row.enter()
    QTest.keyClicks(line, "h")
    assert not row.note.isVisible()
    # Return ends the typing twice, and leaving the field once more; the note outlives both.
    line.selectAll()
    QTest.keyClicks(line, "H9000")
    QTest.keyClick(line, Qt.Key.Key_Return)
    window.parts.workload.context.setFocus()
    assert row.note.text() == "There is no GPU “H9000” in the catalogue."
    row.enter()
    QTest.keyClicks(line, "h")
    QTest.keyClick(row.device, Qt.Key.Key_Escape)
    assert "H100" in line.text()
    assert not line.isModified()


def test_typing_on_a_row_of_the_model_replaces_its_value(window: MainWindow) -> None:
    facts = window.parts.model.facts
    row = facts.model.keys.index("num_key_value_heads")
    facts.table.setFocus()
    facts.table.setCurrentIndex(facts.model.index(row, 0))
    QTest.keyClicks(facts.table, "4")
    editor = facts.table.findChild(QLineEdit)
    assert editor is not None
    assert editor.text() == "4"
    QTest.keyClick(editor, Qt.Key.Key_Return)
    QTest.qWait(1)
    assert dict(window.bridge.store.session.overrides) == {"num_key_value_heads": 4}
    window.bridge.edit("", actions.reset_all)
