"""Files replaced only as a whole."""

import os
import secrets
from contextlib import suppress
from pathlib import Path

from kvdesk.core.errors import KvdeskError


def write_bytes(path: Path, content: bytes) -> None:
    """Write beside the target and move into place, so that a reader sees the old file or the new one, never a part.

    A replaced file keeps its permissions. Raises `KvdeskError` (`cannot-write`) with the system's reason; the old file
    then stays as it was.
    """
    temporary = path.parent / f".{path.name[:40]}.{secrets.token_hex(6)}.part"
    try:
        # Opened like any new file of the user, so that it gets the permissions that those get.
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileNotFoundError):
            temporary.chmod(path.stat().st_mode & 0o777)
        temporary.replace(path)
    except OSError as error:
        with suppress(OSError):
            temporary.unlink()
        reason = error.strerror or type(error).__name__
        raise KvdeskError(
            "cannot-write", f"“{path}” could not be written.", f"{reason}.", "Choose another folder or close the file."
        ) from error
