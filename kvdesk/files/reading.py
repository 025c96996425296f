"""Reading a file that somebody named: a bounded part of it, and never a wait without end.

What is named can be a pipe that nobody writes to, a terminal or a device that never ends.
"""

import errno
import os
import select
import stat
import sys
import time
from pathlib import Path

PATIENCE = 20.0
"""Seconds in which a pipe, such as the shell's `<(command)`, must have given all it has."""
_CHUNK = 1 << 20


def read_bounded(path: Path, limit: int) -> bytes:
    """The first `limit` bytes. Raises `OSError`, `TimeoutError` where a pipe gives nothing within `PATIENCE`."""
    if sys.platform == "win32":
        with path.open("rb") as file:
            return file.read(limit)
    # Without O_NONBLOCK opening a pipe already waits for somebody who writes.
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    try:
        if stat.S_ISREG(os.fstat(handle).st_mode):
            return _all(handle, limit)
        return _as_it_comes(handle, limit)
    finally:
        os.close(handle)


def _all(handle: int, limit: int) -> bytes:
    parts: list[bytes] = []
    while limit > 0 and (part := os.read(handle, min(limit, _CHUNK))):
        parts.append(part)
        limit -= len(part)
    return b"".join(parts)


def _as_it_comes(handle: int, limit: int) -> bytes:
    """From what may have nothing yet."""
    parts: list[bytes] = []
    deadline = time.monotonic() + PATIENCE
    while limit > 0:
        ready, _, _ = select.select([handle], [], [], max(0.0, deadline - time.monotonic()))
        if not ready:
            raise TimeoutError(errno.ETIMEDOUT, f"It did not come to an end within {PATIENCE:g} seconds")
        try:
            part = os.read(handle, min(limit, _CHUNK))
        except BlockingIOError:
            continue
        if not part:
            break
        parts.append(part)
        limit -= len(part)
    return b"".join(parts)
