"""Every table of the report as a sheet of an Office Open XML workbook (ECMA-376), in standard-library code.

Numbers are numbers. Lines of a budget carry formulas that recompute them from the lines before, and GB and GiB are
formulas of the bytes; a formula is written only where its exact arithmetic gives the very value that is printed. The
same document gives the same bytes: no clock and no chance go into the archive.
"""

import io
import zipfile
from xml.sax.saxutils import escape, quoteattr

from kvdesk.report.blocks import Cell, Document, Number, Table
from kvdesk.report.budget_formulas import formulas
from kvdesk.report.data import plain_number

_STAMP = (1980, 1, 1, 0, 0, 0)
_HEAD, _WHOLE, _DECIMALS, _TEXT, _TITLE = 1, 2, 3, 4, 5
"""Indexes of the styles in `_STYLES`."""

_LONGEST_TEXT = 32_000
"""Characters of a cell; the format allows 32,767."""


def xlsx(document: Document) -> bytes:
    """The workbook: a sheet for each table, the cover's first."""
    tables = list(document.tables())
    names = _sheet_names(tables)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        _add(archive, "[Content_Types].xml", _content_types(len(tables)))
        _add(archive, "_rels/.rels", _RELATIONS)
        _add(archive, "xl/workbook.xml", _workbook(names))
        _add(archive, "xl/_rels/workbook.xml.rels", _workbook_relations(len(tables)))
        _add(archive, "xl/styles.xml", _STYLES)
        for number, table in enumerate(tables, start=1):
            _add(archive, f"xl/worksheets/sheet{number}.xml", _sheet(table))
    return out.getvalue()


def _add(archive: zipfile.ZipFile, name: str, text: str) -> None:
    entry = zipfile.ZipInfo(name, _STAMP)
    entry.compress_type = zipfile.ZIP_DEFLATED
    archive.writestr(entry, _XML + text)


def _sheet_names(tables: list[Table]) -> list[str]:
    """Keys of the tables, at most 31 characters, made distinct."""
    names: list[str] = []
    for table in tables:
        name = table.key[:31]
        while name.lower() in (taken.lower() for taken in names):
            name = f"{name[:27]}_{len(names)}"
        names.append(name)
    return names


def _sheet(table: Table) -> str:
    """Caption in row 1, heads in row 3, rows from row 4 on."""
    rows = [_row(1, [_inline("A1", table.caption, _TITLE)])]
    heads = [_inline(f"{_column(i)}3", column.label, _HEAD) for i, column in enumerate(table.columns)]
    rows.append(_row(3, heads))
    written = formulas(table, _address)
    for y, row in enumerate(table.rows):
        cells = [_cell(_address(x, y), cell, written.get((x, y))) for x, cell in enumerate(row)]
        rows.append(_row(y + 4, cells))
    if table.note:
        below = len(table.rows) + 5
        rows.append(_row(below, [_inline(f"A{below}", table.note, _TEXT)]))
    return (
        f'<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0"><pane ySplit="3" topLeftCell="A4" '
        f'activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><cols>{_widths(table)}</cols>'
        f"<sheetData>{''.join(rows)}</sheetData></worksheet>"
    )


def _address(x: int, y: int) -> str:
    """The cell of column `x` in the table's row `y`, both from 0."""
    return f"{_column(x)}{y + 4}"


def _column(index: int) -> str:
    name = ""
    index += 1
    while index:
        index, rest = divmod(index - 1, 26)
        name = chr(ord("A") + rest) + name
    return name


def _row(number: int, cells: list[str]) -> str:
    return f'<row r="{number}">{"".join(cells)}</row>'


def _cell(address: str, cell: Cell, formula: str | None) -> str:
    if cell is None:
        return ""
    if isinstance(cell, Number):
        value = plain_number(cell)
        style = _WHOLE if isinstance(value, int) and cell.unit not in ("GB", "GiB", "%") else _DECIMALS
        told = f"<f>{escape(formula)}</f>" if formula else ""
        return f'<c r="{address}" s="{style}">{told}<v>{value!r}</v></c>'
    return _inline(address, cell, _TEXT)


def _inline(address: str, text: str, style: int) -> str:
    """Text in the cell itself, so that it is text whatever it begins with."""
    plain = escape(text[:_LONGEST_TEXT])
    return f'<c r="{address}" s="{style}" t="inlineStr"><is><t xml:space="preserve">{plain}</t></is></c>'


def _widths(table: Table) -> str:
    widths = []
    for x, column in enumerate(table.columns):
        texts = [column.label, *(_text(row[x]) for row in table.rows)]
        wide = min(max(max(map(len, texts)) * 1.1 + 2, 8), 70)
        widths.append(f'<col min="{x + 1}" max="{x + 1}" width="{wide:.1f}" customWidth="1"/>')
    return "".join(widths)


def _text(cell: Cell) -> str:
    return cell.text if isinstance(cell, Number) else cell or ""


_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_REL = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"

_RELATIONS = (
    f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="rId1" Type="{_REL}/officeDocument" '
    'Target="xl/workbook.xml"/></Relationships>'
)

_STYLES = (
    f'<styleSheet xmlns="{_MAIN}"><numFmts count="1"><numFmt numFmtId="164" formatCode="#,##0.00"/></numFmts>'
    '<fonts count="3"><font><sz val="10"/><name val="Calibri"/></font>'
    '<font><b/><sz val="10"/><name val="Calibri"/></font>'
    '<font><b/><sz val="13"/><name val="Calibri"/></font></fonts>'
    '<fills count="3"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill>'
    '<fill><patternFill patternType="solid"><fgColor rgb="FFF1F4F6"/></patternFill></fill></fills>'
    '<borders count="1"><border><left/><right/><top/><bottom/><diagonal/></border></borders>'
    '<cellStyleXfs count="1"><xf numFmtId="0" fontId="0" fillId="0" borderId="0"/></cellStyleXfs><cellXfs count="6">'
    '<xf numFmtId="0" fontId="0" fillId="0" borderId="0" xfId="0"/>'
    '<xf numFmtId="0" fontId="1" fillId="2" borderId="0" xfId="0" applyFont="1" applyFill="1"/>'
    '<xf numFmtId="3" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>'
    '<xf numFmtId="164" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>'
    '<xf numFmtId="49" fontId="0" fillId="0" borderId="0" xfId="0" applyNumberFormat="1"/>'
    '<xf numFmtId="0" fontId="2" fillId="0" borderId="0" xfId="0" applyFont="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)


def _content_types(sheets: int) -> str:
    overrides = "".join(
        f'<Override PartName="/xl/worksheets/sheet{n}.xml" ContentType="{_TYPE}.worksheet+xml"/>'
        for n in range(1, sheets + 1)
    )
    return (
        f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="rels" '
        'ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/>{overrides}</Types>'
    )


def _workbook(names: list[str]) -> str:
    sheets = "".join(
        f'<sheet name={quoteattr(name)} sheetId="{n}" r:id="rId{n}"/>' for n, name in enumerate(names, start=1)
    )
    # Readers compute the formulas afresh when they open the file.
    return (
        f'<workbook xmlns="{_MAIN}" xmlns:r="{_REL}"><sheets>{sheets}</sheets><calcPr fullCalcOnLoad="1"/></workbook>'
    )


def _workbook_relations(sheets: int) -> str:
    relations = "".join(
        f'<Relationship Id="rId{n}" Type="{_REL}/worksheet" Target="worksheets/sheet{n}.xml"/>'
        for n in range(1, sheets + 1)
    )
    styles = f'<Relationship Id="rId{sheets + 1}" Type="{_REL}/styles" Target="styles.xml"/>'
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{relations}{styles}</Relationships>'
