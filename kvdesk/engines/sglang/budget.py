"""From the device to the pool: SGLang's fraction is of what is free before the weights are loaded.

`kv_bytes = free_now - free_before_load x (1 - mem_fraction_static) - multimodal reservation`, that is
`free_before_load x fraction - weights - reservation`; activations and graphs live in the other part. Source: SGLang
0.5.23 `mem_cache/kv_cache_configurator.py` `_profile_available_bytes`.

Worked example (Llama 3.1 8B bf16 on an H100 with 79.2 GiB free before loading, fraction 0.830):
79.2 x 0.830 - 14.96 = 50.776 GiB; / 131,072 B = 415,956 tokens.
"""

from kvdesk.core.budget import BudgetLine
from kvdesk.core.device import DeviceMemory
from kvdesk.core.sourced import Origin, Source
from kvdesk.core.units import MIB
from kvdesk.core.values import dataclass
from kvdesk.engines import common, reserve, reserve_bands, spread, writing
from kvdesk.engines.base import Question
from kvdesk.engines.budgeting import derived, device_line, pool_given, weights_line
from kvdesk.engines.sglang import constants


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Bytes of one GPU; `pool` = `budget` - `weights` - `reserve`, at least 0."""

    device: int
    budget: int
    weights: int
    reserve: int
    pool: int
    lines: tuple[BudgetLine, ...]


def of(question: Question, fraction: BudgetLine, *, draft: bool) -> Budget:
    """The budget of `question` at a static fraction, in bytes; `draft` says that draft layers are loaded.

    Raises `UsageError` where no driver's figure of the device's memory is known.
    """
    if question.pool_bytes is not None:
        size, weights = question.pool_bytes, spread.weights_on_rank(question, draft=draft)
        total = common.known_memory(question.device, question.device_memory).value
        lines = (weights_line(question, weights, spread.weights_written(question, draft=draft)), *pool_given(size))
        return Budget(device=total, budget=weights + size, weights=weights, reserve=0, pool=size, lines=lines)
    device = common.device_memory(question.device, question.device_memory or DeviceMemory.REPORTED)
    before = _before(question)
    used = sum(int(line.value) for line in before)
    free = max(0, device.value - used)
    budget = common.fraction_of(free, float(fraction.value))
    weights = spread.weights_on_rank(question, draft=draft)
    held = _reserve(question)
    pool = max(0, budget - weights - int(held.value))
    lines = (
        device_line(device),
        *before,
        derived(
            "free", "F", "Free before the weights are loaded", free, _free_symbols(before), _free(device.value, before)
        ),
        fraction,
        derived(
            "budget",
            "B",
            "Static part",
            budget,
            "B = floor(F × f)",
            f"floor({free:,} × {writing.number(fraction.value)})",
        ),
        derived(
            "outside",
            "O",
            "Left outside for activations and graphs",
            free - budget,
            "O = F − B",
            f"{free:,} − {budget:,}",
        ),
        weights_line(question, weights, spread.weights_written(question, draft=draft)),
        held,
        derived(
            "pool",
            "P",
            "KV pool",
            pool,
            "P = max(0, B − W − R)",
            f"max(0; {budget:,} − {weights:,} − {int(held.value):,})",
        ),
    )
    return Budget(device=device.value, budget=budget, weights=weights, reserve=int(held.value), pool=pool, lines=lines)


def _free_symbols(before: list[BudgetLine]) -> str:
    return f"F = max(0, M − {' − '.join(line.symbol for line in before)})"


def _free(device: int, before: list[BudgetLine]) -> str:
    return f"max(0; {device:,} − {' − '.join(f'{int(line.value):,}' for line in before)})"


def _before(question: Question) -> list[BudgetLine]:
    """What is in use before loading: the context, and communication with more than one GPU."""
    layout = question.layout
    lines = [reserve.term("before.context", "U_ctx", "CUDA context", reserve_bands.PROCESS_CONTEXT, question)]
    if layout.gpus > 1:
        band = reserve_bands.PROCESS_COMMUNICATION
        lines.append(reserve.term("before.communication", "U_com", f"Communication of {layout}", band, question))
    return lines


def _reserve(question: Question) -> BudgetLine:
    multimodal = question.geometry.multimodal
    size = constants.MULTIMODAL_RESERVATION_MIB * MIB if multimodal else 0
    formula = "embedding cache of multimodal models" if multimodal else "nothing"
    source = Source(Origin.PROFILE, f"SGLang {constants.VERSIONS[0]} environ.py SGLANG_VLM_CACHE_SIZE_MB")
    if question.reserve_bytes is not None:
        size, source = question.reserve_bytes, Source(Origin.USER, "reserve")
        formula = "typed"
    elif "reserve" in question.overrides:
        size, source = question.overrides["reserve"], Source(Origin.MEASURED)
        formula = "measured"
    return BudgetLine(
        key="reserve",
        symbol="R",
        label="Held back inside the static part",
        value=size,
        unit="B",
        formula=formula,
        source=source,
    )
