"""A document as plain JSON data: what the JSON form holds and what the page template reads.

Data files hold numbers with their units and no drawings; a page has drawings, and of a number its print alone.
"""

from decimal import Decimal

from kvdesk.core.json_value import JsonValue
from kvdesk.report.blocks import Block, Cell, Document, Figure, Heading, Number, Paragraph, Section, Statement, Table

SCHEMA = "kvdesk.report/1"

JsonObject = dict[str, JsonValue]


def document_data(document: Document, *, page: bool) -> JsonObject:
    """The whole document, for a page or for a data file."""
    return {
        "schema": SCHEMA,
        "title": document.title,
        "subtitle": document.subtitle,
        "id": document.id,
        "version": document.version,
        "date": document.date,
        "author": document.author,
        "cover": _table(document.cover, page),
        "sections": [_section(section, page) for section in document.sections],
    }


def _section(section: Section, page: bool) -> JsonObject:
    return {
        "key": section.key,
        "title": section.title,
        "appendix": section.appendix,
        "blocks": [_block(block, page) for block in section.blocks],
    }


def _block(block: Block, page: bool) -> JsonObject:
    match block:
        case Paragraph():
            return {"type": "paragraph", "text": block.text, "small": block.small}
        case Heading():
            return {"type": "heading", "key": block.key, "title": block.title}
        case Statement():
            return {
                "type": "statement",
                "tone": block.tone,
                "label": block.label,
                "title": block.title,
                "text": block.text,
                "remedy": block.remedy,
            }
        case Table():
            return {"type": "table", **_table(block, page)}
        case Figure():
            figure: JsonObject = {"type": "figure", "key": block.key, "caption": block.caption, "alt": block.alt}
            return {**figure, "svg": block.svg} if page else figure


def _table(table: Table, page: bool) -> JsonObject:
    """One table: columns, and rows of cells that are text, null, or in a data file {value, unit, text}."""
    cell_data = _print if page else _cell
    return {
        "key": table.key,
        "caption": table.caption,
        "note": table.note,
        "form": table.form,
        "columns": [
            {"key": c.key, "title": c.title, "kind": c.kind.value, "share": c.share, "under": c.under}
            for c in table.columns
        ],
        "rows": [[cell_data(cell) for cell in row] for row in table.rows],
    }


def _print(cell: Cell) -> str | None:
    return cell.text if isinstance(cell, Number) else cell


def _cell(cell: Cell) -> JsonValue:
    if isinstance(cell, Number):
        return {"value": plain_number(cell), "unit": cell.unit, "text": cell.text}
    return cell


def plain_number(number: Number) -> int | float:
    """The value as JSON and spreadsheets know it."""
    value = number.value
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value
