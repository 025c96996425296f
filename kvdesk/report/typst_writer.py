"""The page: a document through the template `resources/report/report.typ` to PDF/A-2a and PDF/UA-1.

The only user of typst. Data goes in as JSON, drawings as SVG, the PDF comes out as bytes; no package, no network and no
file but the template is read. Fonts are those inside typst, unless a text has characters that they lack: then the fonts
of this computer are asked, and the document says so.
"""

import itertools
import json
import re
import tempfile
import unicodedata
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from kvdesk import resources
from kvdesk.core.errors import KvdeskError
from kvdesk.report.blocks import Document
from kvdesk.report.data import document_data

if TYPE_CHECKING:
    import typst

TEMPLATE = "report/report.typ"
STANDARDS: list[Literal["a-2a", "ua-1"]] = ["a-2a", "ua-1"]
_UNDATED = "2026-01-01"
"""Stands in the file's metadata, which must have a date, where a report has none; the page says "not given"."""

_KEPT_COMPILATIONS = 10
"""typst-py 0.15.2 `src/compiler.rs`: `comemo::evict(10)` after each compilation."""

_KEPT_REPORTS = 3
_reports = itertools.count()

_MISSING_GLYPH = re.compile(r'the text `"(.+?)"` could not be displayed')


def pdf(document: Document) -> bytes:
    """The document as a tagged, archivable PDF; the same document gives the same bytes.

    Raises `KvdeskError` (`missing-glyphs`) naming characters for which there is no font.
    """
    earlier = next(_reports)
    if earlier and earlier % _KEPT_REPORTS == 0:
        _forget_earlier_reports()
    try:
        return _compile(document, system_fonts=False)
    except _MissingGlyphs:
        pass
    try:
        return _compile(document, system_fonts=True)
    except _MissingGlyphs as missing:
        raise KvdeskError(
            "missing-glyphs",
            f"No font of this computer has the sign {_named(missing.signs)}.",
            "A report that leaves signs out could not be relied on, so nothing was written.",
            "Write the text without it, or install a font that has it (for example Noto CJK).",
        ) from missing


class _MissingGlyphs(Exception):
    def __init__(self, signs: tuple[str, ...]) -> None:
        super().__init__(signs)
        self.signs = signs


def _forget_earlier_reports() -> None:
    """Push earlier layouts out of typst's cache, which keeps those of the last ten compilations.

    A report of twenty pages takes 40 MB there. Ten empty documents cost 40 ms, and the next report has to be laid out
    from nothing, so that only every third report pays for it.
    """
    import typst

    compiler = typst.Compiler(b"", root=resources.path(TEMPLATE).parent, font_paths=_built_in_fonts())
    for _ in range(_KEPT_COMPILATIONS):
        compiler.compile(input=b"", format="svg")


@cache
def _built_in_fonts() -> "typst.Fonts":
    """Read once: typst looks through its own fonts anew for each document otherwise."""
    import typst

    return typst.Fonts(include_system_fonts=False)


def _compile(document: Document, *, system_fonts: bool) -> bytes:
    import typst

    data = {
        **document_data(document, page=True),
        "paper": document.paper,
        "language": document.language,
        "metadate": document.date or _UNDATED,
        "system_fonts": system_fonts,
        "logo": document.logo,
    }
    template = resources.path(TEMPLATE)
    with tempfile.TemporaryDirectory(prefix="kvdesk-") as empty:
        try:
            found = typst.compile(
                template,
                root=template.parent,
                sys_inputs={"data": json.dumps(data, ensure_ascii=False)},
                pdf_standards=[*STANDARDS],
                font_paths=[] if system_fonts else _built_in_fonts(),
                package_path=Path(empty),
                package_cache_path=Path(empty),
                timestamp=_timestamp(document.date),
            )
        except RuntimeError as error:  # a TypstError, or typst's word on a current folder that is gone
            raise _meaning(error) from error
    if not isinstance(found, bytes):
        raise KvdeskError("report-failed", "The PDF could not be made.", "typst gave no document.")
    return found


def _meaning(error: RuntimeError) -> Exception:
    text = str(getattr(error, "diagnostic", "")) or str(error)
    signs = tuple(dict.fromkeys(_MISSING_GLYPH.findall(text)))
    if signs:
        return _MissingGlyphs(signs)
    return KvdeskError("report-failed", "The PDF could not be made.", text.strip().splitlines()[0][:300])


def _named(signs: tuple[str, ...]) -> str:
    """`“株” (U+682A, CJK UNIFIED IDEOGRAPH-682A)`, at most three of them."""
    told = [", ".join(f"U+{ord(c):04X} {unicodedata.name(c, '')}".strip() for c in sign[:2]) for sign in signs[:3]]
    more = f" and {len(signs) - 3} more" if len(signs) > 3 else ""
    return ", ".join(f"“{sign[:2]}” ({name})" for sign, name in zip(signs, told, strict=False)) + more


def _timestamp(date: str) -> int:
    try:
        day = datetime.fromisoformat(date or _UNDATED).replace(tzinfo=UTC)
    except ValueError:
        day = datetime.fromisoformat(_UNDATED).replace(tzinfo=UTC)
    return int(day.timestamp())
