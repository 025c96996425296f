"""The log panel: whose log it is, whether its figures are of the present scenario, and how they are shown."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtTest import QTest
from pytestqt.qtbot import QtBot

from kvdesk.app import actions, lookup
from kvdesk.app.session import GpuChoice
from kvdesk.gui.main_window import MainWindow
from kvdesk.gui.panels.log.panel import MODEL_CHANNEL, OF_BEFORE, LogPanel
from kvdesk.gui.view import LookUp
from tests.support.fake_hub import FakeHub

LOGS = Path(__file__).resolve().parents[1] / "fixtures" / "logs"
CONFIGS = LOGS.parent / "configs"


@pytest.fixture
def log(window: MainWindow) -> LogPanel:
    """The panel in front, empty."""
    window.actions_by_id["view.log"].trigger()
    panel = window.parts.log
    panel._log = panel._found = panel._of = None
    panel.paste.show()
    return panel


def read(log: LogPanel, name: str, qtbot: QtBot) -> None:
    log.open_path(LOGS / f"{name}.log")
    wait(log, qtbot)


def wait(log: LogPanel, qtbot: QtBot) -> None:
    """Until the figures are those of the present scenario."""
    log._bridge.flush()
    qtbot.waitUntil(lambda: log.states.ready and not log.veils[0].words, timeout=20_000)


def cells(log: LogPanel) -> dict[str, list[str]]:
    """The rows by the name of the figure."""
    model, none = log.table.cells, QModelIndex()
    rows = [[str(model.index(r, c).data()) for c in range(model.columnCount(none))] for r in range(model.rowCount())]
    return {row[0]: row[1:] for row in rows}


def use(window: MainWindow, name: str) -> None:
    model = lookup.from_card(name)
    window.bridge.edit("", lambda session: actions.set_model(session, model))
    window.bridge.flush()


class TestWhoseItIs:
    def test_model_engine_and_gpus_are_named(self, window: MainWindow, log: LogPanel, qtbot: QtBot) -> None:
        use(window, "qwen3-8b")
        read(log, "vllm_0_11", qtbot)
        assert log.head.accessibleName() == "Qwen/Qwen3-8B on vLLM 0.11.0, 1 GPU of 79.18 GiB: every figure agrees."
        assert log.take.isVisible()
        assert not log.make.isVisible()

    def test_another_model_is_said_first_and_gives_no_reasons(
        self, window: MainWindow, log: LogPanel, qtbot: QtBot
    ) -> None:
        use(window, "qwen3-next-80b-a3b")
        read(log, "vllm_0_30_tp2", qtbot)
        assert log.head.accessibleName() == (
            "This log is of Qwen/Qwen3.8-27B-FP8 on vLLM 0.30.0, 2 × NVIDIA GeForce RTX 3090; "
            "the scenario is of Qwen/Qwen3-Next-80B-A3B-Instruct."
        )
        found = cells(log)
        assert {found[name][-1] for name in ("Weights", "Tokens")} == {"the log's model differs from the scenario's"}
        # The GPU's memory does not depend on the model.
        assert "driver" in found["Device memory in total"][-1]
        # 74 GiB of weights on a GPU of 24 GB leave no KV memory: no 0.00 GiB beside tokens of the log's pool.
        assert "KV memory" not in found
        assert any("nothing is left for the cache" in row[-1] for row in found.values())
        # Measured values of another model would be wrong.
        assert not log.take.isVisible()

    def test_its_own_scenario_is_one_step(self, window: MainWindow, log: LogPanel, qtbot: QtBot) -> None:
        before = window.bridge.store.session
        read(log, "vllm_0_11", qtbot)
        log.make.setFocus()
        QTest.keyClick(log.make, Qt.Key.Key_Return)
        qtbot.waitUntil(lambda: window.bridge.store.session is not before, timeout=10_000)
        session = window.bridge.store.session
        assert session.model is not None
        assert (session.model.id, session.engine_version, session.context) == ("Qwen/Qwen3-8B", "0.11.0", 40_960)
        assert session.gpus == (GpuChoice(gpu="h100-sxm", tp=1, pp=1, dp=1),)
        assert session.utilization == 0.9
        wait(log, qtbot)
        assert "every figure agrees" in log.head.accessibleName()
        assert window.settings.recents[0].startswith("Qwen/Qwen3-8B\t")
        window.bridge.store.undo()
        assert window.bridge.store.session is before

    def test_its_model_is_looked_up(self, window: MainWindow, log: LogPanel, qtbot: QtBot, fake_hub: FakeHub) -> None:
        config = (CONFIGS / "Qwen__Qwen3.5-27B.json").read_bytes()
        fake_hub.add("Qwen/Qwen3.8-27B-FP8", {"config.json": config})
        read(log, "vllm_0_30_tp2", qtbot)
        fake_hub.latency = 0.4
        log.make.click()
        qtbot.waitUntil(lambda: "Looking Qwen/Qwen3.8-27B-FP8 up" in log.head.accessibleName(), timeout=10_000)
        assert [button.text() for button in log.head.buttons] == ["Cancel"]
        qtbot.waitUntil(lambda: not window.bridge.jobs.busy(MODEL_CHANNEL), timeout=20_000)
        fake_hub.latency = 0.0
        wait(log, qtbot)
        # As in tests/app/test_reconcile.py: 302,921 tokens in blocks of 1,568.
        assert cells(log)["Tokens"][:3] == ["302,921 tokens", "302,921 tokens", "="]

    def test_a_model_that_cannot_be_looked_up_is_told(self, log: LogPanel, qtbot: QtBot, fake_hub: FakeHub) -> None:
        read(log, "vllm_0_30_tp2", qtbot)
        said = log.head.accessibleName()
        assert not fake_hub.repos
        log.make.click()
        qtbot.waitUntil(lambda: "cannot be looked up" in log.head.accessibleName(), timeout=10_000)
        again, dismiss = log.head.buttons
        assert (again.text(), dismiss.text()) == ("Try again", "Dismiss")
        dismiss.click()
        assert log.head.accessibleName() == said

    def test_without_a_model_the_log_offers_its_own(self, window: MainWindow, log: LogPanel, qtbot: QtBot) -> None:
        window.bridge.edit("", lambda session: replace(session, model=None))
        window.bridge.flush()
        log.open_path(LOGS / "vllm_0_11.log")
        qtbot.waitUntil(lambda: bool(log.states.message.buttons), timeout=10_000)
        log.states.message.buttons[0].click()
        wait(log, qtbot)
        assert "every figure agrees" in log.head.accessibleName()


class TestOfThePresentScenario:
    def test_a_change_of_the_scenario_is_greyed_and_compared_anew(
        self, window: MainWindow, log: LogPanel, qtbot: QtBot
    ) -> None:
        use(window, "qwen3-8b")
        read(log, "vllm_0_11", qtbot)
        assert log.take.isEnabled()
        assert cells(log)["Weights"][1] == "15.26 GiB"
        window.bridge.edit("", lambda session: replace(session, weights_bytes=2**34))
        window.bridge.flush()
        assert {veil.words for veil in log.veils} == {OF_BEFORE}
        assert not log.take.isEnabled()
        wait(log, qtbot)
        assert cells(log)["Weights"][1] == "16.00 GiB"
        assert log.take.isEnabled()

    def test_it_follows_behind_another_page(self, window: MainWindow, log: LogPanel, qtbot: QtBot) -> None:
        use(window, "qwen3-8b")
        read(log, "vllm_0_11", qtbot)
        window.parts.details.show_page(window.parts.budget)
        use(window, "llama-3.1-8b")
        window.parts.details.show_page(log)
        assert log.veils[0].words == OF_BEFORE
        wait(log, qtbot)
        assert "the scenario is of meta-llama/Llama-3.1-8B-Instruct" in log.head.accessibleName()

    def test_what_was_taken_over_is_not_offered_again(self, window: MainWindow, log: LogPanel, qtbot: QtBot) -> None:
        use(window, "qwen3-8b")
        read(log, "vllm_0_11", qtbot)
        log.take.click()
        wait(log, qtbot)
        assert not log.take.isEnabled()
        # The measured parts come to the printed pool within their rounding: 50.33 and 50.32 GiB.
        assert "every figure agrees" in log.head.accessibleName()

    def test_a_look_up_of_another_model_greys_it(self, window: MainWindow, log: LogPanel, qtbot: QtBot) -> None:
        read(log, "vllm_0_6_4", qtbot)
        window.bridge._look_up = LookUp(text="org/other", running=True, visible=True)
        window.bridge.flush()
        assert log.veils[0].words == "Last good result, of Llama-3.1-8B-Instruct"
        assert not log.take.isEnabled()
        window.bridge._look_up = LookUp()
        wait(log, qtbot)
        assert log.take.isEnabled()


class TestHowItIsShown:
    def test_small_differences_are_not_alarming(self, window: MainWindow, log: LogPanel, qtbot: QtBot) -> None:
        use(window, "qwen3-8b")
        read(log, "vllm_0_11", qtbot)
        # 71.26 against 71.27 GiB: the driver's share.
        assert cells(log)["Requested memory"][2] == "+0.02 %"
        model = log.table.cells
        tones = [model._rows[row][3].tone for row in range(model.rowCount())]
        assert set(tones) == {""}

    def test_notes_have_units(self, window: MainWindow, log: LogPanel, qtbot: QtBot) -> None:
        read(log, "vllm_0_30_tp2", qtbot)
        notes = [row[-1] for name, row in cells(log).items() if name == "Note"]
        assert any("from 4.99 GiB to 5.12 GiB" in note for note in notes)

    def test_the_box_folds_once_a_log_is_read(self, window: MainWindow, log: LogPanel, qtbot: QtBot) -> None:
        log.text.setPlainText((LOGS / "vllm_0_6_4.log").read_text(encoding="utf-8"))
        log.compare.setFocus()
        QTest.keyClick(log.compare, Qt.Key.Key_Return)
        wait(log, qtbot)
        assert not log.paste.isVisible()
        assert log.table.hasFocus()
        QTest.keyClick(log.another, Qt.Key.Key_Return)
        assert log.text.hasFocus()
        log.another.click()
        assert not log.paste.isVisible()

    @pytest.mark.parametrize(("size", "rows"), [((1280, 720), 5), ((2560, 1440), 10)])
    def test_reasons_are_whole_and_most_rows_are_seen(
        self, window: MainWindow, log: LogPanel, qtbot: QtBot, size: tuple[int, int], rows: int
    ) -> None:
        window.resize(*size)
        use(window, "qwen3-8b")
        read(log, "vllm_0_11", qtbot)
        QTest.qWait(20)
        table = log.table
        model, metrics = table.cells, table.fontMetrics()
        for row in range(model.rowCount()):
            index = model.index(row, 5)
            width = table.columnWidth(5) - metrics.height()
            flags = Qt.TextFlag.TextWordWrap
            need = metrics.boundingRect(0, 0, width, 9999, flags, str(index.data())).height()
            assert table.rowHeight(row) >= need
            assert width > 0
        seen = [
            row
            for row in range(model.rowCount())
            if table.visualRect(model.index(row, 0)).bottom() <= table.viewport().height()
        ]
        assert len(seen) >= min(rows, model.rowCount())
        assert not table.horizontalScrollBar().isVisible()
        window.resize(1280, 720)

    def test_tips_are_narrow_enough_to_stand_where_the_mouse_is(self, log: LogPanel, qtbot: QtBot) -> None:
        read(log, "vllm_0_30_tp2", qtbot)
        tip = str(log.table.cells.index(0, 0).data(Qt.ItemDataRole.ToolTipRole))
        assert "Free memory on device" in tip
        assert max(log.fontMetrics().horizontalAdvance(line) for line in tip.splitlines()) < 720
