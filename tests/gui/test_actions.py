"""Every action, by its key; many actions at random and back again; copies, files, dialogs."""

import json
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt, QUrl
from PySide6.QtGui import QDropEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QInputDialog, QPlainTextEdit
from pytestqt.qtbot import QtBot

from kvdesk.app import actions
from kvdesk.app.report_form import Asked
from kvdesk.app.reporting import ReportDetails
from kvdesk.app.session import GpuChoice
from kvdesk.gui import charts, opening
from kvdesk.gui.commands import file
from kvdesk.gui.commands.help import explanation
from kvdesk.gui.commands.table import TABLE, Spec
from kvdesk.gui.defects import Defects
from kvdesk.gui.dialogs.search import SearchDialog, matches
from kvdesk.gui.exporting import export
from kvdesk.gui.main_window import MainWindow
from tests.gui.conftest import LLAMA


def press(window: MainWindow, key: str) -> None:
    """Press a key combination in the window."""
    QTest.keySequence(window, QKeySequence(key))


@pytest.mark.parametrize("spec", [s for s in TABLE if s.id != "file.quit"], ids=lambda spec: spec.id)
def test_every_action_can_be_done_by_key(window: MainWindow, monkeypatch: pytest.MonkeyPatch, spec: Spec) -> None:
    """Each action answers its key; those that need something to act on have it."""
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_: ("", ""))
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: ("", ""))
    monkeypatch.setattr(QInputDialog, "getText", lambda *_, **__: ("", False))
    window.bridge.edit("", lambda session: actions.add_gpu(session, GpuChoice(gpu="l4")))
    window.bridge.edit("", lambda session: actions.set_kv_dtype(session, "fp8"))
    window.bridge.edit("", lambda session: actions.set_sequences(session, 3))
    window.actions_by_id["scenario.duplicate"].trigger()
    if spec.id in ("scenario.3", "scenario.4"):
        window.actions_by_id["scenario.duplicate"].trigger()
        window.actions_by_id["scenario.duplicate"].trigger()
    if spec.id == "edit.redo":
        window.bridge.store.undo()
    window.bridge.flush()
    if spec.id == "model.cancel":
        pytest.skip("shown with a look-up under way in test_look_up")
    action = window.actions_by_id[spec.id]
    if spec.id.startswith("scenario.") and spec.id[-1].isdigit():
        window.bridge.flush()
    told: list[str] = []
    action.triggered.connect(lambda: told.append(spec.id))
    press(window, spec.key)
    window.bridge.flush()
    assert told == [spec.id]


def test_actions_say_what_they_would_undo(window: MainWindow) -> None:
    window.bridge.edit("Context of 4,096", lambda session: actions.set_context(session, 4096))
    window.bridge.flush()
    assert "Context of 4,096" in window.actions_by_id["edit.undo"].text()
    assert not window.actions_by_id["edit.redo"].isEnabled()


def test_the_command_line_gives_the_same_numbers(window: MainWindow, capsys: pytest.CaptureFixture[str]) -> None:
    import shlex

    from kvdesk.cli.main import main

    window.bridge.edit("", lambda session: actions.set_context(session, 16384))
    window.bridge.edit("", lambda session: actions.override(session, "num_key_value_heads", 4))
    window.bridge.edit("", lambda session: actions.set_engine_argument(session, "block_size", 32))
    window.bridge.flush()
    window.actions_by_id["edit.copy_command"].trigger()
    call = shlex.split(QApplication.clipboard().text())
    assert call[:2] == ["kvdesk", "size"]
    assert main([*call[1:], "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    sizing = window.bridge.view.sizing
    assert sizing is not None
    answer = sizing.options[0].answer
    assert answer is not None
    assert found["options"][0]["pool_bytes"] == answer.pool_bytes
    assert found["options"][0]["full_length_sequences"] == answer.full_length_sequences
    assert found["kv"]["logical_bytes_per_sequence"] == sizing.logical_bytes


def test_results_are_copied_as_tsv_and_markdown(window: MainWindow) -> None:
    window.actions_by_id["edit.copy_tsv"].trigger()
    rows = [line.split("\t") for line in QApplication.clipboard().text().splitlines()]
    assert rows[0][1].startswith("1 × NVIDIA H100")
    assert {len(row) for row in rows} == {2}
    named = {row[0]: row[1] for row in rows}
    # What is estimated stands with both ends, and what was typed in the command that gives the same.
    assert "Reserve" in named["estimates (B)"]
    assert " to " in named["estimates (B)"]
    assert named["command line"].startswith("kvdesk size llama-3.1-8b")
    window.actions_by_id["edit.copy_markdown"].trigger()
    assert QApplication.clipboard().text().splitlines()[1] == "| --- | --- |"


def test_charts_are_copied(window: MainWindow) -> None:
    window.actions_by_id["chart.copy_data"].trigger()
    lines = QApplication.clipboard().text().splitlines()
    assert lines[0].startswith("context (tokens)\t")
    assert lines[1].startswith("256\t")
    window.actions_by_id["chart.copy_svg"].trigger()
    # Alone, a copy has to say whose memory it shows and in what.
    for words in ("Llama-3.1-8B-Instruct: ", "Memory per GPU (GiB)", "against context (tokens)</title>"):
        assert words in QApplication.clipboard().text()
    assert charts.png_of(window.parts.plots.picture()).startswith(b"\x89PNG")
    window.actions_by_id["view.blocks"].trigger()
    window.actions_by_id["chart.copy_data"].trigger()
    assert "512 blocks of 16 tokens" in QApplication.clipboard().text()


def test_the_crosshair_moves_by_key_and_reads_out_values(window: MainWindow) -> None:
    plot = window.parts.plots.plot
    assert plot is not None
    plot.setFocus()
    QTest.keyClick(plot, Qt.Key.Key_Right)
    assert "tokens:" in window.parts.plots.readout.text()
    assert "GiB" in window.parts.plots.readout.text()
    QTest.keyClick(plot, Qt.Key.Key_Home)
    assert "At 256 tokens" in window.parts.plots.readout.text()
    QTest.keyClick(plot, Qt.Key.Key_End)
    assert "At 131,072 tokens" in window.parts.plots.readout.text()
    QTest.keyClick(plot, Qt.Key.Key_Escape)
    assert "tokens:" not in window.parts.plots.readout.text()


def test_scenarios_are_saved_and_opened(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "a.kvdesk"
    window.bridge.edit("", lambda session: actions.set_sequences(session, 33))
    window.actions_by_id["scenario.duplicate"].trigger()
    file.save_to(window, path)
    assert not window.bridge.store.modified
    window.bridge.edit("", lambda session: actions.set_sequences(session, 44))
    opening.open_text(window, str(path))
    assert window.bridge.store.session.sequences == 33
    assert len(window.bridge.store.workspace.scenarios) == 2
    assert window.documents.path == path


def test_a_folder_that_cannot_be_written_is_told_in_place(window: MainWindow, tmp_path: Path) -> None:
    file.save_to(window, tmp_path / "missing" / "a.kvdesk")
    assert window.parts.notice.isVisible()
    assert "could not be written" in window.parts.notice.accessibleName()


def test_broken_scenarios_leave_the_work_alone(window: MainWindow, tmp_path: Path) -> None:
    path = tmp_path / "a.kvdesk"
    path.write_text('{"schema": "kvdesk.scenario/9"}')
    before = window.bridge.store.workspace
    opening.open_text(window, str(path))
    assert window.parts.notice.isVisible()
    assert window.bridge.store.workspace is before


def test_dropped_files_are_opened(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps({**LLAMA, "num_hidden_layers": 5}))
    mime = QMimeData()
    mime.setUrls([QUrl.fromLocalFile(str(tmp_path))])
    drop = QDropEvent(
        QPointF(9, 9), Qt.DropAction.CopyAction, mime, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier
    )
    with qtbot.waitSignal(window.bridge.looked_up, timeout=10_000):
        window.dropEvent(drop)
    window.bridge.flush()
    assert window.bridge.view.sizing is not None
    assert len(window.bridge.view.sizing.geometry.layers) == 5


def test_a_report_is_exported(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    export(window, path, Asked(details=ReportDetails(date="2026-11-29")))
    qtbot.waitUntil(lambda: path.exists() and not window.bridge.jobs.busy("export"), timeout=30_000)
    assert path.read_bytes().startswith(b"%PDF")


def test_command_search_finds_by_any_word_and_runs(window: MainWindow) -> None:
    assert [spec.id for spec in matches("pdf")] == ["file.export_pdf"]
    assert "scenario.duplicate" in [spec.id for spec in matches("copy four")]
    press(window, "Ctrl+K")
    dialog = window.findChild(SearchDialog)
    assert dialog is not None
    QTest.keyClicks(dialog.field, "switch between gb")
    QTest.keyClick(dialog.field, Qt.Key.Key_Return)
    assert window.settings.unit == "GB"


def test_f1_tells_where_a_value_came_from(window: MainWindow) -> None:
    table = window.parts.model.facts.table
    table.setCurrentIndex(window.parts.model.facts.model.index(0, 1))
    assert "num_hidden_layers" in explanation(table)
    assert "catalogue" in explanation(table)
    assert "longest context" in explanation(window.parts.workload.context)


def test_an_unexpected_error_shows_a_report_and_keeps_the_session(
    window: MainWindow, qtbot: QtBot, capsys: pytest.CaptureFixture[str]
) -> None:
    window.bridge.edit("", lambda session: actions.set_sequences(session, 5))
    defects = Defects(window)
    secret = "hf_secret"  # noqa: S105  # what must not be in the report
    with pytest.raises(RuntimeError) as caught:
        raise RuntimeError(secret)
    defects.take(RuntimeError, caught.value, caught.tb)
    qtbot.waitUntil(lambda: defects.dialog is not None, timeout=2000)
    assert defects.dialog is not None
    text = defects.dialog.findChild(QPlainTextEdit)
    assert text is not None
    assert "RuntimeError" in text.toPlainText()
    assert secret not in text.toPlainText()
    assert window.bridge.store.session.sequences == 5
    capsys.readouterr()
    defects.deleteLater()


def test_themes_switch_live(window: MainWindow) -> None:
    seen = set()
    for _ in range(4):
        window.actions_by_id["view.theme"].trigger()
        window.bridge.flush()
        seen.add(window.bridge.view.display.theme.name)
    assert {"light", "dark", "high contrast light"} <= seen
    window.settings.theme = "system"
    window.follow_theme()


def random_edit(window: MainWindow, chance: random.Random) -> None:
    """One thing that a user might do."""
    bridge = window.bridge
    number = chance.randrange(1, 60_000)
    edits: list[Callable[[], object]] = [
        lambda: window.parts.workload.context.stepBy(chance.choice((-3, -1, 1, 5))),
        lambda: window.parts.workload.sequences.setValue(number % 500 + 1),
        lambda: window.parts.workload.prefix.setValue(number),
        window.parts.hardware.add.click,
        window.actions_by_id["scenario.remove_gpu"].trigger,
        lambda: bridge.edit("", lambda s: actions.override(s, "num_key_value_heads", chance.choice((1, 2, 4, 8)))),
        lambda: bridge.edit("", lambda s: actions.set_engine(s, chance.choice(("plain", "vllm", "sglang")))),
        lambda: bridge.edit("", lambda s: actions.set_kv_dtype(s, chance.choice(("auto", "fp8", "bf16", "int4")))),
        window.actions_by_id["edit.reset_all"].trigger,
        window.actions_by_id[f"scenario.{number % 4 + 1}"].trigger,
        window.actions_by_id["scenario.duplicate"].trigger,
        window.actions_by_id["scenario.remove"].trigger,
        lambda: window.parts.details.tabs.setCurrentIndex(number % 6),
        lambda: window.parts.plots.tabs.setCurrentIndex(number % 5),
        window.actions_by_id["edit.undo"].trigger,
        lambda: bridge.select_option(number % 3),
    ]
    chance.choice(edits)()


def test_a_thousand_random_actions_then_undo_to_the_start(window: MainWindow) -> None:
    chance = random.Random(11)  # noqa: S311  # repeatable
    first = window.bridge.store.workspace
    for number in range(1000):
        random_edit(window, chance)
        if number % 25 == 0:
            window.bridge.flush()
            QApplication.processEvents()
    while window.bridge.store.undo_title is not None:
        window.bridge.store.undo()
    window.bridge.flush()
    assert window.bridge.store.workspace == first
    assert window.parts.workload.context.value() == 8192


def test_the_plan_is_worked_out_beside(window: MainWindow, qtbot: QtBot) -> None:
    window.bridge.edit("", lambda session: actions.set_sequences(session, 500))
    window.actions_by_id["view.plan"].trigger()
    window.bridge.flush()
    cells = window.parts.plan.table.cells
    qtbot.waitUntil(lambda: cells.rowCount() == 1 and window.parts.plan.table.isEnabled(), timeout=20_000)
    assert "500" in window.parts.plan.question.text()
    assert int(cells.index(0, 1).data()) >= 8


def test_scenarios_are_compared_with_deltas(window: MainWindow) -> None:
    window.actions_by_id["scenario.duplicate"].trigger()
    window.bridge.edit("", lambda session: actions.set_kv_dtype(session, "fp8"))
    window.actions_by_id["view.compare"].trigger()
    window.bridge.flush()
    cells = window.parts.compare.table.cells
    rows = {cells.index(r, 0).data(): [cells.index(r, c).data() for c in (1, 2)] for r in range(cells.rowCount())}
    # fp8 halves the cache: 1 GiB becomes 512 MiB.
    assert rows["One sequence, whole model"] == ["1.00 GiB", "0.50 GiB  (−50 %)"]
    assert rows["KV format"] == ["bf16", "fp8"]


def test_dialogs_close_by_esc(window: MainWindow) -> None:
    for name in ("help.shortcuts", "help.about", "edit.settings", "model.sign_in", "model.value"):
        window.actions_by_id[name].trigger()
        QApplication.processEvents()
        dialog = next(d for d in window.findChildren(QDialog) if d.isVisible())
        QTest.keyClick(dialog, Qt.Key.Key_Escape)
        QApplication.processEvents()
        assert not [d for d in window.findChildren(QDialog) if d.isVisible()]
