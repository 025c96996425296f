"""What a report is made of: sections of blocks, the same for every form it is written in.

All text is text: no block carries markup. A figure that a writer prints is a `Number`, so that a spreadsheet, a CSV
file and JSON receive the number itself and a page its text.
"""

from collections.abc import Iterator
from decimal import Decimal
from enum import StrEnum

from kvdesk.core.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Number:
    """A figure: its value, its unit ("B", "GB", "tokens", "%", "" for a ratio) and how a page prints it."""

    value: int | float | Decimal
    unit: str = ""
    text: str


Cell = str | Number | None
"""None is an empty cell: not applicable, or a blank to be filled in by hand."""


class Kind(StrEnum):
    """How a column is set."""

    TEXT = "text"
    CODE = "code"
    NUMBER = "number"


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column. `share` is its part of the width left over by numbers (0: as wide as its content).

    `under` is the key of a column in whose cell a page sets this one's in small type; data files keep it apart. A line
    break in `title` is where a page may break it.
    """

    key: str
    title: str
    kind: Kind = Kind.TEXT
    share: float = 0
    under: str | None = None

    @property
    def label(self) -> str:
        """The title on one line."""
        return " ".join(self.title.split())


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table: `key` is its stable name in data files. With `form`, empty cells are blanks to be filled in.

    `constants` are symbols that its formulas use and that are no line of it, such as T.
    """

    key: str
    caption: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    note: str = ""
    form: bool = False
    constants: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """A paragraph; `small` for remarks."""

    text: str
    small: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """A heading below the section's own, for instance of one option."""

    key: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A marked sentence: a verdict or a finding.

    `tone` is "good", "bad", "caution" or "plain"; `label` says it in words.
    """

    tone: str
    label: str
    title: str
    text: str
    remedy: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """A drawing as SVG. `alt` tells in a sentence what it shows, to those who cannot see it."""

    key: str
    caption: str
    alt: str
    svg: str


Block = Paragraph | Heading | Statement | Table | Figure


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A numbered section, or with `appendix` a lettered one."""

    key: str
    title: str
    blocks: tuple[Block, ...]
    appendix: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A whole report. `cover` are the lines under the title; `date` is ISO or "" where none is known.

    `paper` is "a4" or "us-letter", `logo` an SVG image or "", `author` for the file's metadata.
    """

    title: str
    subtitle: str
    id: str
    version: str
    date: str
    author: str
    paper: str
    language: str = "en"
    cover: Table
    sections: tuple[Section, ...]
    logo: str = ""

    def tables(self) -> Iterator[Table]:
        """Every table, the cover's first."""
        yield self.cover
        for section in self.sections:
            for block in section.blocks:
                if isinstance(block, Table):
                    yield block
