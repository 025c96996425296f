"""Text from outside: shown as it is, never acting."""

import pytest

from kvdesk.report.tidy import one_line, printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("Ελληνικά Кириллица 株式会社", "Ελληνικά Кириллица 株式会社"),
        ("a\u202eb", "a<U+202E>b"),  # right-to-left override
        ("a\u200bb", "a<U+200B>b"),  # zero-width space
        ("a\x00b\x1b", "a<U+0000>b<U+001B>"),
        ("\ud800", "<U+D800>"),  # half a surrogate pair cannot be written as UTF-8
        ("e\u0301", "é"),  # composed, so that a search finds it
        ("a\r\nb\tc", "a\nb c"),
        ("a\u00a0b", "a b"),
    ],
)
def test_characters_without_a_sign_are_named(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_one_line_is_one_line() -> None:
    assert one_line(" a\n\n b\u2028c ") == "a b c"
