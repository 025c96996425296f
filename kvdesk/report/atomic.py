"""Files replaced only as a whole."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from kvdesk.core.errors import KvdeskError


def write_bytes(path: Path, content: bytes) -> None:
    """Write beside the target and move into place, so that a reader sees the old file or the new one, never a part.

    A replaced file keeps its permissions, a link leads where it led. Raises `KvdeskError` (`cannot-write`) with the
    system's reason; the old file then stays as it was.
    """
    try:
        target = Path(os.path.realpath(path))
        if target.exists() and not target.is_file():
            # Moving a file over a device or a pipe would take its place; a folder cannot be replaced at all.
            raise _cannot(path, "It is not a file.")
        _replace(target, content)
    except OSError as error:
        raise _cannot(path, f"{error.strerror or type(error).__name__}.") from error


def _replace(target: Path, content: bytes) -> None:
    temporary = target.parent / f".{target.name[:40]}.{secrets.token_hex(6)}.part"
    try:
        # Opened like any new file of the user, so that it gets the permissions that those get.
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            temporary.chmod(target.stat().st_mode & 0o777)
        temporary.replace(target)
    except OSError:
        with suppress(OSError):
            temporary.unlink()
        raise


def _cannot(path: Path, why: str) -> KvdeskError:
    return KvdeskError(
        "cannot-write", f"“{path}” could not be written.", why, "Choose another folder or close the file."
    )
