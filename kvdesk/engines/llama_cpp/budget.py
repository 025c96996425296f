"""From the device to the bytes that a cache can have.

llama.cpp reads the free memory and allocates weights, cache and compute buffer; `--fit` leaves 1,024 MiB per device.
The compute buffer is found by reserving the largest graph, so its size is an estimate here: logits of one pass
and a few activations in F32, and the scores of every cell without flash attention.
"""

from kvdesk.core.budget import BudgetLine
from kvdesk.core.device import DeviceMemory
from kvdesk.core.layout import Layout
from kvdesk.core.sourced import Origin, Source
from kvdesk.core.values import dataclass
from kvdesk.engines import common, reserve, spread, writing
from kvdesk.engines.base import Question
from kvdesk.engines.budgeting import derived, device_line, pool_given, weights_line
from kvdesk.engines.llama_cpp import constants
from kvdesk.engines.llama_cpp.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Budget:
    """Bytes of one GPU; `pool` = `budget` - `weights` - `reserve`, at least 0."""

    device: int
    budget: int
    weights: int
    reserve: int
    pool: int
    lines: tuple[BudgetLine, ...]


def of(question: Question, settings: Settings, cells: int) -> Budget:
    """The budget of one GPU, for a context of about `cells` cells in all."""
    weights = _weights(question)
    if question.pool_bytes is not None:
        size, held_by_weights = question.pool_bytes, int(weights.value)
        total = common.known_memory(question.device, question.device_memory).value
        lines = (weights, *pool_given(size))
        whole = held_by_weights + size
        return Budget(device=total, budget=whole, weights=held_by_weights, reserve=0, pool=size, lines=lines)
    device = common.device_memory(question.device, question.device_memory or DeviceMemory.REPORTED)
    share = common.check_utilization(1.0 if question.utilization is None else question.utilization)
    budget = common.fraction_of(device.value, share)
    held = reserve.total(_terms(question, settings, cells), question)
    kept = int(held[-1].value)
    loaded = int(weights.value)
    pool = max(0, budget - loaded - kept)
    lines = (
        device_line(device),
        BudgetLine(
            key="utilization",
            symbol="u",
            label="Share of the device",
            value=share,
            unit="",
            source=Source(Origin.USER, "utilization")
            if question.utilization is not None
            else common.profile_source(constants.TITLE, constants.VERSIONS[0], "all of it, less the margin of --fit"),
        ),
        derived(
            "budget",
            "B",
            "Budget",
            budget,
            "B = floor(M × u)",
            f"floor({device.value:,} × {writing.number(share)})",
        ),
        weights,
        *held,
        derived(
            "pool",
            "P",
            "For the cache",
            pool,
            "P = max(0, B − W − R)",
            f"max(0; {budget:,} − {loaded:,} − {kept:,})",
        ),
    )
    return Budget(device=device.value, budget=budget, weights=loaded, reserve=kept, pool=pool, lines=lines)


def _weights(question: Question) -> BudgetLine:
    """Weights of one GPU: layers are split over all of them."""
    weights, split = question.weights, Layout(pp=question.layout.tp * question.layout.pp)
    measured = question.overrides.get("weights")
    if weights is None or measured is not None:
        return weights_line(question, measured or 0, ("", ""))
    layers = len(question.geometry.layers)
    size = spread.fullest_stage(weights, split, layers)
    return weights_line(question, size, spread.stage_written(weights, split, layers))


def _terms(question: Question, settings: Settings, cells: int) -> list[BudgetLine]:
    lines = [
        reserve.term("reserve.context", "R_ctx", "CUDA context", constants.CONTEXT, question),
        _compute(question, settings, cells),
    ]
    if settings.margin:
        lines.append(
            BudgetLine(
                key="reserve.margin",
                symbol="R_fit",
                label="Margin that --fit leaves",
                value=settings.margin,
                unit="B",
                source=common.profile_source(constants.TITLE, constants.VERSIONS[0], "common/fit.cpp, 1,024 MiB"),
            )
        )
    return lines


def _compute(question: Question, settings: Settings, cells: int) -> BudgetLine:
    geometry, batch = question.geometry, settings.ubatch
    size = batch * (geometry.vocab_size + 4 * geometry.hidden_size) * 4
    scores = 0 if settings.flash_attention else batch * geometry.query_heads * cells * 4
    formula = "R_cmp = ubatch × (vocabulary + 4 × hidden size) × 4"
    numbers = f"{batch:,} × ({geometry.vocab_size:,} + 4 × {geometry.hidden_size:,}) × 4"
    return BudgetLine(
        key="reserve.compute",
        symbol="R_cmp",
        label="Compute buffer",
        value=size + scores,
        unit="B",
        formula=formula + (" + ubatch × heads × cells × 4" if scores else ""),
        substituted=numbers + (f" + {batch:,} × {geometry.query_heads:,} × {cells:,} × 4" if scores else ""),
        source=Source(Origin.ESTIMATE, "logits of one pass in F32; no closed formula in the source"),
        low=(size + scores) // constants.COMPUTE_LOW,
        high=(size + scores) * constants.COMPUTE_HIGH,
    )
