"""History: undo, redo, merging of quick edits, and what counts as modified."""

import random
from collections.abc import Callable
from functools import partial

from hypothesis import given, settings
from hypothesis import strategies as st

from kvdesk.app import actions, workspace
from kvdesk.app.session import GpuChoice, Session
from kvdesk.app.store import MOST_STEPS, Store
from kvdesk.app.workspace import Workspace


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def store(clock: Clock | None = None) -> Store:
    return Store(workspace.of(Session(gpus=(GpuChoice(gpu="h100-sxm"),))), clock=clock or Clock())


def test_one_step_back_and_forward() -> None:
    s = store()
    s.edit("Context of 4,096", lambda session: actions.set_context(session, 4096))
    assert (s.session.context, s.undo_title, s.redo_title) == (4096, "Context of 4,096", None)
    s.undo()
    assert (s.session.context, s.undo_title, s.redo_title) == (None, None, "Context of 4,096")
    s.redo()
    assert s.session.context == 4096


def test_the_same_field_within_a_second_is_one_step() -> None:
    clock = Clock()
    s = store(clock)
    for tokens in (1000, 2000, 3000):
        clock.now += 0.9
        s.edit("", partial(actions.set_context, tokens=tokens), field="context")
    s.undo()
    assert s.session.context is None


def test_another_field_or_a_pause_is_another_step() -> None:
    clock = Clock()
    s = store(clock)
    s.edit("", lambda session: actions.set_context(session, 1000), field="context")
    s.edit("", lambda session: actions.set_sequences(session, 2), field="sequences")
    clock.now += 1.1
    s.edit("", lambda session: actions.set_sequences(session, 3), field="sequences")
    s.undo()
    assert (s.session.context, s.session.sequences) == (1000, 2)
    s.undo()
    assert (s.session.context, s.session.sequences) == (1000, 1)


def test_a_step_after_an_undo_does_not_merge_into_what_was_before() -> None:
    s = store()
    s.edit("", lambda session: actions.set_context(session, 1000), field="context")
    s.edit("", lambda session: actions.set_sequences(session, 2))
    s.undo()
    s.edit("", lambda session: actions.set_context(session, 2000), field="context")
    s.undo()
    assert s.session.context == 1000


def test_a_new_step_forgets_what_could_be_redone() -> None:
    s = store()
    s.edit("", lambda session: actions.set_context(session, 1000))
    s.undo()
    s.edit("", lambda session: actions.set_sequences(session, 5))
    s.redo()
    assert (s.session.context, s.session.sequences) == (None, 5)


def test_no_step_for_what_changes_nothing() -> None:
    s = store()
    told: list[int] = []
    s.listen(lambda: told.append(1))
    s.edit("", lambda session: actions.set_sequences(session, 1))
    s.undo()
    s.redo()
    assert (s.undo_title, told) == (None, [])


def test_modified_is_about_the_saved_workspace() -> None:
    s = store()
    states = [s.modified]
    steps: tuple[Callable[[], object], ...] = (
        lambda: s.edit("", lambda session: actions.set_context(session, 1000)),
        lambda: s.mark_saved(s.workspace),
        s.undo,
        s.redo,
    )
    for step in steps:
        step()
        states.append(s.modified)
    assert states == [False, True, False, True, False]


def test_opening_starts_a_new_history() -> None:
    s = store()
    s.edit("", lambda session: actions.set_context(session, 1000))
    s.open(workspace.of(Session()))
    assert (s.undo_title, s.redo_title, s.modified) == (None, None, False)


def test_history_does_not_grow_for_ever() -> None:
    s = store()
    for n in range(MOST_STEPS + 50):
        s.edit("", partial(actions.set_sequences, sequences=n + 2))
    steps = 0
    while s.undo_title is not None:
        s.undo()
        steps += 1
    assert steps == MOST_STEPS


_EDITS = st.sampled_from(["context", "sequences", "prefix", "gpu", "override", "duplicate", "remove", "pin", "undo"])


def apply(s: Store, what: str, number: int) -> None:
    changes = {
        "context": lambda session: actions.set_context(session, number + 1),
        "sequences": lambda session: actions.set_sequences(session, number + 1),
        "prefix": lambda session: actions.set_shared_prefix(session, number),
        "gpu": lambda session: actions.add_gpu(session, GpuChoice(gpu="l40s", count=number % 8 + 1)),
        "override": lambda session: actions.override(session, f"key{number % 3}", number),
    }
    arrangements = {"duplicate": Workspace.duplicated, "remove": Workspace.removed, "pin": Workspace.pinned_here}
    if what in changes:
        s.edit(what, changes[what], field=what if number % 2 else "")
    elif what in arrangements:
        s.apply(what, arrangements[what](s.workspace))
    else:
        s.undo()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(_EDITS, st.integers(0, 100_000)), max_size=40))
def test_undo_to_the_start_gives_the_first_workspace_back_and_redo_the_last(edits: list[tuple[str, int]]) -> None:
    clock = Clock()
    s = store(clock)
    first = s.workspace
    for what, number in edits:
        clock.now += number % 3
        apply(s, what, number)
    last, at_the_end = s.workspace, s.redo_title is None
    while s.undo_title is not None:
        s.undo()
    assert s.workspace == first
    while s.redo_title is not None:
        s.redo()
    if at_the_end:
        assert s.workspace == last


def test_a_thousand_random_actions_and_back() -> None:
    chance = random.Random(7)  # noqa: S311  # a repeatable choice of actions
    s = store()
    first = s.workspace
    names = ["context", "sequences", "prefix", "gpu", "override", "duplicate", "remove", "pin"]
    for _ in range(1000):
        apply(s, chance.choice(names), chance.randrange(100_000))
    assert 1 <= len(s.workspace.scenarios) <= 4
    while s.undo_title is not None:
        s.undo()
    assert s.workspace == first
