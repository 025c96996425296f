"""Sentences of the core in the window's own words."""

from collections.abc import Iterator
from functools import partial

import pytest
from PySide6.QtCore import QModelIndex
from PySide6.QtWidgets import QAbstractButton, QAbstractItemView, QComboBox, QLabel, QWidget

from kvdesk.app import actions, lookup, reporting
from kvdesk.app.derive import Deriver
from kvdesk.app.plan import plan
from kvdesk.app.results_table import results_table
from kvdesk.app.session import GpuChoice
from kvdesk.cli.plan_command import plan_text
from kvdesk.cli.sizing_text import sizing_text
from kvdesk.engines import registry
from kvdesk.gui.main_window import MainWindow
from kvdesk.gui.wording import told
from kvdesk.report.inputs import ReportDetails
from kvdesk.report.markdown_writer import markdown


def test_options_of_the_command_line_become_fields() -> None:
    assert told("Give it with --weights-bytes.") == "Give it with “Weights size” (Advanced)."
    assert told("Use --engine vllm or plain for this model.") == "Use the engine vllm or plain for this model."
    assert told("Write --gpu ID x4, or change the layout.") == "Set the number of GPUs to 4, or change the layout."
    assert told("Take it out with --set swa=null.") == "Take it out under Model, “Set a value …”: swa=null."
    # llama.cpp's own option stays.
    assert told("64 sequences at once need --parallel 64") == "64 sequences at once need --parallel 64"


def test_a_format_that_the_engine_refuses_is_told_instead_of_a_budget_of_nothing(window: MainWindow) -> None:
    window.bridge.edit("", lambda session: actions.set_kv_dtype(session, "q8_0"))
    window.bridge.flush()
    assert not window.parts.budget.states.ready
    assert "q8_0" in window.parts.budget.states.message.accessibleDescription()
    assert window.parts.plots.chart is None
    # What "auto" would come to is not worked out while another format is chosen.
    assert window.parts.serving.kv.itemText(0) == "auto"


def test_the_format_that_an_engine_takes_by_itself_is_not_the_checkpoints(window: MainWindow) -> None:
    window.bridge.edit("", lambda session: actions.set_engine(session, "llama_cpp"))
    window.bridge.flush()
    # llama.cpp's default of --cache-type-k is f16, whatever the checkpoint holds.
    assert window.parts.serving.kv.itemText(0) == "auto: fp16"
    assert window.parts.serving.kv_row.chip.text() == "profile"


def test_states_counted_for_as_many_as_are_wanted_leave_no_headroom_to_tell(window: MainWindow) -> None:
    model = lookup.from_card("qwen3-next-80b-a3b")
    window.bridge.edit("", lambda session: actions.set_engine(actions.set_model(session, model), "tensorrt_llm"))
    window.bridge.edit("", lambda session: actions.set_gpu(session, 0, GpuChoice(gpu="h100-sxm", count=4)))
    window.bridge.edit("", lambda session: actions.set_sequences(session, 64))
    window.bridge.flush()
    told_ = window.parts.verdict.rows[0].accessibleName()
    assert "headroom" not in told_
    assert "max_batch_size" in told_


def texts(window: MainWindow) -> Iterator[str]:
    """Whatever is written in the window: labels, buttons, choices, cells, and what a screen reader hears."""
    for widget in window.findChildren(QWidget):
        yield widget.accessibleName()
        yield widget.toolTip()
        if isinstance(widget, (QLabel, QAbstractButton)):
            yield widget.text()
        elif isinstance(widget, QComboBox):
            yield from (widget.itemText(at) for at in range(widget.count()))
        elif isinstance(widget, QAbstractItemView) and widget.model() is not None:
            model = widget.model()
            for row in range(model.rowCount(QModelIndex())):
                yield from (str(model.index(row, at).data()) for at in range(model.columnCount(QModelIndex())))


@pytest.mark.parametrize(
    ("engine", "title"),
    [("llama_cpp", "llama.cpp 0c1e570"), ("tensorrt_llm", "TensorRT-LLM 1.4.0"), ("sglang", "SGLang 0.5.23")],
)
def test_engines_are_written_as_people_write_them(window: MainWindow, engine: str, title: str) -> None:
    window.bridge.edit("", lambda session: actions.set_engine(session, engine))
    window.bridge.arrange("", lambda workspace: workspace.duplicated())
    window.bridge.flush()
    for at in range(window.parts.details.tabs.count()):
        window.parts.details.tabs.setCurrentIndex(at)
    shown = list(texts(window))
    assert any(text.endswith(title) for text in shown)
    spelled = f"{engine} {registry.engine(engine).versions[0][:7]}"
    assert [text for text in shown if spelled in text] == []

    session, sizing = window.bridge.store.session, window.bridge.view.sizing
    assert sizing is not None
    report = markdown(reporting.build(session, sizing, ReportDetails()))
    planned = plan_text(*plan(session, Deriver()))
    table = "\n".join("\t".join(row) for row in results_table(sizing, session))
    for text in (sizing_text(sizing), planned, table, report):
        assert title in text
        assert spelled not in text


def test_what_could_be_longer_is_said_of_what_is_wanted(window: MainWindow) -> None:
    for wanted, words in ((1, "1 is wanted; one alone could have up to "), (5, "5 are wanted; 5 could have up to ")):
        window.bridge.edit("", partial(actions.set_sequences, sequences=wanted))
        window.bridge.flush()
        chosen = window.bridge.view.chosen
        assert chosen is not None
        assert chosen.answer is not None
        name = window.parts.verdict.rows[0].accessibleName()
        assert f"fit, {words}{chosen.answer.max_context:,} tokens" in name
