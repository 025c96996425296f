"""Drawings: well-formed, deterministic, true to their figures."""

import itertools
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kvdesk.core.workload import Workload
from kvdesk.report.blocks import Document, Figure
from kvdesk.report.charts import axes, context, svg
from kvdesk.report.inputs import Series

SVG = "{http://www.w3.org/2000/svg}"
POINTS = (256, 512, 1024, 2048, 4096)


def line(letter: str, capacity: int, crossing: int | None) -> context.Line:
    """10 GB of weights and 1 MB per token."""
    total = tuple(10**10 + t * 10**6 for t in POINTS)
    series = Series(
        contexts=POINTS,
        total=total,
        held=tuple(t * 10**6 for t in POINTS),
        fitting=tuple(max(0, capacity - 10**10) // (t * 10**6) for t in POINTS),
        capacity=capacity,
        crossing=crossing,
    )
    return context.Line(letter=letter, title=f"option <{letter}> & co", series=series)


def elements(figure: Figure, name: str) -> list[ET.Element]:
    return ET.fromstring(figure.svg).findall(SVG + name)  # our own drawing


def test_the_crossing_is_where_the_curve_meets_the_capacity() -> None:
    # 12 GB holds (12 - 10) GB / 1 MB = 2,000 tokens.
    figure = context.memory([line("A", 12 * 10**9, 2000)], Workload(context=1024))
    (ring,) = elements(figure, "circle")
    level = next(e for e in elements(figure, "line") if e.get("stroke-dasharray") == "5 3")
    assert ring.get("cy") == level.get("y1")
    ticks = {e.text: float(e.get("x", "0")) for e in elements(figure, "text")}
    assert ticks["1K"] < float(ring.get("cx", "0")) < ticks["2K"]
    assert "A: 2,000" in ticks
    assert "holds up to 2,000 tokens" in figure.alt


def test_equal_curves_are_drawn_once_and_named_together() -> None:
    lines = [line("A", 12 * 10**9, 2000), line("B", 13 * 10**9, 3000)]
    figure = context.memory(lines, Workload(context=1024))
    assert len(elements(figure, "polyline")) == 1
    assert any((e.text or "").startswith("A, B") for e in elements(figure, "text"))


def test_nothing_that_fits_has_no_ring() -> None:
    figure = context.memory([line("A", 5 * 10**9, 0)], Workload(context=1024))
    assert not elements(figure, "circle")
    assert "nothing fits" in figure.alt


def test_curves_differ_without_colour() -> None:
    lines = [line(letter, (12 + i) * 10**9, None) for i, letter in enumerate("ABCD")]
    figure = context.sequences(lines, Workload(context=1024, sequences=3))
    dashes = [e.get("stroke-dasharray") for e in elements(figure, "polyline")]
    assert len(set(dashes)) == 4


def test_text_from_outside_stays_text(document: Document) -> None:
    figures = [block for section in document.sections for block in section.blocks if isinstance(block, Figure)]
    assert {figure.key for figure in figures} >= {"memory_A", "sequences_A", "stacked_A", "layers", "tornado"}
    for figure in figures:
        root = ET.fromstring(figure.svg)  # our own drawing
        assert {e.tag.removeprefix(SVG) for e in root.iter()} <= {"svg", "line", "polyline", "rect", "circle", "text"}
        assert {e.get("font-family") for e in root.iter(SVG + "text")} == {svg.FONT}
        assert figure.alt


@pytest.mark.parametrize(
    ("tokens", "label"), [(256, "256"), (8192, "8K"), (1 << 20, "1M"), (3 << 19, "1536K"), (1000, "1,000")]
)
def test_ticks_are_named_in_binary_thousands(tokens: int, label: str) -> None:
    assert axes.tokens_label(tokens) == label


@pytest.mark.parametrize(("most", "decades"), [(1, 1), (10, 1), (11, 2), (1000, 3), (1001, 4)])
def test_decades_hold_the_largest_figure(most: int, decades: int) -> None:
    assert axes.decades_for(most) == decades


@given(st.lists(st.floats(0, 300), min_size=1, max_size=12))
@settings(max_examples=60, deadline=None)
def test_labels_never_overlap(places: list[float]) -> None:
    moved = sorted(svg.spread(places, 14, 300))
    assert all(b - a >= 14 - 1e-6 for a, b in itertools.pairwise(moved))
    assert moved[-1] <= 300 + 1e-6
