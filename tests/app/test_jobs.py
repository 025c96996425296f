"""Jobs: the newest wins, cancel works at once, defects are not swallowed, no thread stays."""

import queue
import threading
from collections.abc import Callable, Iterator
from functools import partial

import pytest

from kvdesk.app.jobs import Jobs
from kvdesk.core.errors import KvdeskError, UsageError
from kvdesk.hub.cancel import Cancel


class Owner:
    """Runs what jobs deliver on the test's thread."""

    def __init__(self) -> None:
        self._posted: queue.Queue[Callable[[], None]] = queue.Queue()
        self.jobs = Jobs(self._posted.put)
        self.done: list[object] = []
        self.failed: list[KvdeskError] = []

    def start(self, channel: str, work: Callable[[Cancel], object]) -> None:
        self.jobs.start(channel, work, self.done.append, self.failed.append)

    def turn(self) -> None:
        self._posted.get(timeout=5)()


@pytest.fixture
def owner() -> Iterator[Owner]:
    made = Owner()
    yield made
    assert made.jobs.close()


def test_a_result_arrives_on_the_owners_thread(owner: Owner) -> None:
    owner.start("a", lambda _: threading.current_thread().name)
    assert owner.done == []
    owner.turn()
    assert owner.done == ["kvdesk-a"]
    assert not owner.jobs.busy("a")


def test_an_error_arrives_as_it_was_raised(owner: Owner) -> None:
    def fail(_: Cancel) -> None:
        raise UsageError("code", "Title.")

    owner.start("a", fail)
    owner.turn()
    assert [error.code for error in owner.failed] == ["code"]


def test_the_newest_request_of_a_channel_wins_whatever_the_order_of_arrival(owner: Owner) -> None:
    gate = threading.Event()

    def slow(cancel: Cancel) -> str:
        gate.wait(5)
        return f"old, cancelled: {cancel.is_set}"

    owner.start("a", slow)
    owner.start("a", lambda _: "new")
    owner.turn()
    gate.set()
    owner.turn()
    assert owner.done == ["new"]


def test_channels_do_not_disturb_each_other(owner: Owner) -> None:
    owner.start("a", lambda _: "a")
    owner.start("b", lambda _: "b")
    owner.turn()
    owner.turn()
    assert sorted(map(str, owner.done)) == ["a", "b"]


def test_cancel_tells_the_work_and_drops_its_outcome(owner: Owner) -> None:
    told = threading.Event()

    def work(cancel: Cancel) -> None:
        cancel.on_set(told.set)
        told.wait(5)

    owner.start("a", work)
    assert owner.jobs.busy("a")
    assert owner.jobs.cancel("a")
    assert told.wait(5)
    owner.turn()
    assert (owner.done, owner.failed) == ([], [])
    assert not owner.jobs.cancel("a")


def test_a_defect_is_raised_on_the_owners_thread(owner: Owner) -> None:
    owner.start("a", lambda _: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        owner.turn()


def _number(number: int, _: Cancel) -> int:
    return number


def test_a_thousand_jobs_leave_no_thread(owner: Owner) -> None:
    before = threading.active_count()
    for number in range(1000):
        owner.start("a", partial(_number, number))
        owner.turn()
    assert owner.done == list(range(1000))
    assert owner.jobs.close()
    assert threading.active_count() <= before
