"""Cancel works at once at every stage of a look-up, and what it leaves behind ends."""

import threading
import time
from collections.abc import Callable

import pytest

from kvdesk.hub import client
from kvdesk.hub.cancel import Cancel, Cancelled
from kvdesk.hub.client.settings import Settings
from kvdesk.hub.refs import HubRef
from tests.support.fake_hub import FakeHub, Reply, Request, safetensors

NAME = "org/model"
HEADER, SIZE = safetensors({"a.weight": ("BF16", (4,), 8)})


@pytest.fixture
def slow(settings: Settings) -> Settings:
    """Limits that would let a hang take long."""
    return Settings(endpoint=settings.endpoint, cache=settings.cache, connect=5, read=5, total=10)


def hang_on(hub: FakeHub, part: str) -> Callable[[Request], Reply | None]:
    def fault(request: Request) -> Reply | None:
        if part in request.path:
            hub.hang(5)
        return None

    return fault


def nothing_but_suggestions(hub: FakeHub) -> Callable[[Request], Reply | None]:
    def fault(request: Request) -> Reply | None:
        if request.path == "/api/models":
            hub.hang(5)
        return Reply(status=404)

    return fault


STAGES: dict[str, Callable[[FakeHub], Callable[[Request], Reply | None]]] = {
    "list of files": lambda hub: hang_on(hub, "/api/models/"),
    "config": lambda hub: hang_on(hub, "config.json"),
    "side file": lambda hub: hang_on(hub, "hf_quant_config.json"),
    "headers": lambda hub: hang_on(hub, "/storage/"),
    "in the middle of an answer": lambda _: lambda _: Reply(body=b" " * 100, drip=1.0),
    "waiting to try again": lambda _: lambda _: Reply(status=429, headers={"Retry-After": "4"}),
    "suggestions": nothing_but_suggestions,
}


@pytest.mark.parametrize("stage", STAGES)
def test_at_every_stage(fake_hub: FakeHub, slow: Settings, stage: str) -> None:
    files = {"config.json": {}, "hf_quant_config.json": {}, "model.safetensors": HEADER}
    fake_hub.add(NAME, files, sizes={"model.safetensors": SIZE})
    fake_hub.fault = STAGES[stage](fake_hub)
    cancel = Cancel()
    moment: list[float] = []

    def press() -> None:
        moment.append(time.monotonic())
        cancel.set()

    timer = threading.Timer(0.4, press)
    timer.start()
    with pytest.raises(Cancelled):
        client.look_up(HubRef(NAME), cancel=cancel, settings=slow)
    assert time.monotonic() - moment[0] < 0.2
    timer.join()


def test_before_it_begins(fake_hub: FakeHub, slow: Settings) -> None:
    cancel = Cancel()
    cancel.set()
    cancel.set()
    with pytest.raises(Cancelled):
        client.look_up(HubRef(NAME), cancel=cancel, settings=slow)
    assert fake_hub.requests == []


def test_what_is_left_behind_ends(fake_hub: FakeHub, settings: Settings) -> None:
    fake_hub.add(NAME, {"config.json": {}})
    fake_hub.fault = hang_on(fake_hub, "/")
    before = threading.enumerate()
    cancel = Cancel()
    threading.Timer(0.1, cancel.set).start()
    with pytest.raises(Cancelled):
        client.look_up(HubRef(NAME), cancel=cancel, settings=settings)
    time.sleep(settings.read + 0.4)
    left = [thread for thread in threading.enumerate() if thread.name.startswith("hub-") and thread not in before]
    assert not left


def test_wakers_run_once_and_at_once() -> None:
    cancel = Cancel()
    woken: list[int] = []
    cancel.on_set(lambda: woken.append(1))
    cancel.set()
    cancel.set()
    cancel.on_set(lambda: woken.append(2))
    assert woken == [1, 2]
    assert cancel.is_set
    with pytest.raises(Cancelled):
        cancel.wait(5)


def test_a_defect_is_not_swallowed(fake_hub: FakeHub, slow: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    from kvdesk.hub.client import lookup

    def broken(*_: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr(lookup, "read_info", broken)
    fake_hub.add(NAME, {"config.json": {}})
    with pytest.raises(RuntimeError, match="a defect"):
        client.look_up(HubRef(NAME), settings=slow)
