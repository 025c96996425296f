"""Printing: JSON and aligned tables."""

import json
import sys
from collections.abc import Sequence

from kvdesk.core.json_value import JsonValue


def print_json(value: JsonValue) -> None:
    """One JSON value on standard output, keys in their own order."""
    sys.stdout.write(json.dumps(value, ensure_ascii=False, indent=2, allow_nan=False) + "\n")


def table(rows: Sequence[Sequence[str]], *, right: frozenset[int] = frozenset(), indent: str = "") -> str:
    """Rows as aligned text; the columns in `right` are right-aligned."""
    if not rows:
        return ""
    widths = [max(len(row[i]) if i < len(row) else 0 for row in rows) for i in range(max(map(len, rows)))]
    lines = []
    for row in rows:
        cells = [cell.rjust(widths[i]) if i in right else cell.ljust(widths[i]) for i, cell in enumerate(row)]
        lines.append((indent + "  ".join(cells)).rstrip())
    return "\n".join(lines)
