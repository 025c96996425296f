"""A lock that a living process holds on a file. The system lets it go with the process, however that ends."""

import errno
import os
import sys
from pathlib import Path

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

_HELD = (errno.EACCES, errno.EAGAIN, errno.EDEADLK)


class Lock:
    """Held from `take` to `release`, or to the end of the process."""

    def __init__(self, handle: int) -> None:
        self._handle = handle

    def release(self) -> None:
        """Let go; the file stays."""
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def take(path: Path) -> Lock | None:
    """The lock, its file made where there is none; None while another holds it. Raises `OSError`.

    Where the file system knows no locks, everybody gets it.
    """
    handle = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_CLOEXEC", 0), 0o600)
    try:
        if sys.platform == "win32":
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        if error.errno in _HELD:
            os.close(handle)
            return None
    return Lock(handle)


def is_held(path: Path) -> bool:
    """Whether a living process holds the lock; a file that is not there or cannot be opened is held by nobody."""
    if not path.exists():
        return False
    try:
        lock = take(path)
    except OSError:
        return False
    if lock is None:
        return True
    lock.release()
    return False
