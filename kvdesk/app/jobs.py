"""Work beside the caller's thread: newest request wins, cancel works at once. Knows nothing of Qt.

A job belongs to a channel, such as "look-up". A newer job of the same channel, or `cancel`, makes an older one deaf: it
is told through its `Cancel` and whatever it still brings is dropped. Each running job has a thread of its own, so that
one that hangs in the network never holds up the next; the threads are daemons, so that none holds up the exit.
"""

import threading
from collections.abc import Callable
from typing import TypeVar

from kvdesk.core.errors import KvdeskError
from kvdesk.hub.cancel import Cancel

T = TypeVar("T")

Deliver = Callable[[Callable[[], None]], None]
"""Runs a function later on the thread that owns the results."""


class Jobs:
    """Starts jobs and hands their outcomes to the owner's thread by `deliver`."""

    def __init__(self, deliver: Deliver) -> None:
        self._deliver = deliver
        self._wanted: dict[str, Cancel] = {}
        self._threads: set[threading.Thread] = set()
        self._lock = threading.Lock()

    def start(
        self,
        channel: str,
        work: Callable[[Cancel], T],
        done: Callable[[T], None],
        failed: Callable[[KvdeskError], None],
    ) -> None:
        """Run `work` beside; then `done` with its result or `failed` with its error, on the owner's thread.

        Neither is called once a newer job of `channel` was started or the channel cancelled. An exception that is no
        `KvdeskError` is a defect: it is raised again on the owner's thread, where defects are reported.
        """
        self.cancel(channel)
        cancel = Cancel()
        self._wanted[channel] = cancel

        def finish(outcome: Callable[[], None]) -> None:
            if self._wanted.get(channel) is cancel:
                del self._wanted[channel]
                outcome()

        def run() -> None:
            outcome = _outcome(work, cancel, done, failed)
            with self._lock:
                self._threads.discard(threading.current_thread())
            self._deliver(lambda: finish(outcome))

        thread = threading.Thread(target=run, name=f"kvdesk-{channel}", daemon=True)
        with self._lock:
            self._threads.add(thread)
        thread.start()

    def cancel(self, channel: str) -> bool:
        """Drop the running job of `channel`; whether there was one."""
        cancel = self._wanted.pop(channel, None)
        if cancel is None:
            return False
        cancel.set()
        return True

    def busy(self, channel: str) -> bool:
        """Whether a wanted job of `channel` is running."""
        return channel in self._wanted

    def close(self, seconds: float = 2.0) -> bool:
        """Cancel everything and wait for the threads, at most `seconds` each; whether all have ended."""
        for channel in tuple(self._wanted):
            self.cancel(channel)
        with self._lock:
            threads = tuple(self._threads)
        for thread in threads:
            thread.join(seconds)
        return not any(thread.is_alive() for thread in threads)


def _outcome(
    work: Callable[[Cancel], T], cancel: Cancel, done: Callable[[T], None], failed: Callable[[KvdeskError], None]
) -> Callable[[], None]:
    try:
        result = work(cancel)
    except KvdeskError as error:
        refused = error
        return lambda: failed(refused)
    except BaseException as error:  # noqa: BLE001  # not swallowed: raised again where defects are reported
        defect = error

        def raise_again() -> None:
            raise defect

        return raise_again
    return lambda: done(result)
