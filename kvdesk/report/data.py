"""A document as plain JSON data: what the JSON form holds and what the page template reads."""

from decimal import Decimal

from kvdesk.core.json_value import JsonValue
from kvdesk.report.blocks import Block, Cell, Document, Figure, Heading, Number, Paragraph, Section, Statement, Table

SCHEMA = "kvdesk.report/1"

JsonObject = dict[str, JsonValue]


def document_data(document: Document, *, drawings: bool = True) -> JsonObject:
    """The whole document; without `drawings` figures keep caption and alternative text only."""
    return {
        "schema": SCHEMA,
        "title": document.title,
        "subtitle": document.subtitle,
        "id": document.id,
        "version": document.version,
        "date": document.date,
        "author": document.author,
        "cover": table_data(document.cover),
        "sections": [_section(section, drawings) for section in document.sections],
    }


def _section(section: Section, drawings: bool) -> JsonObject:
    return {
        "key": section.key,
        "title": section.title,
        "appendix": section.appendix,
        "blocks": [_block(block, drawings) for block in section.blocks],
    }


def _block(block: Block, drawings: bool) -> JsonObject:
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
            return {"type": "table", **table_data(block)}
        case Figure():
            figure: JsonObject = {"type": "figure", "key": block.key, "caption": block.caption, "alt": block.alt}
            return {**figure, "svg": block.svg} if drawings else figure


def table_data(table: Table) -> JsonObject:
    """One table: columns, and rows of cells that are text, null, or {value, unit, text}."""
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


def cell_data(cell: Cell) -> JsonValue:
    """Text, null, or a number with its unit and its print."""
    if isinstance(cell, Number):
        return {"value": plain_number(cell), "unit": cell.unit, "text": cell.text}
    return cell


def plain_number(number: Number) -> int | float:
    """The value as JSON and spreadsheets know it."""
    value = number.value
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    return value
