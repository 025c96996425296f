"""Formulas as text: what they come to, and how a spreadsheet is told."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kvdesk.report.arithmetic import recompute, spreadsheet


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("80,000,000,000 × 0.92", 73_600_000_000),  # CONTRACT's worked example: 80 GB x 0.92 = 73.6 GB
        ("B = floor(M × u)", 73_600_000_000),
        ("P = max(0, B − W − R)", 54_539_477_504),  # 73.6e9 - 16,060,522,496 - 3e9
        ("73,600,000,000 − 16,060,522,496 − 3,000,000,000", 54_539_477_504),
        ("32 × 8,192 × 8 × (256 + 256)", 1_073_741_824),  # CONTRACT: 8,192 tokens = 1 GiB
        ("52 × min(65,536; 1,024) × 16 × (256 + 256)", 436_207_616),  # 52 x 1,024 x 16 x 512
        ("⌈7 / 2⌉ + ⌊7 / 2⌋", 7),
        ("ceil(7 / 2) + floor(7/2)", 7),
        ("2 + 3 * 4 - 5", 9),
        ("0.1 × 3", Fraction(3, 10)),
    ],
)
def test_arithmetic_is_exact(text: str, value: int | Fraction) -> None:
    symbols = {"M": 80_000_000_000, "u": 0.92, "B": 73_600_000_000, "W": 16_060_522_496, "R": 3_000_000_000}
    node = recompute(text, symbols)
    assert node is not None
    assert node.value == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "as given",
        "S = Σ over kinds of layer",
        "W = weights",
        "512 × 16 = 8,192 tokens",
        "1 / 0",
        "floor(1; 2)",
        "min(1; ",
        "(1 + 2",
        "1 +",
        "__import__('os')",
        "(" * 60 + "1" + ")" * 60,
        "1 + " * 200 + "1",
    ],
)
def test_what_is_no_arithmetic_is_left_alone(text: str) -> None:
    assert recompute(text, {}) is None


def test_a_spreadsheet_is_given_cells_for_symbols_and_numbers_for_the_rest() -> None:
    node = recompute("N = floor(P × T / S)", {"P": 100, "T": 8192, "S": 7})
    assert node is not None
    assert spreadsheet(node, {"P": "G9", "S": "G10"}) == "ROUNDDOWN(ROUND(((G9*8192)/G10),3),0)"


def test_ceilings_and_choices_for_a_spreadsheet() -> None:
    node = recompute("⌈a / 2⌉ + max(a; 0.5)", {"a": 7})
    assert node is not None
    assert spreadsheet(node, {"a": "A1"}) == "(ROUNDUP(ROUND((A1/2),3),0)+MAX(A1,0.5))"


_NUMBERS = st.integers(min_value=0, max_value=10**13).map(lambda n: f"{n:,}")
_EXPRESSIONS = st.recursive(
    _NUMBERS, lambda inner: st.tuples(inner, st.sampled_from("+−×"), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})")
)


@given(_EXPRESSIONS)
@settings(max_examples=60, deadline=None)
def test_any_sum_of_products_is_what_python_says(text: str) -> None:
    node = recompute(text, {})
    python = text.replace(",", "").replace("−", "-").replace("×", "*")
    # Only digits, brackets and + - * reach eval: the strategy makes nothing else.
    assert node is None or node.value == eval(python, {})  # noqa: S307
    assert node is not None or len(text) > 500 or text.count("(") > 30


@given(st.text(max_size=80))
@settings(max_examples=100, deadline=None)
def test_no_text_breaks_it(text: str) -> None:
    recompute(text, {"a": 1})
