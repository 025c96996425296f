"""Each panel alone: its states, and what it shows of known models."""

from dataclasses import replace
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QPushButton
from pytestqt.qtbot import QtBot

from kvdesk.app import actions, lookup
from kvdesk.app.session import GpuChoice
from kvdesk.core.errors import UsageError
from kvdesk.gui.main_window import MainWindow
from kvdesk.gui.panels.model.facts_model import parsed, shown, typed_text
from kvdesk.gui.panels.plots.blocks import Blocks, blocks_of
from kvdesk.gui.panels.plots.builders import table_of
from kvdesk.gui.panels.serving import choices
from kvdesk.gui.panels.verdict import shares
from kvdesk.gui.plot.axes import TokenAxis, ValueAxis

CONFIGS = Path(__file__).resolve().parents[1] / "fixtures" / "configs"
LOG = """\
INFO 11-29 [core.py:58] Initializing a V1 LLM engine (v0.11.0) with config: model='meta-llama/Llama-3.1-8B-Instruct'
INFO 11-29 12:00:09 [gpu_model_runner.py:2653] Model loading took 14.9889 GiB and 2.37 seconds
INFO 11-29 12:00:19 [gpu_worker.py:298] Available KV cache memory: 54.50 GiB
INFO 11-29 12:00:19 [kv_cache_utils.py:1087] GPU KV cache size: 446,464 tokens
INFO 11-29 12:00:19 [kv_cache_utils.py:1091] Maximum concurrency for 131,072 tokens per request: 3.41x
"""


def pages(window: MainWindow) -> list[object]:
    """The states of every panel at the right, each drawn once."""
    parts = window.parts
    for at in range(parts.details.tabs.count()):
        parts.details.tabs.setCurrentIndex(at)
    return [parts.verdict.states, parts.plots.states, parts.budget.states, parts.layers.states, parts.findings.states]


def ready(window: MainWindow) -> list[bool]:
    return [states.ready for states in pages(window)]  # type: ignore[attr-defined]  # all are States


def test_every_panel_says_what_to_do_without_a_model(window: MainWindow) -> None:
    window.bridge.edit("", lambda session: replace(session, model=None))
    window.bridge.flush()
    assert not any(ready(window))
    assert "Try Llama 3.1 8B" in [button.text() for button in window.parts.verdict.states.message.buttons]
    assert window.parts.model.isVisible()
    window.bridge.store.undo()
    window.bridge.flush()
    assert ready(window)[:4] == [True] * 4


def test_an_error_is_told_once_and_the_others_point_to_it(window: MainWindow) -> None:
    window.bridge._good = None
    window.bridge.edit("", lambda session: actions.set_shared_prefix(session, 9000))
    window.bridge.flush()
    assert not any(ready(window))
    told = [states.message.accessibleName() for states in pages(window)]  # type: ignore[attr-defined]  # the same
    assert "9,000" in told[0]
    assert set(told[1:]) == {"Not computed."}


def test_the_verdict_tells_the_headroom(window: MainWindow) -> None:
    window.bridge.edit("", lambda session: actions.set_engine(session, "plain"))
    window.bridge.edit("", lambda session: actions.set_sequences(session, 40))
    window.bridge.flush()
    # The textbook's 50 sequences: (50 - 40) / 50.
    assert window.parts.verdict.rows[0].accessibleName().endswith("20 % headroom.")


def test_an_option_without_an_answer_says_why_in_its_line(window: MainWindow) -> None:
    window.bridge.edit("", lambda session: actions.set_gpu(session, 0, GpuChoice(gpu="h100-sxm", count=4, tp=3)))
    window.bridge.flush()
    row = window.parts.verdict.rows[0]
    assert row.accessibleName().startswith("Does not fit")
    assert "3" in row.accessibleName()


def test_layers_of_a_hybrid_stand_with_formula_numbers_and_result(window: MainWindow) -> None:
    model = lookup.from_card("qwen3-next-80b-a3b")
    window.bridge.edit("", lambda session: actions.set_model(session, model))
    window.actions_by_id["view.layers"].trigger()
    window.bridge.flush()
    cells = window.parts.layers.table.cells
    rows = {cells.index(r, 0).data(): [cells.index(r, c).data() for c in range(1, 6)] for r in range(cells.rowCount())}
    assert set(rows) == {"gated delta state", "full attention"}
    # 12 of 48 layers: 2 KV heads x (256 + 256) x 2 B x 8,192 tokens = 16 MiB each.
    assert rows["full attention"][0] == "12"
    assert rows["full attention"][3] == "192 MiB"
    assert rows["gated delta state"][0] == "36"
    assert "36 ×" in window.parts.model.legend.findChildren(type(window.parts.model.ratio))[1].text()
    assert "state" in window.parts.model.strip.describe(0)
    assert "full attention" in window.parts.model.strip.describe(3)


def test_full_attention_ratio(window: MainWindow) -> None:
    # Llama 3.1 8B keeps 8 of 32 heads.
    assert window.parts.model.ratio.text() == "4.0 × less than full MHA"
    model = lookup.load_path(CONFIGS / "deepseek-ai__DeepSeek-V3.1.json")
    window.bridge.edit("", lambda session: actions.set_engine(actions.set_model(session, model), "plain"))
    window.bridge.flush()
    # 128 heads x (128 + 64 + 128) = 40,960 elements against a latent of 576: 71.1.
    assert window.parts.model.ratio.text() == "71 × less than full MHA"


def test_blocks_tell_the_slack_of_the_last_one(window: MainWindow) -> None:
    window.bridge.edit("", lambda session: actions.set_context(session, 8193))
    window.bridge.edit("", lambda session: actions.set_shared_prefix(session, 100))
    window.bridge.flush()
    found = blocks_of(window.bridge.view)
    assert found is not None
    # 8,193 tokens in blocks of 16: 513 blocks, the last with 1 token; 100 tokens share 6 whole blocks.
    assert (found.count, found.used_in_last, found.slack, found.shared) == (513, 1, 15, 6)
    assert "513 blocks of 16 tokens" in found.told()
    assert (
        Blocks(context=32, size=16, sequences=1, shared=0).told()
        == "32 tokens take 2 blocks of 16 tokens, all of them full."
    )
    window.actions_by_id["view.blocks"].trigger()
    QApplication.processEvents()
    assert "513 blocks" in window.parts.plots.blocks.accessibleDescription()


def test_shares_of_the_bar_add_up(window: MainWindow) -> None:
    view = window.bridge.view
    assert view.sizing is not None
    found = shares.of(view.sizing, view.sizing.options[0])
    answer = view.sizing.options[0].answer
    assert found is not None
    assert answer is not None
    assert found.needed == answer.weights_bytes + answer.reserve_bytes + answer.allocated_bytes_per_sequence
    assert "free" in shares.told(found, "GiB")


def test_the_plot_holds_the_numbers_of_the_sizing(window: MainWindow) -> None:
    chart = window.parts.plots.chart
    assert chart is not None
    view = window.bridge.view
    assert view.sizing is not None
    answer = view.sizing.options[0].answer
    assert answer is not None
    at = chart.contexts.index(8192)
    total = answer.weights_bytes + answer.reserve_bytes + answer.allocated.at(8192)
    assert chart.lines[0].values[at] == pytest.approx(total / 2**30)
    assert {256, 512, 65536, 131072} <= set(chart.contexts)
    assert table_of(chart)[at + 1][0] == "8192"


def test_a_log_is_compared_and_its_measured_values_taken_over(window: MainWindow, qtbot: QtBot) -> None:
    window.actions_by_id["view.log"].trigger()
    log = window.parts.log
    log.text.setPlainText(LOG)
    log.compare.click()
    qtbot.waitUntil(lambda: log.states.ready, timeout=20_000)
    cells = log.table.cells
    rows = {cells.index(r, 0).data(): [cells.index(r, c).data() for c in (1, 2)] for r in range(cells.rowCount())}
    assert ["446,464 tokens", "446,464 tokens"] in list(rows.values())
    log.take.click()
    assert "weights" in window.bridge.store.session.budget_overrides
    window.bridge.store.undo()
    assert dict(window.bridge.store.session.budget_overrides) == {}


def test_a_log_that_cannot_be_read_is_told(window: MainWindow, qtbot: QtBot, tmp_path: Path) -> None:
    window.parts.log.open_path(tmp_path / "missing.log")
    qtbot.waitUntil(lambda: "cannot be read" in window.parts.log.states.message.accessibleName(), timeout=5000)


def test_findings_are_counted_and_the_gravest_stands_first(window: MainWindow) -> None:
    window.bridge.edit("", lambda session: actions.set_engine(session, "plain"))
    window.bridge.edit("", lambda session: actions.set_context(session, 200_000))
    window.actions_by_id["view.findings"].trigger()
    window.bridge.flush()
    at = window.parts.details.pages.indexOf(window.parts.findings)
    assert window.parts.details.tabs.tabText(at).startswith("Findings (")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("8", 8),
        ("1,024", 1024),
        ("-3", -3),
        ("0.5", 0.5),
        ("true", True),
        ("null", None),
        ("[1, 2]", [1, 2]),
        ("bf16", "bf16"),
    ],
)
def test_typed_values_are_read_as_json_or_text(text: str, value: object) -> None:
    assert parsed(text) == value


def test_values_are_shown_short_and_typed_in_full() -> None:
    assert (shown(4096), shown(None), shown(True)) == ("4,096", "none", "yes")
    assert shown(("LlamaForCausalLM",)) == "LlamaForCausalLM"
    assert shown(("full", "full")) == "2 entries"
    assert typed_text(("full", None)) == '["full", null]'


def test_sizes_need_a_unit_and_fractions_a_range() -> None:
    assert choices.size("3GB") == 3 * 10**9
    assert choices.size("3000000000") == 3 * 10**9
    assert (choices.fraction("92 %"), choices.fraction("0,9")) == (0.92, 0.9)
    for bad in ("0", "1.2", "x", "150 %"):
        with pytest.raises(UsageError):
            choices.fraction(bad)
    with pytest.raises(UsageError, match="of what"):
        choices.size("3")


def test_engine_options_are_read_as_typed() -> None:
    text = '--max-num-seqs=4, enable_prefix_caching=False dtype=auto speculative_config={"num": 1, "b": [2]}'
    found = choices.engine_arguments(text)
    assert found["max_num_seqs"] == 4
    assert found["enable_prefix_caching"] is False
    assert found["dtype"] == "auto"
    assert choices.engine_arguments(choices.spelled_arguments({"a": 1, "b": True})) == {"a": 1, "b": True}
    with pytest.raises(UsageError):
        choices.engine_arguments("nonsense")


def test_axes_print_plain_numbers(qapp: QApplication) -> None:
    tokens, values = TokenAxis("bottom"), ValueAxis("left")
    (_, ticks), *_rest = tokens.tickValues(8, 17, 600)
    assert tokens.tickStrings(ticks, 1, 1)[:3] == ["256", "512", "1K"]
    assert tokens.tickStrings([17, 20], 1, 1) == ["128K", "1M"]
    step, places = values.tickValues(0, 95, 200)[0]
    assert step == 20
    assert values.tickStrings(places, 1, step) == ["0", "20", "40", "60", "80"]
    values.logarithmic = True
    assert values.tickStrings([0, 1, 3], 1, 1) == ["1", "10", "1,000"]


def test_the_status_bar_has_the_margin_of_the_cards(window: MainWindow) -> None:
    buttons = [button for button in window.statusBar().findChildren(QPushButton) if button.isVisible()]
    last = max(button.mapTo(window, QPoint(button.width(), 0)).x() for button in buttons)
    card = window.parts.details
    assert last == card.mapTo(window, QPoint(card.width(), 0)).x()


def test_plan_and_verdict_tell_the_same_headroom(window: MainWindow, qtbot: QtBot) -> None:
    window.bridge.edit("", lambda session: actions.set_context(session, 32768))
    window.bridge.edit("", lambda session: actions.set_sequences(session, 12))
    window.bridge.flush()
    # 13 sequences fit, 12 are wanted: 1 / 13 = 7.7 %, never rounded up.
    assert window.parts.verdict.rows[0].accessibleName().endswith("7 % headroom.")
    window.actions_by_id["view.plan"].trigger()
    table = window.parts.plan.table
    cells = table.cells
    qtbot.waitUntil(lambda: cells.rowCount() > 0 and table.isEnabled(), timeout=20_000)
    assert [cells.index(0, column).data() for column in (0, 4, 5)] == ["H100 SXM5 80GB", "13", "7 %"]
