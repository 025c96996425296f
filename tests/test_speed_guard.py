"""A coarse guard: fails when start-up or recompute doubles. Ratios of processor time, never seconds.

Both sides of a ratio run in turns on the same machine, and each counts with its best turn, since a busy machine can
only add to it. The table of `python -m tests.bench` is for exact figures.
"""

import sys
import time
from collections.abc import Callable

import pytest

from kvdesk.app import lookup
from kvdesk.app.derive import Deriver
from kvdesk.app.session import GpuChoice, Session
from kvdesk.core.values import replace

TURNS = 7
START = 8.8
"""`kvdesk size` of a local config costs 4.6 times as much as `python -c pass` (Python 3.11)."""
RECOMPUTE = 2.5
"""A hundred steps of four GPU options under vLLM cost 1.3 yardsticks (Python 3.11)."""
FIRST_FRAME = 2.8
"""The first frame of the window, with the sizing in it, costs 1.4 times as much as that of an empty one."""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="no processor time of child processes")
def test_start_up_has_not_doubled() -> None:
    from tests.bench.measure import environment, once
    from tests.bench.start import EMPTY, SIZE

    once(SIZE, environment())  # compiles what has changed
    turns = [(once(SIZE, environment())[1], once(EMPTY, environment())[1]) for _ in range(TURNS)]
    ratio = min(size for size, _ in turns) / min(empty for _, empty in turns)
    assert ratio < START, f"kvdesk size costs {ratio:.1f} empty interpreters; see python -m tests.bench --only start"


@pytest.mark.slow
def test_first_frame_has_not_doubled() -> None:
    from tests.bench.measure import printed_in_turns
    from tests.bench.window import EMPTY as EMPTY_WINDOW
    from tests.bench.window import OURS

    (ours, *_), (empty, _) = printed_in_turns(OURS, EMPTY_WINDOW, runs=3)
    ratio = ours / empty
    assert ratio < FIRST_FRAME, f"the first frame costs {ratio:.1f} empty ones; see python -m tests.bench --only window"


def test_recompute_has_not_doubled() -> None:
    session = Session(
        model=lookup.load("llama-3.1-8b"),
        gpus=tuple(GpuChoice(gpu=gpu) for gpu in ("h100-sxm", "h200-sxm", "l40s", "b200")),
        engine="vllm",
    )
    deriver = Deriver()
    assert all(option.answer for option in deriver.derive(session).options)
    turns = [(cpu(lambda: steps(deriver, session)), cpu(yardstick)) for _ in range(TURNS)]
    ratio = min(ours for ours, _ in turns) / min(theirs for _, theirs in turns)
    assert ratio < RECOMPUTE, f"a changed context costs {ratio:.2f} yardsticks; see python -m tests.bench --only window"


def steps(deriver: Deriver, session: Session) -> None:
    """A hundred changes of the context."""
    for step in range(100):
        deriver.derive(replace(session, context=8192 + step))


def yardstick() -> None:
    """Plain Python that does what a sizing does: small dicts, calls, integers, text."""
    kept: dict[int, int] = {}
    for number in range(75_000):
        kept[number % 97] = kept.get(number % 97, 0) + max(number, 3) // 2
        if number % 10 == 0:
            f"{number:,} x {kept[number % 97]:,}".split()


def cpu(function: Callable[[], None]) -> float:
    """Seconds of processor time of one call."""
    begun = time.process_time()
    function()
    return time.process_time() - begun
