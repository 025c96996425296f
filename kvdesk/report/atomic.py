"""Files replaced only as a whole."""

import os
import tempfile
from contextlib import suppress
from pathlib import Path

from kvdesk.core.errors import KvdeskError


def write_bytes(path: Path, content: bytes) -> None:
    """Write beside the target and move into place, so that a reader sees the old file or the new one, never a part.

    Raises `KvdeskError` (`cannot-write`) with the system's reason; the old file then stays as it was.
    """
    try:
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.", suffix=".part")
    except OSError as error:
        raise _cannot(path, error) from error
    temporary = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        # mkstemp makes private files; a report has the permissions that any new file of the user gets.
        temporary.chmod(_mode(path))
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        raise _cannot(path, error) from error


def _mode(path: Path) -> int:
    try:
        return path.stat().st_mode & 0o777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask


def _cannot(path: Path, error: OSError) -> KvdeskError:
    reason = error.strerror or type(error).__name__
    return KvdeskError(
        "cannot-write", f"“{path}” could not be written.", f"{reason}.", "Choose another folder or close the file."
    )
