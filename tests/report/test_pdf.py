"""The page itself: what a reader, a search and a screen reader find in the file."""

import importlib.util
import io
import json
import re
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from kvdesk.app.results import Sizing
from kvdesk.app.sizing_json import to_json
from kvdesk.core.errors import KvdeskError
from kvdesk.report import json_writer, logo, typst_writer
from kvdesk.report.blocks import Document, Number, Paragraph
from kvdesk.report.tidy import tidy


@pytest.fixture(scope="module")
def pdf(document: Document) -> bytes:
    return typst_writer.pdf(document)


def text_of(pdf: bytes, folder: Path) -> str:
    """The text in reading order, line breaks as spaces: by poppler, else by pypdf."""
    if shutil.which("pdftotext"):
        path = folder / "report.pdf"
        path.write_bytes(pdf)
        run = subprocess.run(["pdftotext", str(path), "-"], capture_output=True, check=True)
        text = run.stdout.decode()
    elif importlib.util.find_spec("pypdf"):
        import pypdf

        text = "\n".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(pdf)).pages)
    else:
        pytest.skip("neither pdftotext nor pypdf is here to read the PDF")
    return " ".join(text.split())


def with_text(document: Document, text: str) -> Document:
    """The document with one more paragraph in front."""
    first = replace(document.sections[0], blocks=(Paragraph(text=text), *document.sections[0].blocks))
    return tidy(replace(document, sections=(first, *document.sections[1:])))


def test_same_document_same_bytes(document: Document, pdf: bytes) -> None:
    assert typst_writer.pdf(document) == pdf


def test_it_claims_to_be_archivable_and_accessible(pdf: bytes) -> None:
    # typst checks both standards while writing and refuses otherwise; the claims stand in the metadata (ISO 19005-2,
    # ISO 14289-1).
    for claim in (b"pdfaid:part", b"pdfaid:conformance>A<", b"pdfuaid:part"):
        assert claim in pdf
    assert b"/MarkInfo" in pdf


def test_fonts_are_inside(pdf: bytes, tmp_path: Path) -> None:
    if not shutil.which("pdffonts"):
        pytest.skip("poppler's pdffonts is not here")
    path = tmp_path / "report.pdf"
    path.write_bytes(pdf)
    lines = subprocess.run(["pdffonts", str(path)], capture_output=True, check=True, text=True).stdout.splitlines()[2:]
    assert lines
    assert all(re.search(r"\byes yes yes\b", line) for line in lines)


def test_every_figure_of_every_table_is_on_the_page(document: Document, pdf: bytes, tmp_path: Path) -> None:
    text = text_of(pdf, tmp_path)
    printed = set(re.findall(r"−?\d[\d,]*(?:\.\d+)?", text))
    for table in document.tables():
        for row in table.rows:
            missing = [cell.text for cell in row if isinstance(cell, Number) and cell.text not in printed]
            assert not missing, table.key


def test_every_number_of_a_table_equals_the_json(
    document: Document, pdf: bytes, sizing: Sizing, tmp_path: Path
) -> None:
    """The figures of the options in the sizing's JSON, as digits, are those of the page."""
    text = text_of(pdf, tmp_path)
    data = json.loads(json_writer.json_bytes(document, to_json(sizing)))["sizing"]
    for option in data["options"]:
        for line in option.get("budget", ()):
            value = line["value"]
            assert (f"{value:,}" if isinstance(value, int) else f"{value:.10g}") in text, line["key"]
    assert f"{data['kv']['logical_bytes_per_sequence']:,} B" in text
    assert f"{data['weights']['parameters']:,}" in text


def test_names_in_latin_greek_and_cyrillic_are_found_as_typed(pdf: bytes, tmp_path: Path) -> None:
    assert "Ward assistant: α, Ж and ő" in text_of(pdf, tmp_path)


def test_text_of_the_charts_is_text(pdf: bytes, tmp_path: Path) -> None:
    text = text_of(pdf, tmp_path)
    assert "tokens per sequence (K = 1,024, M = 1,048,576)" in text
    assert "8 asked for" in text


def test_markup_is_shown_not_obeyed(document: Document, tmp_path: Path) -> None:
    evil = '#image("x.png") #read("/etc/passwd") *bold* $x^2$ @ref <label> // comment \\ `code` = head'
    assert evil in text_of(typst_writer.pdf(with_text(document, evil)), tmp_path)


def test_long_words_break_and_still_copy_clean(document: Document, tmp_path: Path) -> None:
    digest = "0123456789abcdef" * 4
    assert digest in text_of(typst_writer.pdf(with_text(document, digest)), tmp_path).replace(" ", "")


def test_a_sign_without_a_font_is_named(document: Document) -> None:
    # An unassigned plane has no sign in any font: private use is shown as its code before, so take a rare script.
    with pytest.raises(KvdeskError) as caught:
        typst_writer.pdf(with_text(document, "\U00016a40"))
    assert caught.value.code == "missing-glyphs"
    assert "U+16A40" in caught.value.title


def test_a_document_without_a_date_is_still_valid(document: Document) -> None:
    undated = replace(document, date="")
    assert typst_writer.pdf(undated) == typst_writer.pdf(undated)


@pytest.mark.parametrize("paper", ["a4", "us-letter"])
def test_papers(document: Document, paper: str) -> None:
    size = {"a4": rb"595\.2\d* 841\.8\d*", "us-letter": rb"612 792"}[paper]
    assert re.search(rb"/MediaBox ?\[0 0 " + size, typst_writer.pdf(replace(document, paper=paper)))


def test_a_logo_is_set(document: Document) -> None:
    svg = b'<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10"><rect width="10" height="10"/></svg>'
    assert typst_writer.pdf(replace(document, logo=logo.as_svg(svg)))
