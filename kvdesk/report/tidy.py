"""Text that cannot deceive or break a page: control and direction characters are shown as what they are.

Model names, notes and log lines come from outside. A right-to-left override can turn a figure around, a zero-width
character can hide in an id, half a surrogate pair cannot be written as UTF-8 at all; each becomes its code in brackets.
"""

import unicodedata

from kvdesk.core.values import replace
from kvdesk.report.blocks import Block, Cell, Document, Figure, Heading, Number, Paragraph, Section, Statement, Table

_LINE_BREAKS = str.maketrans({"\r": "\n", "\t": " ", "\u2028": "\n", "\u2029": "\n", "\u00a0": " ", "\u202f": " "})
_HIDDEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})


def printable(text: str) -> str:
    """The text with every character that has no sign of its own replaced by `<U+202E>`; normalised to NFC."""
    if text.isascii() and text.isprintable():
        return text
    plain = unicodedata.normalize("NFC", text.replace("\r\n", "\n").translate(_LINE_BREAKS))
    if plain.replace("\n", "").isprintable():
        return plain
    return "".join(c if c == "\n" or unicodedata.category(c) not in _HIDDEN else f"<U+{ord(c):04X}>" for c in plain)


def one_line(text: str) -> str:
    """The same with every run of white space as one space."""
    return " ".join(printable(text).split())


def tidy(document: Document) -> Document:
    """The document with every text made printable."""
    return replace(
        document,
        title=one_line(document.title),
        subtitle=one_line(document.subtitle),
        author=one_line(document.author),
        date=one_line(document.date),
        version=one_line(document.version),
        cover=_table(document.cover),
        sections=tuple(_section(section) for section in document.sections),
    )


def _section(section: Section) -> Section:
    return replace(section, title=one_line(section.title), blocks=tuple(_block(block) for block in section.blocks))


def _block(block: Block) -> Block:
    match block:
        case Paragraph():
            return replace(block, text=printable(block.text))
        case Heading():
            return replace(block, title=one_line(block.title))
        case Statement():
            return replace(
                block, title=one_line(block.title), text=printable(block.text), remedy=printable(block.remedy)
            )
        case Table():
            return _table(block)
        case Figure():
            return replace(block, caption=one_line(block.caption), alt=one_line(block.alt), svg=printable(block.svg))


def _table(table: Table) -> Table:
    return replace(
        table,
        caption=one_line(table.caption),
        note=printable(table.note),
        columns=tuple(replace(column, title=printable(column.title)) for column in table.columns),
        rows=tuple(tuple(_cell(cell) for cell in row) for row in table.rows),
    )


def _cell(cell: Cell) -> Cell:
    match cell:
        case None:
            return None
        case Number():
            unit, text = one_line(cell.unit), one_line(cell.text)
            return cell if (unit, text) == (cell.unit, cell.text) else replace(cell, unit=unit, text=text)
        case _:
            return printable(cell)
