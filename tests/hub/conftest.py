"""A loopback Hub for each test, and settings that point to it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from kvdesk.hub.client.settings import Settings
from tests.support.fake_hub import FakeHub, serve


@pytest.fixture
def fake_hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """A running Hub without repositories; HF_ENDPOINT names it."""
    from huggingface_hub.utils import close_session

    close_session()  # the session remembers the proxies of the test before
    with serve() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        yield hub
    close_session()


@pytest.fixture
def settings(fake_hub: FakeHub, tmp_path: Path) -> Settings:
    """Settings for that Hub with short limits, so that a test of a hang does not take long."""
    return Settings(
        endpoint=fake_hub.url, cache=tmp_path / "cache", connect=1.0, read=0.5, total=2.0, headers=3.0, backoff=0.05
    )
