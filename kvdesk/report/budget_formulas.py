"""Formulas for a spreadsheet: which cells of a table can be recomputed from its other cells."""

from collections.abc import Callable
from fractions import Fraction
from math import floor

from kvdesk.core.units import GB, GIB
from kvdesk.report.arithmetic import Node, recompute, spreadsheet
from kvdesk.report.blocks import Cell, Number, Table

Address = Callable[[int, int], str]


def formulas(table: Table, address: Address) -> dict[tuple[int, int], str]:
    """Formulas by (column, row) of the table, without their `=`; only those that give the printed value."""
    keys = [column.key for column in table.columns]
    found: dict[tuple[int, int], str] = {}
    if {"symbol", "formula", "numbers", "result", "gb", "gib"} <= set(keys):
        found.update(_budget(table, keys, address))
        found.update(_units(table, keys.index("result"), keys, address))
    elif {"bytes", "gb", "gib"} <= set(keys):
        found.update(_units(table, keys.index("bytes"), keys, address))
    return found


def _budget(table: Table, keys: list[str], address: Address) -> dict[tuple[int, int], str]:
    symbol, formula, numbers, result = (keys.index(key) for key in ("symbol", "formula", "numbers", "result"))
    values: dict[str, int | float] = dict(table.constants)
    cells: dict[str, str] = {}
    found: dict[tuple[int, int], str] = {}
    for y, row in enumerate(table.rows):
        figure, name = row[result], row[symbol]
        if not isinstance(figure, Number):
            continue
        for text in (row[formula], row[numbers]):
            written = _recomputed(text, figure, values, cells)
            if written:
                found[result, y] = written
                break
        if isinstance(name, str) and name.isidentifier():
            values[name], cells[name] = _as_number(figure), address(result, y)
    return found


def _recomputed(text: Cell, figure: Number, values: dict[str, int | float], cells: dict[str, str]) -> str | None:
    """The formula if its exact arithmetic gives the figure, as it stands or rounded down."""
    if not isinstance(text, str):
        return None
    node = recompute(text, values)
    if node is None or not node.arguments:
        return None
    printed = Fraction(str(figure.value))
    if node.value == printed:
        return spreadsheet(node, cells)
    if Fraction(floor(node.value)) == printed:
        return spreadsheet(Node("floor", (node,), printed), cells)
    return None


def _as_number(figure: Number) -> int | float:
    return figure.value if isinstance(figure.value, (int, float)) else float(figure.value)


def _units(table: Table, size: int, keys: list[str], address: Address) -> dict[tuple[int, int], str]:
    """GB and GiB as formulas of the bytes beside them."""
    found: dict[tuple[int, int], str] = {}
    for y, row in enumerate(table.rows):
        for key, factor in (("gb", GB), ("gib", GIB)):
            x = keys.index(key)
            if row[x] is not None and row[size] is not None:
                found[x, y] = f"{address(size, y)}/{factor}"
    return found
