"""Several network calls at once, left behind at once when they are cancelled.

A blocked socket cannot be interrupted portably. So the calls run in daemon threads, whose own timeouts end them, and
the caller waits for their results or for Cancel, whichever comes first.
"""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

from kvdesk.core.errors import KvdeskError, SourceError
from kvdesk.hub.cancel import Cancel, Cancelled

T = TypeVar("T")

_TICK = 0.2
"""Seconds between looks at the clock; on Windows a wait without an end cannot be interrupted from the keyboard."""


class Batch(Generic[T]):
    """Calls that share a few threads. Each ends in a result or in the `KvdeskError` that it raised."""

    def __init__(self, calls: Sequence[Callable[[], T]], width: int = 8) -> None:
        self._calls = calls
        self._outcomes: dict[int, T | KvdeskError] = {}
        self._defect: BaseException | None = None
        self._next = 0
        self._stopped = False
        self._changed = threading.Condition()
        self._width = min(width, len(calls))

    def run(self, cancel: Cancel, seconds: float) -> list[T | KvdeskError]:
        """Every call's outcome in order; raises `Cancelled`, or `SourceError` (`timeout`) after `seconds`."""
        cancel.check()
        cancel.on_set(self._wake)
        for number in range(self._width):
            threading.Thread(target=self._work, name=f"hub-{number}", daemon=True).start()
        end = time.monotonic() + seconds
        try:
            with self._changed:
                while len(self._outcomes) < len(self._calls) and self._defect is None:
                    if cancel.is_set:
                        raise Cancelled
                    if time.monotonic() > end:
                        raise timed_out(seconds)
                    self._changed.wait(_TICK)
        finally:
            self._stopped = True
        if self._defect is not None:
            raise self._defect
        return [self._outcomes[index] for index in range(len(self._calls))]

    def _work(self) -> None:
        while (index := self._take()) is not None:
            try:
                outcome: T | KvdeskError = self._calls[index]()
            except KvdeskError as error:
                outcome = error
            except BaseException as error:  # noqa: BLE001  # carried over to the caller's thread and raised there
                self._defect = error
                self._wake()
                return
            with self._changed:
                self._outcomes[index] = outcome
                self._changed.notify_all()

    def _take(self) -> int | None:
        with self._changed:
            if self._stopped or self._next >= len(self._calls):
                return None
            self._next += 1
            return self._next - 1

    def _wake(self) -> None:
        with self._changed:
            self._changed.notify_all()


def timed_out(seconds: float) -> SourceError:
    """The Hub did not answer within `seconds`."""
    return SourceError(
        "timeout",
        "The Hub did not answer in time.",
        f"It was given {seconds:.0f} seconds.",
        "Try again, or use a config.json that you have.",
    )
