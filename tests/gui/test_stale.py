"""A result that does not belong to the inputs is greyed and says so, in every panel of results."""

from collections.abc import Iterator
from dataclasses import replace

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication

from kvdesk.app import actions, lookup
from kvdesk.app.session import GpuChoice
from kvdesk.core.errors import SourceError
from kvdesk.gui.main_window import MainWindow
from kvdesk.gui.standing import NO_RESULT
from kvdesk.gui.view import LookUp
from kvdesk.gui.widgets.states import States

OF_LLAMA = "Last good result, of Llama-3.1-8B-Instruct"


def states_of(window: MainWindow) -> dict[str, States]:
    """The states of every panel of results, each brought to the front and drawn once."""
    parts = window.parts
    for at in range(parts.details.tabs.count()):
        parts.details.tabs.setCurrentIndex(at)
    panels = {
        name: getattr(parts, name) for name in ("verdict", "plots", "budget", "layers", "compare", "plan", "findings")
    }
    return {name: panel.states for name, panel in panels.items()}


def words(window: MainWindow) -> dict[str, str]:
    """What each panel says of an old result."""
    found = {name: states.veil.words for name, states in states_of(window).items()}
    return {**found, "model": window.parts.model.veil.words}


def looking_up(window: MainWindow, look_up: LookUp) -> None:
    window.bridge._look_up = look_up
    window.bridge.flush()


@pytest.fixture
def full(window: MainWindow) -> Iterator[MainWindow]:
    """Two scenarios, so that every panel has something to show, the plan worked out."""
    window.bridge.edit("", lambda session: actions.add_gpu(session, GpuChoice(gpu="h200-sxm")))
    window.bridge.arrange("", lambda workspace: workspace.duplicated())
    # Longer than the model's 131,072 tokens and, in the textbook, a finding.
    window.bridge.edit("", lambda session: actions.set_engine(session, "plain"))
    window.bridge.edit("", lambda session: actions.set_context(session, 200_000))
    window.bridge.flush()
    states_of(window)
    yield window
    looking_up(window, LookUp())


def wait_for_plan(window: MainWindow) -> None:
    while window.bridge.jobs.busy("plan") or window.parts.plan._rest.isActive():
        QApplication.processEvents()
    QApplication.processEvents()


def test_nothing_is_greyed_while_results_belong_to_the_inputs(full: MainWindow) -> None:
    assert set(words(full).values()) == {""}
    # The log has a veil of its own: what was compared before belongs to another scenario.
    veils = [*(states.veil for states in states_of(full).values()), full.parts.model.veil]
    assert not [veil for veil in veils if veil.isVisible()]


@pytest.mark.parametrize(
    "look_up",
    [
        LookUp(text="org/other", running=True, visible=True),
        LookUp(text="org/other", error=SourceError("model-not-found", "“org/other” was not found.")),
    ],
)
def test_results_of_the_former_model_are_greyed(full: MainWindow, look_up: LookUp) -> None:
    wait_for_plan(full)
    looking_up(full, look_up)
    assert set(words(full).values()) == {OF_LLAMA}
    assert full.parts.verdict.states.ready
    assert full.parts.verdict.rows[0].accessibleName().startswith(OF_LLAMA)
    assert full.parts.plots.plot is not None
    assert full.parts.plots.plot.accessibleDescription().startswith(OF_LLAMA)
    full.bridge.cancel_look_up()
    looking_up(full, LookUp())
    assert set(words(full).values()) == {""}
    assert full.parts.verdict.rows[0].accessibleName().startswith("Fits")
    assert full.parts.plots.plot.accessibleDescription().startswith("1 ×")


@pytest.mark.parametrize(
    "look_up",
    [
        LookUp(text="org/other", running=True),
        LookUp(text="meta-llama/Llama-3.1-8B-Instruct", running=True, visible=True),
    ],
)
def test_a_quick_look_up_or_one_of_the_same_model_greys_nothing(full: MainWindow, look_up: LookUp) -> None:
    looking_up(full, look_up)
    assert set(words(full).values()) == {""}


def test_the_last_good_result_stands_while_the_input_makes_no_sense(full: MainWindow) -> None:
    wait_for_plan(full)
    before = full.parts.verdict.rows[0].accessibleName()
    full.bridge.edit("", lambda session: actions.set_shared_prefix(session, 300_000))
    full.bridge.flush()
    assert set(words(full).values()) == {NO_RESULT}
    assert "300,000" in full.parts.verdict.states.message.accessibleName()
    assert full.parts.verdict.rows[0].accessibleName() == f"{NO_RESULT}. {before}"
    assert full.parts.verdict.rows[0].isVisible()
    assert full.parts.budget.tree.accessibleDescription().startswith(NO_RESULT)
    # The fields show what was typed, and say beside it what is wrong; nothing on the left jumps.
    assert full.parts.workload.prefix.value() == 300_000
    assert full.parts.workload.prefix_row.note.text() == "Make the context longer or the prefix shorter."
    assert full.parts.model.picture.isVisible()
    full.bridge.store.undo()
    full.bridge.flush()
    assert set(words(full).values()) == {""}
    assert not full.parts.workload.prefix_row.note.text()
    assert full.parts.budget.tree.accessibleDescription().startswith("Lines of the budget")


def test_a_result_of_another_scenario_or_model_does_not_stand(full: MainWindow) -> None:
    wrong = lookup.from_card("qwen3-8b")
    full.bridge.edit("", lambda s: replace(actions.set_model(s, wrong), shared_prefix=300_000))
    full.bridge.flush()
    assert set(words(full).values()) == {""}
    assert not full.parts.budget.states.ready
    full.bridge.store.undo()
    full.bridge.flush()
    full.bridge.edit("", lambda session: actions.set_shared_prefix(session, 300_000))
    full.bridge.flush()
    full.bridge.arrange("", lambda workspace: workspace.selected(0))
    full.bridge.flush()
    assert full.parts.verdict.states.ready
    full.bridge.arrange("", lambda workspace: workspace.selected(1))
    full.bridge.flush()
    assert not full.bridge.view.answers.stale


def test_the_plan_comes_back_after_an_input_that_made_no_sense(full: MainWindow) -> None:
    full.parts.details.show_page(full.parts.plan)
    full.bridge._good = None
    full.bridge.edit("", lambda session: actions.set_shared_prefix(session, 300_000))
    full.bridge._good = None
    full.bridge.flush()
    assert not full.parts.plan.states.ready
    full.bridge.store.undo()
    full.bridge.flush()
    wait_for_plan(full)
    assert full.parts.plan.states.ready


def test_the_veil_covers_its_panel_and_lets_the_mouse_through(full: MainWindow) -> None:
    looking_up(full, LookUp(text="org/other", running=True, visible=True))
    full.parts.details.show_page(full.parts.budget)
    veil, page = full.parts.budget.states.veil, full.parts.budget.tree.parentWidget()
    assert page is not None
    full.resize(1400, 800)
    QApplication.processEvents()
    assert veil.geometry() == page.rect()
    full.resize(1280, 720)
    below = full.parts.verdict.rows[1]
    found = full.childAt(below.mapTo(full, QPoint(20, 10)))
    assert found is below or (found is not None and below.isAncestorOf(found))
