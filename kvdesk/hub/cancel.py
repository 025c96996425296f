"""A look-up's Cancel button, as a value that the window sets and the look-up watches."""

import threading
from collections.abc import Callable

from kvdesk.core.errors import SourceError


class Cancelled(SourceError):
    """The look-up was cancelled; nothing has to be shown."""

    def __init__(self) -> None:
        super().__init__("cancelled", "The look-up was cancelled.")


class Cancel:
    """Set once, from any thread. What it stops registers how to be woken, so that Cancel works in mid-transfer."""

    def __init__(self) -> None:
        self._event = threading.Event()
        self._lock = threading.Lock()
        self._wakers: list[Callable[[], None]] = []

    def set(self) -> None:
        """Cancel; safe to call more than once."""
        self._event.set()
        with self._lock:
            wakers, self._wakers = self._wakers, []
        for wake in wakers:
            wake()

    @property
    def is_set(self) -> bool:
        """Whether it was cancelled."""
        return self._event.is_set()

    def check(self) -> None:
        """Raise `Cancelled` if it was."""
        if self._event.is_set():
            raise Cancelled

    def wait(self, seconds: float) -> None:
        """Wait, for at most `seconds`; raise `Cancelled` at once when it is cancelled."""
        if self._event.wait(seconds):
            raise Cancelled

    def on_set(self, wake: Callable[[], None]) -> None:
        """Call `wake` when it is cancelled, at once if it already was."""
        with self._lock:
            if not self._event.is_set():
                self._wakers.append(wake)
                return
        wake()
