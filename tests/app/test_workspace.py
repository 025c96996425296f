"""Scenarios side by side: at most four, never none, and the pinned one stays the pinned one."""

from dataclasses import replace

from kvdesk.app import workspace
from kvdesk.app.session import Session
from kvdesk.app.workspace import Workspace


def three() -> Workspace:
    """Three scenarios of 1, 2 and 3 sequences, the first pinned, the last at work."""
    made = workspace.of(Session(sequences=1))
    for n in (2, 3):
        made = made.duplicated().with_session(Session(sequences=n))
    return made


def sequences(made: Workspace) -> list[int]:
    return [scenario.session.sequences for scenario in made.scenarios]


def test_a_duplicate_stands_after_its_original_and_is_at_work() -> None:
    made = three()
    assert (sequences(made), made.active, made.pinned) == ([1, 2, 3], 2, 0)
    assert len({scenario.name for scenario in made.scenarios}) == 3


def test_four_at_most() -> None:
    made = three().duplicated()
    assert len(made.scenarios) == 4
    assert made.duplicated() is made


def test_the_last_one_stays() -> None:
    made = workspace.of(Session())
    assert made.removed() is made


def test_pinned_follows_its_scenario() -> None:
    made = replace(three(), pinned=2, active=0)
    assert sequences(made.duplicated()) == [1, 1, 2, 3]
    assert made.duplicated().scenarios[made.duplicated().pinned].session.sequences == 3
    assert made.removed().scenarios[made.removed().pinned].session.sequences == 3


def test_removing_the_pinned_one_pins_another() -> None:
    made = three().pinned_here().removed()
    assert (sequences(made), made.active, made.pinned) == ([1, 2], 1, 1)


def test_selecting_what_is_not_there_changes_nothing() -> None:
    made = three()
    assert made.selected(5) is made
    assert made.selected(-1) is made
    assert made.selected(0).active == 0


def test_names_are_one_line_and_never_empty() -> None:
    made = three()
    assert made.renamed("  \n ") is made
    assert made.renamed(" fp8\ncache ").scenarios[2].name == "fp8 cache"
    assert len(made.renamed("x" * 500).scenarios[2].name) == 60
