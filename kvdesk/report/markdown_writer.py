"""The report as Markdown, to paste into a ticket: the same sections and tables, drawings by their descriptions.

Text is escaped, so that a model's name is shown as it is and never becomes a link, an image or a tag.
"""

import re
from collections.abc import Iterable

from kvdesk.report.blocks import (
    Block,
    Cell,
    Column,
    Document,
    Figure,
    Heading,
    Kind,
    Number,
    Paragraph,
    Statement,
    Table,
)

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~!$&])")
_LIST = re.compile(r"^(\s*)([-+=]|\d+[.)])(?=\s|$|[-=])", re.MULTILINE)


def markdown(document: Document) -> str:
    """The whole report."""
    parts = [f"# {escaped(document.title)}", escaped(document.subtitle), _table(document.cover)]
    for number, section in enumerate(document.sections, start=1):
        appendix = sum(1 for s in document.sections[:number] if s.appendix)
        mark = chr(ord("A") + appendix - 1) if section.appendix else str(number)
        parts.append(f"## {mark} {escaped(section.title)}")
        parts += [_block(block) for block in section.blocks]
    return "\n\n".join(part for part in parts if part) + "\n"


def escaped(text: str) -> str:
    """Text without any meaning as markup; bare web addresses stay text."""
    plain = _LIST.sub(r"\1\\\2", _SPECIAL.sub(r"\\\1", text))
    return plain.replace("://", ":\\//").replace("\n", "  \n")


def _block(block: Block) -> str:
    match block:
        case Paragraph():
            return escaped(block.text)
        case Heading():
            return f"### {escaped(block.title)}"
        case Statement():
            title = f" · {escaped(block.title)}" if block.title else ""
            remedy = f" {escaped(block.remedy)}" if block.remedy else ""
            return f"**{escaped(block.label)}{title}**  \n{escaped(block.text)}{remedy}"
        case Table():
            return _table(block)
        case Figure():
            return f"*Figure: {escaped(block.caption)}*\n\n{escaped(block.alt)}"


def _table(table: Table) -> str:
    lines = [f"**{escaped(table.caption)}**", ""]
    lines.append(_row(column.label for column in table.columns))
    lines.append("|" + "|".join(_rule(column) for column in table.columns) + "|")
    lines += [_row(_text(cell) for cell in row) for row in table.rows]
    if table.note:
        lines += ["", escaped(table.note)]
    return "\n".join(lines)


def _rule(column: Column) -> str:
    return "---:" if column.kind is Kind.NUMBER else "---"


def _row(cells: Iterable[str]) -> str:
    return "| " + " | ".join(escaped(cell).replace("  \n", "<br>") for cell in cells) + " |"


def _text(cell: Cell) -> str:
    return cell.text if isinstance(cell, Number) else cell or ""
