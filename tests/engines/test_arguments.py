"""Options by an engine's own names."""

import pytest

from kvdesk.core.errors import UsageError
from kvdesk.core.json_value import JsonValue
from kvdesk.engines.arguments import Arguments


def of(name: str, value: JsonValue) -> Arguments:
    return Arguments({name: value}, aliases={"np": "parallel"})


@pytest.mark.parametrize("name", ["page_size", "--page-size", "page-size", " page_size "])
def test_spellings(name: str) -> None:
    assert of(name, 64).integer("page_size", 1) == 64


def test_aliases() -> None:
    assert of("-np", 4).integer("parallel", 1) == 4


@pytest.mark.parametrize(
    ("value", "flag"),
    [(True, True), ("on", True), (1, True), (False, False), ("OFF", False), (0, False), ("auto", True)],
)
def test_flags(value: JsonValue, flag: bool) -> None:
    assert of("x", value).flag("x", default=True) is flag


@pytest.mark.parametrize("value", ["1", 1.5, True, [], -1, 2**60])
def test_integers_are_whole_numbers_in_bounds(value: JsonValue) -> None:
    with pytest.raises(UsageError):
        of("x", value).integer("x", 0)


@pytest.mark.parametrize("value", [0, 1.5, "half", True])
def test_fractions_are_above_0_and_at_most_1(value: JsonValue) -> None:
    with pytest.raises(UsageError):
        of("x", value).fraction("x", None)


@pytest.mark.parametrize("value", [[1, "a"], [0], "w", [True]])
def test_lists_of_numbers(value: JsonValue) -> None:
    with pytest.raises(UsageError):
        of("x", value).integers("x")


def test_words_and_defaults() -> None:
    arguments = of("backend", " FA3 ")
    assert arguments.text("backend") == "fa3"
    assert (arguments.text("other", "none"), arguments.integers("other")) == ("none", ())
    assert (arguments.integer("other", 5), arguments.flag("other"), arguments.fraction("other", 0.5)) == (5, False, 0.5)
    assert arguments.has("backend")
    assert not arguments.has("other")
    with pytest.raises(UsageError):
        of("x", 3).text("x")
    with pytest.raises(UsageError):
        of("x", "maybe").flag("x")


def test_unknown_options_are_refused_by_name() -> None:
    with pytest.raises(UsageError, match="page_sise"):
        of("page_sise", 1).refuse_unknown({"page_size"}, "SGLang")
