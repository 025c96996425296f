"""What a report asks for, read from text."""

from decimal import Decimal
from pathlib import Path

import pytest

from kvdesk.app import report_form
from kvdesk.cli import report_command
from kvdesk.core.errors import UsageError

WRONG = {
    "date": ("29.11.2026", "“29.11.2026” is not a date. Write it like 2026-11-29."),
    "prompt": ("many", "“many” is not MEAN,P95."),
    "output": ("1;2", "“1;2” is not MEAN,P95."),
    "offload": ("lmcache", "“lmcache” is not STORE=SIZE."),
    "price h100-sxm": ("25 000 €", "“25 000 €” is not a price such as 25000 or 2.49."),
}


def test_an_empty_form_asks_for_nothing() -> None:
    asked, errors = report_form.read({"title": " ", "date": "", "price h100-sxm": ""}, ("h100-sxm",))
    assert not errors
    assert (asked.load, asked.log) == (None, None)
    assert (asked.details.title, asked.details.date, dict(asked.details.prices)) == ("", None, {})
    assert asked.details.paper == "a4"


def test_a_full_form(tmp_path: Path) -> None:
    logo, lengths = tmp_path / "logo.svg", tmp_path / "lengths.csv"
    logo.write_text('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>', "utf-8")
    lengths.write_text("prompt,output\n100,20\n300,40\n", "utf-8")
    texts = {
        "title": " Chat service ",
        "organisation": "Works",
        "author": "A. Author",
        "reviewer": "R. Reviewer",
        "purpose": "Tender 7",
        "currency": "EUR",
        "date": "2026-11-29",
        "paper": "letter",
        "price h100-sxm": "25000.50",
        "price l40s": "",
        "lengths": str(lengths),
        "offload": "lmcache=200GB, vllm=1GiB",
        "logo": str(logo),
        "log": str(tmp_path / "engine.log"),
    }
    asked, errors = report_form.read(texts, ("h100-sxm", "l40s"))
    details = asked.details
    assert not errors
    assert (details.title, details.reviewer, details.purpose) == ("Chat service", "R. Reviewer", "Tender 7")
    assert (details.date, details.paper, details.currency) == ("2026-11-29", "letter", "EUR")
    assert dict(details.prices) == {"h100-sxm": Decimal("25000.50")}
    assert details.logo == logo.read_bytes()
    assert asked.log == tmp_path / "engine.log"
    assert asked.load is not None
    assert asked.load.lengths is not None
    assert asked.load.lengths.pairs == ((100, 20), (300, 40))
    assert asked.load.tiers == (("lmcache", 200 * 10**9), ("vllm", 2**30))


def test_moments_make_a_load() -> None:
    asked, errors = report_form.read({"prompt": "1000,3000", "output": "200"}, ())
    assert not errors
    assert asked.load is not None
    assert asked.load.lengths is not None
    assert asked.load.lengths.moments == (1000, 3000, 200, 200)


@pytest.mark.parametrize("name", WRONG)
def test_each_field_says_what_is_wrong_with_it(name: str) -> None:
    text, sentence = WRONG[name]
    _, errors = report_form.read({name: text}, ("h100-sxm",))
    assert {field: str(error) for field, error in errors.items()} == {name: sentence}
    assert report_form.check(name, text) == sentence
    assert report_form.check(name, " ") == ""


def test_fields_that_belong_together_and_files_that_are_not_there(tmp_path: Path) -> None:
    _, errors = report_form.read({"output": "200,400", "lengths": "", "logo": str(tmp_path / "no.svg")}, ())
    assert "go together" in str(errors["output"])
    assert "could not be read" in str(errors["logo"])
    _, errors = report_form.read({"prompt": "200,400"}, ())
    assert "go together" in str(errors["prompt"])
    _, errors = report_form.read({"prompt": "400,200", "output": "2,3"}, ())
    assert list(errors) == ["output"]
    _, errors = report_form.read({"lengths": str(tmp_path / "no.csv")}, ())
    assert "cannot be read" in str(errors["lengths"])
    assert report_form.check("lengths", str(tmp_path / "no.csv")) == ""
    assert report_form.check("title", "any") == ""


def test_a_list_of_lengths_has_a_largest_size(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(report_form, "MOST_BYTES", 3)
    path = tmp_path / "lengths.csv"
    path.write_text("1,2\n", "utf-8")
    _, errors = report_form.read({"lengths": str(path)}, ())
    assert "larger than 64 MiB" in str(errors["lengths"])


@pytest.mark.parametrize(
    ("option", "name", "text"),
    [
        ("--prompt-tokens", "prompt", "many"),
        ("--offload", "offload", "lmcache"),
        ("--price", "price h100-sxm", "free"),
    ],
)
def test_the_command_line_says_the_same(option: str, name: str, text: str) -> None:
    typed = f"h100-sxm={text}" if option == "--price" else text
    with pytest.raises(UsageError) as caught:
        report_command.main(["llama-3.1-8b", "--gpu", "h100-sxm", "-o", "x.pdf", option, typed])
    assert report_form.check(name, text).rstrip(".") in caught.value.title
