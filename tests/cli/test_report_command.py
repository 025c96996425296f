"""`kvdesk report`: one source, a list of sources, a log, and what is refused before anything is written."""

import json
from pathlib import Path

import pytest

from kvdesk.cli.main import main

LOG = Path(__file__).parent.parent / "fixtures" / "logs" / "vllm_0_30_tp2.log"


def test_a_pdf_of_one_model(tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    assert main(["report", "llama-3.1-8b", "--gpu", "h100-sxm", "--paper", "letter", "-o", str(path)]) == 0
    assert path.read_bytes().startswith(b"%PDF-")
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("form", ["md", "csv", "xlsx", "json"])
def test_the_form_follows_the_ending(form: str, tmp_path: Path) -> None:
    path = tmp_path / f"report.{form}"
    assert main(["report", "llama-3.1-8b", "--gpu", "h100-sxm", "-o", str(path)]) == 0
    assert path.read_bytes()


def test_details_reach_the_document(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    words = ["--title", "T", "--organisation", "O", "--author", "A", "--reviewer", "R", "--purpose", "P"]
    priced = ["--price", "H100-SXM=30000", "--currency", "EUR", "--date", "2026-02-03"]
    assert main(["report", "llama-3.1-8b", "--gpu", "h100-sxm", *words, *priced, "-o", str(path)]) == 0
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["title"] == "T"
    rows = dict(data["cover"]["rows"])
    assert (rows["Organisation"], rows["Author"], rows["Reviewer"], rows["Purpose"]) == ("O", "A", "R", "P")
    assert rows["Date"] == "2026-02-03"
    order = next(b for s in data["sections"] for b in s["blocks"] if b.get("key") == "order")
    assert {"value": 30000, "unit": "EUR", "text": "30,000"} in order["rows"][0]


def test_many_models_go_on_where_one_fails(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listing, folder = tmp_path / "models.txt", tmp_path / "out"
    listing.write_text(
        "# the list\nllama-3.1-8b\n./no/such/config.json\nqwen3-8b  # small\nllama-3.1-8b\n", encoding="utf-8"
    )
    status = main(["report", str(listing), "--gpu", "h100-sxm", "--format", "md", "-o", str(folder)])
    assert status == 3
    names = sorted(path.name for path in folder.iterdir())
    assert names == ["llama-3.1-8b-2.md", "llama-3.1-8b.md", "qwen3-8b.md"]
    assert "no/such/config.json" in capsys.readouterr().err


def test_a_log_brings_its_own_gpu(tmp_path: Path) -> None:
    path = tmp_path / "report.md"
    assert main(["report", "qwen3.5-27b", "--log", str(LOG), "-o", str(path)]) == 0
    assert "302,921" in path.read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "wrong",
    [
        ["--gpu", "h100-sxm", "--price", "l4=1"],
        ["--gpu", "h100-sxm", "--price", "h100-sxm"],
        ["--gpu", "h100-sxm", "--date", "2026-02-30"],
        ["--gpu", "h100-sxm", "--logo", "no-such-file.png"],
    ],
)
def test_wrong_options_write_nothing(wrong: list[str], tmp_path: Path) -> None:
    path = tmp_path / "report.pdf"
    assert main(["report", "llama-3.1-8b", *wrong, "-o", str(path)]) == 2
    assert not path.exists()


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    listing, file = tmp_path / "models.txt", tmp_path / "file"
    listing.write_text("llama-3.1-8b\n", encoding="utf-8")
    file.write_text("", encoding="utf-8")
    assert main(["report", str(listing), "--gpu", "h100-sxm", "-o", str(file / "out")]) == 2
    assert "cannot be used" in capsys.readouterr().err


def test_a_sign_without_a_font_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "report.pdf"
    path.write_bytes(b"old")
    assert main(["report", "llama-3.1-8b", "--gpu", "h100-sxm", "--title", "\U00016a40", "-o", str(path)]) == 2
    assert "U+16A40" in capsys.readouterr().err
    assert path.read_bytes() == b"old"


def test_a_report_without_a_date_says_so_once(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A model of the catalogue has no day of look-up, and the clock would make every report another one."""
    listing = tmp_path / "models.txt"
    listing.write_text("llama-3.1-8b\nqwen3-8b\n", encoding="utf-8")
    many = ["report", str(listing), "--gpu", "h100-sxm", "--format", "csv", "-o", str(tmp_path / "out")]
    assert main(many) == 0
    assert capsys.readouterr().err.count("--date") == 1
    assert main([*many, "--date", "2026-05-01"]) == 0
    assert capsys.readouterr().err == ""


def test_the_expected_load_reaches_every_form(tmp_path: Path) -> None:
    load = ["--prompt-tokens", "6000,6000", "--output-tokens", "2000,2000", "--offload", "lmcache=100GiB"]
    path = tmp_path / "report.json"
    assert main(["report", "llama-3.1-8b", "--gpu", "h100-sxm", *load, "-o", str(path)]) == 0
    data = json.loads(path.read_text(encoding="utf-8"))
    assert [section["key"] for section in data["sections"]].count("expected") == 1
    assert main(["report", "llama-3.1-8b", "--prompt-tokens", "6000", "-o", str(path)]) == 2
