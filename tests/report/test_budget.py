"""The budget's lines: every one shown can be recomputed, or says that it cannot."""

from fractions import Fraction

import pytest

from kvdesk.core.budget import BudgetLine
from kvdesk.core.sourced import Origin, Source
from kvdesk.report.blocks import Number
from kvdesk.report.sections import budget


def line(substituted: str, value: float) -> BudgetLine:
    return BudgetLine(
        key="x",
        symbol="x",
        label="X",
        value=value,
        unit="B",
        formula="x = y",
        substituted=substituted,
        source=Source(Origin.DERIVED),
    )


@pytest.mark.parametrize(
    ("substituted", "value"),
    [
        ("80,000,000,000 × 0.92", 73_600_000_000),
        ("85,029,615,042 × 0.92", 78_227_245_839),  # x 0.92 = 78,227,245,838.64, rounded up as vLLM does
        ("100 − 200", 0),  # cut off at 0
        ("7 / 2", 3),
        ("2.3111 × 131,072", 302_921),  # 302,921 / 131,072 = 2.31110..., printed with five digits
        ("16 pages of 1,568 tokens", 5),
        ("42", 41),
        ("1 / 0", 0),
        ("1 / 3", float("inf")),
    ],
)
def test_numbers_that_come_to_the_result_stand_alone(substituted: str, value: float) -> None:
    assert budget._numbers(line(substituted, value)) == substituted


def test_numbers_that_do_not_are_marked() -> None:
    assert "rules that this line does not show" in budget._numbers(line("(493,317 − 1) / 1,024 × 1", 642))


def test_a_row_in_every_unit() -> None:
    row = budget._row(line("1 + 1", 2 * 10**9))
    by_key = dict(zip((column.key for column in budget.COLUMNS), row, strict=True))
    assert isinstance(by_key["gb"], Number)
    assert by_key["gb"].text == "2.00"
    assert isinstance(by_key["gib"], Number)
    assert by_key["gib"].text == "1.86"
    assert by_key["certainty"] == "="


def test_closeness_is_that_of_the_printed_digits() -> None:
    assert budget._comes_to(Fraction(100_000), Fraction(100_001))
    assert not budget._comes_to(Fraction(100_000), Fraction(100_010))
