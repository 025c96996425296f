"""From the device to the pool: a fraction of what is free after loading and a dry run.

`pool = (total - peak) x free_gpu_memory_fraction`, peak = weights + activations + what lies outside torch. Source:
TensorRT-LLM `_util.py` at 00043967 `_cal_max_memory`.

Worked example (79.2 GiB total, peak 19 GiB, 0.9): (79.2 - 19) x 0.9 = 54.18 GiB.
"""

from kvdesk.core.budget import BudgetLine
from kvdesk.core.device import DeviceMemory
from kvdesk.core.sourced import Origin, Source
from kvdesk.core.values import dataclass
from kvdesk.engines import common, reserve, reserve_bands, spread, writing
from kvdesk.engines.base import Question
from kvdesk.engines.budgeting import derived, device_line, pool_given, weights_line
from kvdesk.engines.tensorrt_llm import constants
from kvdesk.engines.tensorrt_llm.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Bytes of one GPU; `pool` = `budget` - `weights` - `reserve`, at least 0."""

    device: int
    budget: int
    weights: int
    reserve: int
    pool: int
    lines: tuple[BudgetLine, ...]


def of(question: Question, settings: Settings) -> Budget:
    """The budget of `question`: what the fraction lets the engine use, that is the device less what stays free."""
    if question.pool_bytes is not None:
        size, weights = question.pool_bytes, spread.weights_on_rank(question)
        total = common.known_memory(question.device, question.device_memory).value
        lines = (weights_line(question, weights, spread.weights_written(question)), *pool_given(size))
        return Budget(device=total, budget=weights + size, weights=weights, reserve=0, pool=size, lines=lines)
    device = common.device_memory(question.device, question.device_memory or DeviceMemory.REPORTED)
    weights = spread.weights_on_rank(question)
    terms = _terms(question, settings)
    free = max(0, device.value - weights - int(terms[-1].value))
    kept = int(terms[-1].value)
    pool = common.fraction_of(free, settings.fraction)
    if settings.most_bytes is not None:
        pool = min(pool, settings.most_bytes)
    fraction_source = (
        Source(Origin.USER, "free_gpu_memory_fraction")
        if settings.fraction_typed
        else common.profile_source(constants.TITLE, constants.VERSIONS[0], "KvCacheConfig, default 0.9")
    )
    left = free - pool
    fraction = writing.number(settings.fraction)
    capped = settings.most_bytes is not None
    lines = (
        device_line(device),
        weights_line(question, weights, spread.weights_written(question)),
        *terms,
        derived(
            "free",
            "F",
            "Free after loading",
            free,
            "F = max(0, M − W − R)",
            f"max(0; {device.value:,} − {weights:,} − {kept:,})",
        ),
        BudgetLine(
            key="utilization",
            symbol="f",
            label="free_gpu_memory_fraction",
            value=settings.fraction,
            unit="",
            source=fraction_source,
        ),
        derived(
            "pool",
            "P",
            "KV pool",
            pool,
            "P = min(floor(F × f), max_gpu_total_bytes)" if capped else "P = floor(F × f)",
            f"min(floor({free:,} × {fraction}); {settings.most_bytes:,})"
            if capped
            else f"floor({free:,} × {fraction})",
        ),
        derived("left", "L", "Left free", left, "L = F − P", f"{free:,} − {pool:,}"),
        derived(
            "budget",
            "B",
            "Device without what is left free",
            device.value - left,
            "B = M − L",
            f"{device.value:,} − {left:,}",
        ),
    )
    budget = device.value - left
    return Budget(device=device.value, budget=budget, weights=weights, reserve=kept, pool=pool, lines=lines)


def _terms(question: Question, settings: Settings) -> tuple[BudgetLine, ...]:
    found = reserve.estimate(
        question,
        engine="tensorrt_llm",
        version=constants.VERSIONS[0],
        max_num_seqs=settings.batch,
        max_num_batched_tokens=settings.tokens_per_pass,
    )
    if question.reserve_bytes is not None:
        return found
    process = reserve.term("reserve.process", "R_prc", "CUDA context", reserve_bands.PROCESS_CONTEXT, question)
    return reserve.total([process, *found[:-1]], question)
