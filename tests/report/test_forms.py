"""Every form holds the same data."""

import csv
import io
import json
import re
import zipfile
from decimal import Decimal
from xml.etree import ElementTree as ET

from kvdesk.app.results import Sizing
from kvdesk.app.sizing_json import to_json
from kvdesk.report import csv_writer, json_writer, markdown_writer, xlsx_writer
from kvdesk.report.blocks import Cell, Document, Number, Table
from kvdesk.report.data import plain_number

MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"


def plain(cell: Cell) -> str | int | float:
    """What a data file holds for a cell."""
    return plain_number(cell) if isinstance(cell, Number) else cell or ""


def same(found: str, cell: Cell) -> bool:
    """Whether a text of a data file says the cell."""
    wanted = plain(cell)
    return found == wanted if isinstance(wanted, str) else Decimal(found) == Decimal(str(wanted))


def test_json_holds_every_cell_and_the_sizing(document: Document, sizing: Sizing) -> None:
    data = json.loads(json_writer.json_bytes(document, to_json(sizing)))
    tables = {data["cover"]["key"]: data["cover"]}
    for section in data["sections"]:
        tables.update({block["key"]: block for block in section["blocks"] if block["type"] == "table"})
    assert list(tables) == [table.key for table in document.tables()]
    for table in document.tables():
        rows = tables[table.key]["rows"]
        assert [[c["value"] if isinstance(c, dict) else c or "" for c in row] for row in rows] == [
            [plain(cell) for cell in row] for row in table.rows
        ]
    assert data["sizing"]["schema"] == "kvdesk.sizing/1"


def test_csv_holds_every_cell(document: Document) -> None:
    text = csv_writer.csv_bytes(document).decode("utf-8-sig")
    rows = list(csv.reader(io.StringIO(text, newline="")))
    at = 0
    for table in document.tables():
        at = next(i for i in range(at, len(rows)) if rows[i][:2] == ["table", table.key])
        assert rows[at + 1] == [column.label for column in table.columns]
        for found, row in zip(rows[at + 2 :], table.rows, strict=False):
            assert all(same(text.removeprefix("'"), cell) for text, cell in zip(found, row, strict=True))


def test_csv_never_starts_a_formula() -> None:
    assert csv_writer.safe("=HYPERLINK()") == "'=HYPERLINK()"
    assert csv_writer.safe("-1") == "'-1"
    assert csv_writer.safe("=") == "="
    assert csv_writer.safe("plain") == "plain"


def test_markdown_holds_every_cell(document: Document) -> None:
    text = markdown_writer.markdown(document)
    for table in document.tables():
        for row in table.rows:
            cells = [cell.text if isinstance(cell, Number) else cell or "" for cell in row]
            line = "| " + " | ".join(markdown_writer.escaped(c).replace("  \n", "<br>") for c in cells) + " |"
            assert line in text


def test_markdown_escapes_what_would_be_markup() -> None:
    evil = "[a](http://x) *b* <img src=x> `c` | d\n# e\n1. f"
    shown = markdown_writer.escaped(evil)
    assert not re.search(r"(?<!\\)[*<>`|\[\]]", shown)
    assert "http://" not in shown
    assert "\\#" in shown


def sheets(data: bytes) -> dict[str, ET.Element]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        assert archive.testzip() is None
        book = ET.fromstring(archive.read("xl/workbook.xml"))  # our own file
        names = [sheet.get("name", "") for sheet in book.iter(MAIN + "sheet")]
        return {
            name: ET.fromstring(archive.read(f"xl/worksheets/sheet{n}.xml"))  # our own file
            for n, name in enumerate(names, start=1)
        }


def cells_of(sheet: ET.Element) -> dict[str, tuple[str, str]]:
    """Text or number and formula of every cell by its address."""
    found = {}
    for cell in sheet.iter(MAIN + "c"):
        text = cell.findtext(f"{MAIN}is/{MAIN}t") if cell.get("t") == "inlineStr" else cell.findtext(MAIN + "v")
        found[cell.get("r", "")] = (text or "", cell.findtext(MAIN + "f") or "")
    return found


def test_xlsx_holds_every_cell(document: Document) -> None:
    tables = list(document.tables())
    found = sheets(xlsx_writer.xlsx(document))
    assert list(found) == [table.key for table in tables]
    for table in tables:
        cells = cells_of(found[table.key])
        for y, row in enumerate(table.rows):
            for x, cell in enumerate(row):
                if cell is not None:
                    assert same(cells[f"{chr(65 + x)}{y + 4}"][0], cell)


def test_xlsx_recomputes_the_budget(document: Document) -> None:
    """Budget, pool and GB are formulas; what they come to is the printed figure."""
    table = next(t for t in document.tables() if t.key == "budget_B")
    cells = cells_of(sheets(xlsx_writer.xlsx(document))["budget_B"])
    keys = [column.key for column in table.columns]
    result = chr(65 + keys.index("result"))
    symbols = {row[0]: y for y, row in enumerate(table.rows, start=4)}
    for symbol in ("B", "P", "S", "N"):
        assert cells[f"{result}{symbols[symbol]}"][1], symbol
    values = {address: float(text) for address, (text, _) in cells.items() if re.fullmatch(r"-?[\d.]+", text)}
    for text, formula in cells.values():
        if formula:
            assert abs(evaluated(formula, values) - float(text)) <= max(0.005, 1e-9 * float(text)), formula


def evaluated(formula: str, values: dict[str, float]) -> float:
    """The few functions that the budget uses, as a spreadsheet computes them: in binary fractions."""
    names = {
        "ROUNDDOWN": lambda x, n: int(x * 10**n) / 10**n,
        "ROUNDUP": lambda x, n: -(-x * 10**n // 1) / 10**n,
        "ROUND": round,
        "MAX": max,
        "MIN": min,
        **values,
    }
    assert re.fullmatch(r"[A-Z0-9.()+\-*/,]+", formula)
    return float(eval(formula, {"__builtins__": {}}, names))  # noqa: S307  # the pattern above bounds it


def test_xlsx_is_the_same_twice(document: Document) -> None:
    assert xlsx_writer.xlsx(document) == xlsx_writer.xlsx(document)


def test_sheet_names_are_short_and_distinct() -> None:
    tables = [Table(key="x" * 40, caption="", columns=(), rows=()) for _ in range(3)]
    names = xlsx_writer._sheet_names(tables)
    assert len(set(names)) == 3
    assert max(map(len, names)) <= 31
