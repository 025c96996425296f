"""Numbers in the system's locale on screen: separators change, versions and names do not."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QLocale

from kvdesk.gui import numbers


@pytest.fixture
def german(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Another system's locale; what is kept of the present one is forgotten before and after."""
    numbers.locale.cache_clear()
    numbers._separators.cache_clear()
    monkeypatch.setattr(QLocale, "system", lambda: QLocale("de_DE"))
    yield
    monkeypatch.undo()
    numbers.locale.cache_clear()
    numbers._separators.cache_clear()


def test_sizes_and_counts(german: None) -> None:
    assert numbers.integer(1234567) == "1.234.567"
    assert numbers.size(10**10, "GB") == "10,00 GB"
    assert numbers.decimal(0.92) == "0,92"
    assert numbers.percent(0.155, 1) == "15,5 %"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("50 sequences of 8,192 tokens; 3.5 GB", "50 sequences of 8.192 tokens; 3,5 GB"),
        ("73,600,000,000 − 3,000,000,000", "73.600.000.000 − 3.000.000.000"),
        ("vLLM 0.33.0", "vLLM 0.33.0"),
        ("meta-llama/Llama-3.1-8B-Instruct", "meta-llama/Llama-3.1-8B-Instruct"),
        ("config.json@1.5", "config.json@1.5"),
        ("it is 0.92.", "it is 0,92."),
    ],
)
def test_texts_of_the_core(german: None, text: str, shown: str) -> None:
    assert numbers.localised(text) == shown


def test_without_a_locale_thousands_are_still_kept_apart(monkeypatch: pytest.MonkeyPatch) -> None:
    numbers.locale.cache_clear()
    monkeypatch.setattr(QLocale, "system", QLocale.c)
    assert numbers.locale().language() == QLocale.Language.English
    numbers.locale.cache_clear()
