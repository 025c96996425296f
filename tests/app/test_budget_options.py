"""The options of a budget mean the same for every engine."""

import pytest

from kvdesk.app import lookup
from kvdesk.app.derive import Deriver
from kvdesk.app.results import OptionResult
from kvdesk.app.session import GpuChoice, Session
from kvdesk.core.device import DeviceMemory
from kvdesk.core.values import replace
from kvdesk.engines.base import Answer

ENGINES = ("plain", "vllm", "sglang", "tensorrt_llm", "llama_cpp")
LLAMA = Session(model=lookup.from_card("llama-3.1-8b"), gpus=(GpuChoice(gpu="h100-sxm"),))
WEIGHTS = 16_060_522_496

pytestmark = pytest.mark.parametrize("engine", ENGINES)


def option(session: Session) -> OptionResult:
    return Deriver().derive(session).options[0]


def answer(session: Session) -> Answer:
    found = option(session).answer
    assert found is not None
    return found


def test_marketed_and_reported(engine: str) -> None:
    sized = {m: answer(replace(LLAMA, engine=engine, device_memory=m)).device_bytes for m in DeviceMemory}
    assert sized[DeviceMemory.MARKETED] == 80_000_000_000
    assert sized[DeviceMemory.REPORTED] > 80_000_000_000  # 81,559 MiB
    asked = DeviceMemory.MARKETED if engine == "plain" else DeviceMemory.REPORTED
    assert answer(replace(LLAMA, engine=engine)).device_bytes == sized[asked]


def test_a_typed_reserve_is_the_reserve(engine: str) -> None:
    found = answer(replace(LLAMA, engine=engine, reserve_bytes=5_000_000_000))
    assert found.reserve_bytes == 5_000_000_000
    assert found.pool_bytes == found.budget_bytes - found.weights_bytes - 5_000_000_000


def test_less_utilization_less_pool(engine: str) -> None:
    half, most = (answer(replace(LLAMA, engine=engine, utilization=share)) for share in (0.5, 0.9))
    assert half.pool_bytes < most.pool_bytes


def test_a_given_pool_replaces_the_budget(engine: str) -> None:
    """10 GiB hold 81,920 tokens of 131,072 B; vLLM cannot use one block of 16."""
    found = answer(replace(LLAMA, engine=engine, pool_bytes=10 << 30))
    assert found.pool_bytes == 10 << 30
    assert found.weights_bytes == WEIGHTS
    assert found.pool_tokens == 81_920
    assert found.full_length_sequences == (9 if engine == "vllm" else 10)


def test_a_given_pool_needs_no_driver(engine: str) -> None:
    """No driver's figure is known for these, which the message answers with --pool-bytes."""
    unknown = replace(LLAMA, engine=engine, gpus=(GpuChoice(gpu="apple-m2-ultra"),))
    assert (option(unknown).error is None) == (engine == "plain")
    assert answer(replace(unknown, pool_bytes=10 << 30)).pool_bytes == 10 << 30


def test_weights_in_another_format(engine: str) -> None:
    found = answer(replace(LLAMA, engine=engine, weights_dtype="fp8"))
    assert found.weights_bytes == 8_030_261_248


def test_weights_of_a_given_size(engine: str) -> None:
    assert answer(replace(LLAMA, engine=engine, weights_bytes=7_000_000_000)).weights_bytes == 7_000_000_000


def test_tokens_are_shared_where_the_engine_can(engine: str) -> None:
    found = option(replace(LLAMA, engine=engine, gpus=(GpuChoice(gpu="h100-sxm", count=16, tp=16, dcp=2),)))
    if engine in ("plain", "vllm"):
        assert found.answer is not None
        assert found.answer.logical_bytes_per_sequence == 8192 * 131_072 // 16
    else:
        assert found.error is not None
        assert found.error.code == "bad-layout"


def test_a_given_pool_keeps_its_weights_in_the_lines(engine: str) -> None:
    """Whatever lines there are, their weights are those of the answer."""
    found = answer(replace(LLAMA, engine=engine, pool_bytes=10 << 30))
    assert {line.value for line in found.budget if line.key == "weights"} <= {found.weights_bytes}
