"""Fields and tables: what applies when, what can be taken back, and how a typed value is marked."""

from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from pytestqt.qtbot import QtBot

from kvdesk.app import actions, lookup
from kvdesk.app.session import GpuChoice
from kvdesk.gui import numbers
from kvdesk.gui.main_window import MainWindow
from kvdesk.gui.panels.model.facts import named


def test_the_window_starts_with_vllm_and_driver_reported_memory(window: MainWindow) -> None:
    sizing = window.bridge.view.sizing
    assert sizing is not None
    assert sizing.engine == "vllm"
    answer = sizing.options[0].answer
    assert answer is not None
    # H100 SXM: 81,559 MiB reported, less what the driver keeps, is well below 80 GB + 5 GB and not the marketed 80 GB.
    assert answer.device_bytes != 80 * 10**9
    assert window.parts.bar.field.hasFocus()


def test_text_in_a_spin_box_applies_on_return_and_esc_gives_the_former_value(window: MainWindow) -> None:
    field = window.parts.workload.context
    field.setFocus()
    field.selectAll()
    QTest.keyClicks(field, "16384")
    before = window.bridge.store.session.context
    QTest.keyClick(field, Qt.Key.Key_Return)
    assert (before, window.bridge.store.session.context) == (None, 16384)
    field.selectAll()
    QTest.keyClicks(field, "77")
    QTest.keyClick(field, Qt.Key.Key_Escape)
    assert field.value() == 16384
    assert window.bridge.store.session.context == 16384


def test_steps_of_the_context_meet_every_power_of_two(window: MainWindow) -> None:
    field = window.parts.workload.context
    seen = {field.value()}
    for _ in range(33):
        field.stepBy(1)
        seen.add(field.value())
    assert {8192, 16384, 32768, 65536, 131072} <= seen
    field.setValue(10_000)
    field.stepBy(-1)
    assert field.value() == 9216


def test_a_held_step_is_one_undo(window: MainWindow) -> None:
    for _ in range(10):
        window.parts.workload.context.stepBy(1)
    window.bridge.store.undo()
    assert window.bridge.store.session.context is None


def test_slider_and_field_agree(window: MainWindow) -> None:
    window.parts.workload.slider.setValue(window.parts.workload.slider.maximum())
    window.bridge.flush()
    assert window.parts.workload.context.value() == 131072


def test_a_bad_size_says_why_under_the_field_and_keeps_the_last_good_result(window: MainWindow) -> None:
    window.parts.serving.fold.button.click()
    field = window.parts.serving.reserve
    before = window.bridge.view.sizing
    field.setFocus()
    note = next(row.note for row in window.parts.serving.advanced.rows if row.field is field)
    for text in ("3", "three", "1.0000000001GB"):
        field.setText(text)
        QTest.keyClick(field, Qt.Key.Key_Return)
        assert note.isVisible()
        assert note.text()
        assert field.text() == text
    window.bridge.flush()
    assert window.bridge.view.sizing is before
    field.setText("4GB")
    QTest.keyClick(field, Qt.Key.Key_Return)
    window.bridge.flush()
    assert window.bridge.store.session.reserve_bytes == 4 * 10**9
    assert note.property("role") == "muted"
    assert note.text().startswith("was ")


def test_a_value_typed_over_is_marked_and_keeps_its_original(window: MainWindow) -> None:
    facts = window.parts.model.facts
    row = facts.model.keys.index("num_key_value_heads")
    facts.table.setFocus()
    facts.table.setCurrentIndex(facts.model.index(row, 1))
    QTest.keyClick(facts.table, Qt.Key.Key_Return)
    editor = facts.table.findChild(QLineEdit)
    assert editor is not None
    editor.setText("4")
    QTest.keyClick(editor, Qt.Key.Key_Return)
    QTest.qWait(1)
    window.bridge.flush()
    assert dict(window.bridge.store.session.overrides) == {"num_key_value_heads": 4}
    assert facts.model.index(row, 2).data() == "yours"
    assert facts.model.was(row) == "was 8, from catalogue"
    assert window.bridge.view.sizing is not None
    # 32 layers x 4 KV heads x (128 + 128) x 2 B x 8,192 tokens
    assert window.bridge.view.sizing.logical_bytes == 32 * 4 * 256 * 2 * 8192
    QTest.keyClick(facts.table, Qt.Key.Key_Delete)
    window.bridge.flush()
    assert dict(window.bridge.store.session.overrides) == {}
    assert facts.model.was(row) == ""


def test_what_a_value_was_can_be_read_while_its_row_is_selected(window: MainWindow) -> None:
    facts = window.parts.model.facts
    window.bridge.edit("", lambda session: actions.override(session, "num_key_value_heads", 4))
    window.bridge.flush()
    row = facts.model.keys.index("num_key_value_heads")
    index = facts.model.index(row, 0)
    assert str(index.data(Qt.ItemDataRole.ToolTipRole)).count("was") == 1
    facts.table.setFocus()
    facts.table.setCurrentIndex(index)
    QTest.qWait(20)
    cell = facts.table.viewport().grab(facts.table.visualRect(index)).toImage()
    below = cell.copy(0, cell.height() // 2, cell.width(), cell.height() // 2)
    seen = {below.pixelColor(x, y).name() for x in range(below.width()) for y in range(below.height())}
    theme = window.bridge.view.display.theme
    assert {theme.accent, theme.on_accent} <= seen
    assert theme.text not in seen
    window.parts.workload.sequences.setFocus()
    assert not facts.table.selectionModel().hasSelection()


def test_rows_of_the_vision_tower_say_so_and_no_name_is_cut(window: MainWindow) -> None:
    config = Path(__file__).parents[1] / "fixtures" / "configs" / "google__gemma-3-27b-it.json"
    model = lookup.load_path(config)
    window.bridge.edit("", lambda session: actions.set_model(session, model))
    window.bridge.flush()
    facts = window.parts.model.facts
    facts.more.click()
    QTest.qWait(20)
    names = [str(facts.model.index(row, 0).data()) for row in range(facts.model.rowCount())]
    assert len(set(names)) == len(names)
    assert names[0] == "Layers"
    assert names[-2:] == ["Vision layers", "Vision hidden size"]
    metrics = facts.table.fontMetrics()
    for row in range(facts.model.rowCount()):
        box = facts.table.visualRect(facts.model.index(row, 0))
        words = metrics.boundingRect(box, Qt.TextFlag.TextWordWrap, named(facts.model, row))
        assert words.height() <= box.height(), names[row]
        assert words.width() <= box.width(), names[row]
    facts.more.click()


def test_reset_all_is_one_step(window: MainWindow) -> None:
    window.bridge.edit("", lambda session: actions.override(session, "head_dim", 64))
    window.bridge.edit("", lambda session: actions.set_kv_dtype(session, "fp8"))
    window.bridge.flush()
    window.actions_by_id["edit.reset_all"].trigger()
    assert actions.changed_count(window.bridge.store.session) == 0
    window.bridge.store.undo()
    assert actions.changed_count(window.bridge.store.session) == 2


def test_a_value_that_makes_no_sense_offers_the_way_back(window: MainWindow) -> None:
    window.bridge.edit("Set num_hidden_layers", lambda session: actions.override(session, "num_hidden_layers", "many"))
    window.bridge.flush()
    assert window.bridge.view.sizing is None
    assert not window.parts.verdict.states.ready
    buttons = {button.text(): button for button in window.parts.verdict.states.message.buttons}
    assert {"Undo", "Reset all values"} <= set(buttons)
    buttons["Reset all values"].click()
    window.bridge.flush()
    assert window.bridge.view.sizing is not None


def test_options_of_gpus_are_added_changed_and_removed(window: MainWindow, qtbot: QtBot) -> None:
    hardware = window.parts.hardware
    hardware.add.click()
    window.bridge.flush()
    assert len(window.bridge.store.session.gpus) == 2
    field = hardware.rows[1].device
    qtbot.waitUntil(lambda: field.count() > 50, timeout=10_000)
    line = field.lineEdit()
    assert line is not None
    line.selectAll()
    QTest.keyClicks(line, "h200-sxm")
    QTest.keyClick(line, Qt.Key.Key_Return)
    window.bridge.flush()
    assert window.bridge.store.session.gpus[1].gpu == "h200-sxm"
    line.setText("no such thing")
    line.editingFinished.emit()
    assert "H200" in line.text()
    hardware.rows[1].remove.click()
    window.bridge.flush()
    assert [choice.gpu for choice in window.bridge.store.session.gpus] == ["h100-sxm"]
    assert not hardware.rows[0].remove.isEnabled()


def test_the_button_of_a_row_that_can_be_removed_again_is_drawn_so(window: MainWindow) -> None:
    hardware = window.parts.hardware
    assert not hardware.rows[0].remove.isEnabled()
    hardware.add.click()
    window.bridge.flush()
    first, second = (hardware.rows[at].remove for at in (0, 1))
    assert first.isEnabled()
    assert first.grab().toImage() == second.grab().toImage()


def test_a_count_that_does_not_match_typed_degrees_frees_them(window: MainWindow) -> None:
    window.bridge.edit("", lambda session: actions.set_gpu(session, 0, GpuChoice(gpu="h100-sxm", count=4, tp=2, pp=2)))
    window.bridge.flush()
    window.parts.hardware.rows[0].count.setValue(3)
    window.bridge.flush()
    assert window.bridge.store.session.gpus[0] == GpuChoice(gpu="h100-sxm", count=3)


@pytest.mark.parametrize(
    ("key", "degree", "words"), [("tp", 2, "TP 2, DP 2"), ("pp", 2, "TP 2, PP 2"), ("dp", 4, "TP 1, DP 4")]
)
def test_a_degree_alone_is_kept_and_the_rest_is_filled_in(
    window: MainWindow, key: str, degree: int, words: str
) -> None:
    row = window.parts.hardware.rows[0]
    row.count.setValue(4)
    window.bridge.flush()
    row.layout_button.open()
    assert row.layout_button.form is not None
    row.layout_button.form.fields[key].setValue(degree)
    window.bridge.flush()
    choice = window.bridge.store.session.gpus[0]
    assert (choice.count, getattr(choice, key)) == (4, degree)
    assert row.layout_button.text() == f"{words} ▾"
    assert window.bridge.view.chosen is not None
    assert window.bridge.view.chosen.answer is not None
    assert str(window.bridge.view.chosen.answer.layout) == words
    assert not row.note.isVisible()
    row.count.setValue(8)
    window.bridge.flush()
    assert getattr(window.bridge.store.session.gpus[0], key) == degree
    row.layout_button.form.hide()


def test_a_layout_that_does_not_come_out_is_told_in_place(window: MainWindow) -> None:
    row = window.parts.hardware.rows[0]
    row.count.setValue(4)
    window.bridge.flush()
    row.layout_button.open()
    assert row.layout_button.form is not None
    fields = row.layout_button.form.fields
    assert fields["tp"].text() == "auto: 4"
    fields["tp"].setValue(3)
    window.bridge.flush()
    assert row.note.isVisible()
    assert row.note.text().startswith("4 GPUs cannot be shared out evenly: TP 3 takes 3 at a time.")
    assert row.layout_button.form.note.text() == row.note.text()
    assert window.bridge.view.chosen is not None
    assert window.bridge.view.chosen.title == "4 × NVIDIA H100 SXM5 80GB HBM3"
    said = " ".join(finding.text + finding.remedy for finding in window.bridge.view.derived.findings)
    assert "--" not in said
    assert "h100-sxm" not in said
    fields["tp"].setValue(0)
    window.bridge.flush()
    assert not row.note.isVisible()
    row.layout_button.form.hide()


def test_budget_lines_open_to_formula_numbers_and_result(window: MainWindow) -> None:
    model = window.parts.budget.model
    row = next(i for i, line in enumerate(model.lines) if line.key == "budget" or line.label == "Budget")
    top = model.index(row, 0)
    steps = [str(model.index(i, 0, top).data()) for i in range(model.rowCount(top))]
    assert any(step.startswith("formula:") for step in steps)
    assert any(step.startswith("numbers:") for step in steps)
    assert any(step.startswith("result:") for step in steps)
    assert steps[-1].startswith("source:")
    assert model.parent(model.index(0, 0, top)) == top
    assert not model.parent(top).isValid()
    assert model.rowCount(model.index(0, 0, top)) == 0
    assert model.parent(QModelIndex()) == QModelIndex()


def test_values_typed_under_advanced_are_marked_like_all_others(window: MainWindow) -> None:
    serving = window.parts.serving
    serving.fold.button.click()
    rows = {name: serving.rows[name] for name in ("utilization", "reserve_bytes", "pool_bytes")}
    assert [row.chip.text() for row in rows.values()] == ["profile", "estimate", "derived"]
    before = serving.reserve.placeholderText()
    for field, text in ((serving.utilization, "0.8"), (serving.reserve, "5GB"), (serving.arguments, "max_num_seqs=8")):
        field.setFocus()
        field.setText(text)
        QTest.keyClick(field, Qt.Key.Key_Return)
        window.bridge.flush()
    assert rows["utilization"].note.text() == "was 0.92, from profile"
    assert rows["reserve_bytes"].note.text().startswith("was ≈ ")
    assert before.startswith("≈ ")
    assert serving.arguments_row.note.text() == "was the engine's defaults"
    for row in (rows["utilization"], rows["reserve_bytes"], serving.arguments_row):
        assert row.chip.text() == "yours"
        assert row.reset is not None
        assert row.reset.isVisible()
        assert row.note.isVisible()
        row.reset.click()
        window.bridge.flush()
        assert not row.reset.isVisible()
        assert not row.note.isVisible()
    assert actions.changed_count(window.bridge.store.session) == 0
    assert rows["utilization"].chip.text() == "profile"


def test_the_cache_format_and_the_weights_say_what_they_were(window: MainWindow) -> None:
    serving = window.parts.serving
    window.bridge.edit("", lambda session: actions.set_kv_dtype(session, "fp8"))
    window.bridge.edit("", lambda session: actions.set_weights_dtype(session, "fp8"))
    window.bridge.flush()
    assert serving.kv_row.note.text() == "was bf16, from catalogue"
    assert serving.weights_row.note.text() == "was 14.96 GiB, from catalogue"


def test_a_line_of_the_budget_says_that_a_value_of_the_users_is_in_it(window: MainWindow) -> None:
    model = window.parts.budget.model
    row = next(i for i, line in enumerate(model.lines) if line.key == "budget")
    assert model.index(row, 3).data() == "profile"
    window.bridge.edit("", lambda session: actions.set_utilization(session, 0.8))
    window.bridge.flush()
    assert [model.index(at, 3).data() for at in (row - 1, row)] == ["yours", "with yours"]
    top = model.index(row, 0)
    steps = [str(model.index(i, 0, top).data()) for i in range(model.rowCount(top))]
    assert steps[-1].endswith("with your u = 0.8")


def test_tables_copy_with_header_and_units(window: MainWindow) -> None:
    tree = window.parts.budget.tree
    tree.setFocus()
    QTest.keyClick(tree, Qt.Key.Key_C, Qt.KeyboardModifier.ControlModifier)
    text = QApplication.clipboard().text()
    assert text.splitlines()[0].split("\t") == ["", "Line", "Value", "From"]
    assert "GiB" in text


def test_the_unit_is_switched_everywhere(window: MainWindow) -> None:
    assert "GiB" in window.parts.budget.model.index(0, 2).data()
    window.actions_by_id["view.unit"].trigger()
    window.bridge.flush()
    assert window.parts.budget.model.index(0, 2).data().endswith(" GB")
    assert window.parts.plots.chart is not None
    assert window.parts.plots.chart.unit == "GB"
    assert "GB" in window.unit.text()


def test_numbers_follow_the_locale_and_keep_every_digit() -> None:
    assert numbers.integer(2**70) == "1,180,591,620,717,411,303,424"
    assert numbers.size(17179869184, "GiB") == "16.00 GiB"
    assert numbers.size(17179869184, "GB") == "17.18 GB"
    assert numbers.fitting_size(131072, "GiB") == "128 KiB"
    assert numbers.fitting_size(131072, "GB") == "131.07 kB"
    assert numbers.parameters(8_030_261_248) == "8.03 B"
    assert numbers.tokens_short(131072) == "128K"
    assert numbers.tokens_short(1 << 20) == "1M"
    assert numbers.tokens_short(1000) == "1,000"


@pytest.mark.parametrize("place", ["model", "context", "sequences", "gpu", "reserve"])
def test_undo_by_key_works_while_a_field_has_the_focus(window: MainWindow, place: str) -> None:
    window.parts.serving.fold.button.click()
    fields: dict[str, QWidget] = {
        "model": window.parts.bar.field,
        "context": window.parts.workload.context,
        "sequences": window.parts.workload.sequences,
        "gpu": window.parts.hardware.rows[0].device,
        "reserve": window.parts.serving.reserve,
    }
    window.bridge.edit("", lambda session: actions.set_sequences(session, 7))
    window.bridge.flush()
    fields[place].setFocus()
    focused = QApplication.focusWidget()
    assert focused
    QTest.keyClick(focused, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert window.bridge.store.session.sequences == 1
    window.bridge.flush()
    QTest.keyClick(focused, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert window.bridge.store.session.sequences == 7


def test_undo_by_key_takes_back_what_is_being_typed_first(window: MainWindow) -> None:
    window.bridge.edit("", lambda session: actions.set_sequences(session, 7))
    window.bridge.flush()
    window.parts.serving.fold.button.click()
    field = window.parts.serving.reserve
    field.setFocus()
    QTest.keyClicks(field, "3GB")
    QTest.keyClick(field, Qt.Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert (field.text(), window.bridge.store.session.sequences) == ("", 7)


def test_a_smaller_cache_is_advised_only_where_there_is_one(window: MainWindow) -> None:
    window.bridge.edit("", lambda session: actions.set_sequences(session, 9000))
    window.bridge.flush()
    assert "fp8 cache" in window.parts.verdict.rows[0].accessibleName()
    window.bridge.edit("", lambda session: actions.set_kv_dtype(session, "fp8"))
    window.bridge.flush()
    assert "fp8 cache" not in window.parts.verdict.rows[0].accessibleName()
