"""Figures as printed."""

from decimal import Decimal

import pytest

from kvdesk.report import numbers


def test_a_size_in_three_units() -> None:
    exact, in_gb, in_gib = numbers.size_cells(17_179_869_184)  # CONTRACT: 16 GiB = 17.2 GB
    assert (exact.text, in_gb.text, in_gib.text) == ("17,179,869,184", "17.18", "16.00")
    assert (exact.value, in_gb.value, in_gib.value) == (17_179_869_184, Decimal("17.18"), Decimal("16.00"))


def test_a_small_size_is_not_printed_as_nothing() -> None:
    assert numbers.gb(655_360).text == "0.000655"
    assert numbers.gib(0).text == "0.00"


def test_signs_are_true_minus_signs() -> None:
    assert numbers.whole(-1234).text == "−1,234"
    percent = numbers.percent(-3, 2)
    assert percent is not None
    assert percent.text == "−150.0"


def test_a_share_of_nothing_is_no_figure() -> None:
    assert numbers.percent(1, 0) is None


@pytest.mark.parametrize(
    ("value", "cents", "text"), [("28500", False, "28,500"), ("28500", True, "28,500.00"), ("0.125", True, "0.12")]
)
def test_amounts(value: str, cents: bool, text: str) -> None:
    assert numbers.money(Decimal(value), "EUR", cents=cents).text == text


def test_options_are_lettered_as_spreadsheets_letter_columns() -> None:
    assert [numbers.letters(i) for i in (0, 25, 26, 51, 52, 701, 702)] == ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]


def test_counting() -> None:
    assert numbers.counted(1, "sequence") == "1 sequence"
    assert numbers.counted(2000, "sequence") == "2,000 sequences"
