"""The rows of the log panel: each figure of the log beside ours, and what was noted while reading it."""

from collections.abc import Sequence

from kvdesk.app.reconcile import Reconciliation
from kvdesk.app.reconcile_rows import Row as Compared
from kvdesk.core.findings import Finding
from kvdesk.gui import numbers
from kvdesk.gui.widgets.table import Cell, Row
from kvdesk.gui.wording import told

HEADER = ("Figure", "Log", "kvdesk", "Difference", "Line", "Reason")


def rows(found: Reconciliation, notes: Sequence[Finding], unit: str) -> list[Row]:
    """Figures first, then the notes."""
    return [*(_figure(row, unit) for row in found.rows), *(_note(note) for note in notes)]


def _figure(row: Compared, unit: str) -> Row:
    return (
        Cell(text=row.label, tip=row.text),
        Cell(text=_value(row.logged, row.unit, unit), right=True, tip=row.text),
        Cell(text=_value(row.ours, row.unit, unit), right=True, tone="strong"),
        Cell(text=_difference(row), right=True, tone="" if row.agrees else "bad"),
        Cell(text=numbers.integer(row.line), right=True, tone="dim", tip=row.text),
        Cell(text=numbers.localised(row.reason)),
    )


def _note(note: Finding) -> Row:
    nothing = Cell(text="", right=True)
    said = Cell(text=told(f"{note.text} {note.remedy}".strip()))
    return (Cell(text="Note", tone="dim"), nothing, nothing, nothing, nothing, said)


def _difference(row: Compared) -> str:
    if row.equal:
        return "="
    if row.difference is None:
        return ""
    return f"{'+' if row.difference > 0 else '−'}{numbers.percent(abs(row.difference), 2)}"


def _value(value: float, unit: str, shown: str) -> str:
    if unit == "B":
        return numbers.readable_size(int(value), shown)
    return f"{numbers.integer(value) if isinstance(value, int) else numbers.ratio(value)} {unit}".rstrip()
