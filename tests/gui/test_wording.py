"""Sentences of the core in the window's own words."""

from kvdesk.app import actions, lookup
from kvdesk.app.session import GpuChoice
from kvdesk.gui.main_window import MainWindow
from kvdesk.gui.wording import told


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
