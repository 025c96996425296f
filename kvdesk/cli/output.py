"""Printing: JSON, text and aligned tables, on streams of any encoding or none."""

import io
import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import TextIO

from kvdesk.core.errors import KvdeskError
from kvdesk.core.json_value import JsonValue

_STEERING = (
    *range(9),
    *range(11, 32),
    *range(127, 160),
    0x200E,
    0x200F,
    *range(0x202A, 0x202F),
    *range(0x2066, 0x206A),
)
_SPELLED = {code: f"\\u{code:04x}" for code in _STEERING}
"""Characters that would steer a terminal or turn its writing direction; a file can hold them in any name."""


def prepare_streams() -> None:
    """Let every text be printed: signs that the terminal's encoding lacks are escaped; closed streams go nowhere."""
    if sys.stdout is None or sys.stderr is None:
        nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115, PTH123  # stays open until the end
        sys.stdout = sys.stdout or nowhere
        sys.stderr = sys.stderr or nowhere
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def print_json(value: JsonValue) -> None:
    """One JSON value on standard output, keys in their own order; in ASCII where the stream is not UTF-8.

    A lone surrogate, which is no character, comes out as backslash, u and its number, as JSON writes it.
    """
    plain = "utf" not in (getattr(sys.stdout, "encoding", None) or "utf-8").lower()
    _write(sys.stdout, json.dumps(value, ensure_ascii=plain, indent=2, allow_nan=False))


def say(text: str, *, error: bool = False) -> None:
    """Text on standard output or standard error; control characters, which come from files, are spelled out."""
    _write(sys.stderr if error else sys.stdout, text.translate(_SPELLED))


def silence() -> None:
    """Let nothing more be written where writing has failed, so that the program can end in order."""
    with suppress(OSError, ValueError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


def _write(stream: TextIO, text: str) -> None:
    """Raises `KvdeskError` (`cannot-print`) where the disk behind a redirected output is full."""
    try:
        stream.write(text + "\n")
        stream.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        silence()
        raise KvdeskError(
            "cannot-print", "The answer could not be written.", f"{error.strerror}.", "Make room where it goes."
        ) from error


WIDTH = 100
"""Columns that running text is wrapped to."""


def wrapped(text: str, *, indent: str = "", hanging: str = "", width: int = WIDTH) -> str:
    """Text broken at spaces so that lines stay within `width` where words allow it."""
    lines, line = [], indent
    for word in text.split():
        if line.strip() and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = hanging
        line = f"{line} {word}" if line.strip() else f"{line}{word}"
    return "\n".join([*lines, line])


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
