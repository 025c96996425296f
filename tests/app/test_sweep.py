"""The curves of the plots at their edges: what does not fit, and what the engine refuses."""

import pytest

from kvdesk.app import lookup
from kvdesk.app.derive import Deriver
from kvdesk.app.results import OptionResult, Sizing
from kvdesk.app.session import GpuChoice, Session
from kvdesk.app.sweep import curve
from kvdesk.core.values import replace

TOO_LARGE = Session(model=lookup.load("qwen3-next-80b-a3b"), gpus=(GpuChoice(gpu="h100-sxm"),))
"""79.7 billion parameters of two bytes on 80 GB."""


def sized(session: Session) -> tuple[Sizing, OptionResult]:
    """The sizing and its one option."""
    sizing = Deriver().derive(session)
    (option,) = sizing.options
    return sizing, option


def test_the_capacity_of_what_does_not_fit_is_the_budget() -> None:
    sizing, option = sized(TOO_LARGE)
    found = curve(sizing, option, (1024, 2048))
    assert found
    # The textbook: 0.92 x 80 GB as marketed.
    assert found.capacity == 73_600_000_000
    assert found.base > found.capacity
    assert not found.crossing


@pytest.mark.parametrize("pool", [None, 10**10])
def test_what_the_engine_refuses_has_no_curve(pool: int | None) -> None:
    # vLLM has no q8_0 cache.
    asked = replace(TOO_LARGE, engine="vllm", kv_dtype="q8_0", pool_bytes=pool)
    sizing, option = sized(asked)
    assert option.answer
    assert option.answer.refused
    assert curve(sizing, option, (1024,)) is None
