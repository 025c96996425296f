"""The budget of one GPU in vLLM's order, with formulas and sources.

device memory x utilization, rounded up, - weights - reserve = pool. CUDA context and communication buffers that exist
before the weights are loaded are not charged (`v1/worker/gpu_worker.py` `determine_available_memory`).
"""

from functools import cached_property, lru_cache

from kvdesk.core.budget import BudgetLine, estimates
from kvdesk.core.device import DeviceMemory
from kvdesk.core.sourced import Origin, Source
from kvdesk.core.values import dataclass
from kvdesk.engines import common, reserve, writing
from kvdesk.engines.base import Question
from kvdesk.engines.budgeting import most_weights
from kvdesk.engines.vllm import weights as shares
from kvdesk.engines.vllm.arguments import Arguments
from kvdesk.engines.vllm.defaults import Batch
from kvdesk.engines.vllm.model import capability
from kvdesk.engines.vllm.start import KEPT, Key, Start

TITLE = "vLLM"
GIVEN = "as given"
_DERIVED = Source(Origin.DERIVED)


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """The sums of one GPU in bytes and the lines that explain them."""

    device: int
    budget: int
    weights: int
    reserve: int
    pool: int
    pools: tuple[int, ...]
    """The pool of each pipeline stage; `pool` is that of the stage with the most weights."""
    spared: tuple[int, ...]
    """Bytes of weights that each stage has less than the fullest one."""
    lines: tuple[BudgetLine, ...]

    @cached_property
    def estimates(self) -> tuple[BudgetLine, ...]:
        """The lines with a band; what follows from the pool is exact."""
        return estimates(self.lines)


def budget(question: Question, start: Start, batch: Batch) -> Budget:
    """The budget of `question`; a pool that is given replaces the sums but not the lines above it."""
    # Only the buffers of sparse latents and prompts read whole grow with the longest sequence.
    by_length = start.is_latent or not batch.chunked
    length = (start.arguments.max_model_len or question.workload.context) if by_length else None
    sizes = (question.utilization, question.reserve_bytes, question.device_memory, question.pool_bytes)
    return _kept(Key(question, id(question.weights), repr((*sizes, dict(question.overrides)))), start, batch, length)


@lru_cache(maxsize=KEPT)
def _kept(key: Key, start: Start, batch: Batch, length: int | None) -> Budget:
    question, model, arguments, rules = key.question, start.model, start.arguments, start.rules
    memory = (
        common.device_memory(question.device, question.device_memory or DeviceMemory.REPORTED)
        if question.pool_bytes is None
        else common.known_memory(question.device, question.device_memory)
    )
    asked = arguments.utilization if question.utilization is None else question.utilization
    utilization = common.check_utilization(rules.utilization if asked is None else asked)
    requested = common.fraction_of(memory.value, utilization, up=True)
    shared = shares.shares(question.weights, model, question.layout, rules) if question.weights else None
    weights = _weights(question, shared)
    held = _reserve(question, start, batch, length)
    kept = int(held[-1].value)
    pool = _pool(question, arguments, requested, int(weights.value), kept)
    # A stage without room keeps the engine from starting, whatever the others have.
    free = pool.formula != GIVEN and "weights" not in question.overrides and bool(pool.value)
    spared = (
        tuple(int(weights.value) - size for size in shared.stages) if shared and free else (0,) * question.layout.pp
    )
    return Budget(
        device=memory.value,
        budget=requested,
        weights=int(weights.value),
        reserve=kept,
        pool=int(pool.value),
        pools=tuple(int(pool.value) + more for more in spared),
        spared=spared,
        lines=(
            BudgetLine(
                key="device", symbol="M", label="Device memory", value=memory.value, unit="B", source=memory.source
            ),
            BudgetLine(
                key="utilization",
                symbol="u",
                label="gpu_memory_utilization",
                value=utilization,
                unit="",
                source=Source(Origin.USER, "utilization")
                if asked is not None
                else common.profile_source(TITLE, rules.version, f"default {rules.utilization:g}, config/cache.py"),
            ),
            BudgetLine(
                key="budget",
                symbol="B",
                label="Budget",
                value=requested,
                unit="B",
                formula="B = ⌈M × u⌉",
                substituted=f"⌈{memory.value:,} × {writing.number(utilization)}⌉",
                source=common.profile_source(TITLE, rules.version, "v1/worker/utils.py request_memory"),
            ),
            weights,
            *held,
            pool,
        ),
    )


def _weights(question: Question, held: shares.Shares | None) -> BudgetLine:
    weights, measured = question.weights, question.overrides.get("weights")
    if measured is not None:
        formula, numbers, source = "measured", "", Source(Origin.MEASURED)
    elif weights is None or held is None:
        formula, numbers, source = "", "", Source(Origin.ESTIMATE, "unknown, counted as 0")
    else:
        formula, numbers, source = held.formula, held.substituted, weights.bytes.source
    size = held.fullest if held else 0
    most = most_weights(question, size)
    return BudgetLine(
        key="weights",
        symbol="W",
        label="Weights per GPU",
        value=size if measured is None else measured,
        unit="B",
        formula=formula,
        substituted=numbers,
        source=source,
        low=None if most is None else size,
        high=most,
    )


def _reserve(question: Question, start: Start, batch: Batch, length: int | None) -> tuple[BudgetLine, ...]:
    model = start.model
    wide = "gptoss" in model.geometry.architecture.lower() or capability(question.device)[0] == 10
    return reserve.estimate(
        question,
        engine="vllm",
        version=start.rules.version,
        max_num_seqs=batch.sequences,
        max_num_batched_tokens=batch.tokens,
        max_model_len=length,
        chunked_prefill=batch.chunked,
        cuda_graphs=not start.arguments.eager,
        large_graphs=wide,
        speculative=bool(model.draft),
    )


def _pool(question: Question, arguments: Arguments, requested: int, weights: int, kept: int) -> BudgetLine:
    given = question.pool_bytes if question.pool_bytes is not None else question.overrides.get("pool")
    source = Source(Origin.USER, "--pool-bytes") if question.pool_bytes is not None else Source(Origin.MEASURED)
    if given is None and arguments.pool_bytes is not None:
        given, source = arguments.pool_bytes, Source(Origin.USER, "kv_cache_memory_bytes")
    return BudgetLine(
        key="pool",
        symbol="P",
        label="Available KV cache memory",
        value=max(0, requested - weights - kept) if given is None else given,
        unit="B",
        formula="P = max(0, B − W − R)" if given is None else GIVEN,
        substituted=f"max(0; {requested:,} − {weights:,} − {kept:,})" if given is None else "",
        source=_DERIVED if given is None else source,
    )
