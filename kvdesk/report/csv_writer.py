"""Every table of the report in one CSV file: its name, its heads, its rows, an empty line.

Numbers are plain numbers (no grouping, a point for decimals); RFC 4180 with a UTF-8 signature, which spreadsheets need
to read the text right.
"""

import csv
import io

from kvdesk.report.blocks import Cell, Document, Number, Table
from kvdesk.report.data import plain_number

_COMMANDS = ("=", "+", "-", "@", "\t", "\r")


def csv_bytes(document: Document) -> bytes:
    """All tables, the cover's first."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(["report", safe(document.title), document.id, document.version])
    for table in document.tables():
        writer.writerow([])
        writer.writerows(_rows(table))
    return b"\xef\xbb\xbf" + out.getvalue().encode("utf-8")


def _rows(table: Table) -> list[list[str | int | float]]:
    rows: list[list[str | int | float]] = [["table", table.key, safe(table.caption)]]
    rows.append([safe(column.label) for column in table.columns])
    rows += [[_cell(cell) for cell in row] for row in table.rows]
    return rows


def _cell(cell: Cell) -> str | int | float:
    if isinstance(cell, Number):
        return plain_number(cell)
    return safe(cell or "")


def safe(text: str) -> str:
    """Text that a spreadsheet does not take for a formula: a leading sign of one gets an apostrophe before it."""
    return f"'{text}" if len(text) > 1 and text.startswith(_COMMANDS) else text
