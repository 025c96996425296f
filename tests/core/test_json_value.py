"""Texts that no file can hold."""

import pytest

from kvdesk.core.json_value import JsonValue, holds_half_characters


@pytest.mark.parametrize("value", ["\ud800", {"a": [1, {"b": "x\udfffx"}]}, {"\udc00": 1}, [["é", "\ud801"]]])
def test_a_lone_surrogate_is_found_wherever_it_is(value: JsonValue) -> None:
    assert holds_half_characters(value)


@pytest.mark.parametrize("value", [None, True, 1, 1.5, "", "é", "\U0001f600", {"é": ["ü", {"a": None}]}, []])
def test_whole_characters_are_not(value: JsonValue) -> None:
    assert not holds_half_characters(value)
