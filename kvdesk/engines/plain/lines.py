"""The lines of the textbook budget, each with formula, numbers put in and source."""

from typing import Protocol

from kvdesk.core.budget import BudgetLine
from kvdesk.core.sourced import Origin, Source, Sourced
from kvdesk.core.values import dataclass
from kvdesk.engines import writing
from kvdesk.engines.base import Question
from kvdesk.engines.budgeting import most_weights
from kvdesk.engines.common import Holding, profile_source
from kvdesk.engines.plain import cache, constants
from kvdesk.engines.plain.cache import OneSequence

_DERIVED = Source(Origin.DERIVED)


class Budget(Protocol):
    """The sums of one GPU, in bytes."""

    device: Sourced[int]
    utilization: float
    budget: int
    weights: int
    reserve: int
    pool: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """What the pool of the fullest GPU holds: one sequence there, and the results."""

    one: OneSequence
    holding: Holding
    tokens: int
    sequences: int


def budget_lines(question: Question, budget: Budget, held: Held) -> tuple[BudgetLine, ...]:
    """All lines in the order of the calculation."""
    return (
        *(_pool_given(budget) if question.pool_bytes is not None else _pool_lines(question, budget)),
        *_holding_lines(question, budget.pool, held),
    )


def _pool_given(budget: Budget) -> tuple[BudgetLine, ...]:
    return (
        BudgetLine(
            key="pool",
            symbol="P",
            label="KV pool",
            value=budget.pool,
            unit="B",
            formula="as given",
            source=Source(Origin.USER, "--pool-bytes"),
        ),
    )


def _pool_lines(question: Question, budget: Budget) -> tuple[BudgetLine, ...]:
    return (
        BudgetLine(
            key="device",
            symbol="M",
            label="Device memory",
            value=budget.device.value,
            unit="B",
            source=budget.device.source,
        ),
        BudgetLine(
            key="utilization",
            symbol="u",
            label="Utilization",
            value=budget.utilization,
            unit="",
            source=Source(Origin.USER, "--utilization")
            if question.utilization is not None
            else profile_source("Textbook", "", "default 0.92"),
        ),
        BudgetLine(
            key="budget",
            symbol="B",
            label="Budget",
            value=budget.budget,
            unit="B",
            formula="B = floor(M × u)",
            substituted=f"floor({budget.device.value:,} × {writing.number(budget.utilization)})",
            source=_DERIVED,
        ),
        _weights_line(question, budget.weights),
        _reserve_line(question, budget.reserve),
        BudgetLine(
            key="pool",
            symbol="P",
            label="KV pool",
            value=budget.pool,
            unit="B",
            formula="P = max(0, B − W − R)",
            substituted=f"max(0; {budget.budget:,} − {budget.weights:,} − {budget.reserve:,})",
            source=_DERIVED,
        ),
    )


def _weights_line(question: Question, size: int) -> BudgetLine:
    layout, weights = question.layout, question.weights
    if "weights" in question.overrides:
        source = Source(Origin.MEASURED, "typed over the estimate")
    else:
        source = weights.bytes.source if weights else Source(Origin.ESTIMATE, "unknown, counted as 0")
    whole, copied = (weights.bytes.value, weights.replicated_bytes) if weights else (0, 0)
    spread = layout.tp * layout.pp > 1 and "weights" not in question.overrides
    return BudgetLine(
        key="weights",
        symbol="W",
        label="Weights per GPU",
        value=size,
        unit="B",
        formula="W = ⌈copied / PP⌉ + ⌈(weights − copied) / (TP × PP)⌉" if spread else "W = weights",
        substituted=f"⌈{copied:,} / {layout.pp}⌉ + ⌈({whole:,} − {copied:,}) / ({layout.tp} × {layout.pp})⌉"
        if spread
        else "",
        source=source,
        low=size if most_weights(question, size) is not None else None,
        high=most_weights(question, size),
    )


def _reserve_line(question: Question, size: int) -> BudgetLine:
    typed = question.reserve_bytes is not None or "reserve" in question.overrides
    return BudgetLine(
        key="reserve",
        symbol="R",
        label="Reserve",
        value=size,
        unit="B",
        formula="R = held back for activations, graphs, communication",
        source=Source(Origin.USER, "--reserve")
        if typed
        else Source(Origin.ESTIMATE, "flat 3 GB, the textbook's guess"),
        low=None if typed else constants.RESERVE_LOW_BYTES,
        high=None if typed else constants.RESERVE_HIGH_BYTES,
    )


def _holding_lines(question: Question, pool: int, held: Held) -> tuple[BudgetLine, ...]:
    context, layout = question.workload.context, question.layout
    one = held.one
    size, blocks = one.logical.at(context), one.allocated.at(context)
    parts = cache.part_lines(question.geometry, one.format, layout, one.stage, context)
    per_sequence = "max(0, floor((P − X) / (A − X)))" if held.holding.prefix_bytes else "floor(P / A)"
    return (
        BudgetLine(
            key="sequence",
            symbol="S",
            label=f"One sequence of {context:,} tokens, logical",
            value=size,
            unit="B",
            formula="S = Σ over kinds of layer" if layout.dcp == 1 else "S = Σ over kinds of layer, T / DCP tokens",
            substituted=" + ".join(line.substituted for line in parts if line.value) or "0"
            if layout.dcp == 1
            else writing.growth(one.logical, context),
            source=_DERIVED,
        ),
        BudgetLine(
            key="allocated",
            symbol="A",
            label="The same in whole blocks",
            value=blocks,
            unit="B",
            formula=f"A = S with T rounded up to blocks of {held.holding.block:,} tokens",
            substituted=writing.growth(one.allocated, context),
            source=_DERIVED,
        ),
        BudgetLine(
            key="tokens",
            symbol="N",
            label="Tokens in the pool",
            value=held.tokens,
            unit="tokens",
            formula="N = floor(P × T / S)",
            substituted=f"floor({pool:,} × {context:,} / {size:,})" if size else "0",
            source=_DERIVED,
        ),
        *_prefix_line(held.holding),
        BudgetLine(
            key="sequences",
            symbol="Q",
            label=f"Whole sequences of {context:,} tokens, all GPUs",
            value=held.sequences,
            unit="sequences",
            formula=f"Q = {per_sequence} × DP",
            substituted=f"{writing.per_replica(held.holding)} × {layout.dp}",
            source=_DERIVED,
        ),
    )


def _prefix_line(holding: Holding) -> tuple[BudgetLine, ...]:
    """The shared prefix, where there is one that a whole block holds."""
    if not holding.prefix_bytes:
        return ()
    return (
        BudgetLine(
            key="prefix",
            symbol="X",
            label=f"Shared prefix of {holding.prefix_tokens:,} tokens, held once",
            value=holding.prefix_bytes,
            unit="B",
            formula="X = A at the prefix's whole blocks, layers that keep every token",
            substituted=writing.growth(holding.allocated.uncapped(), holding.prefix_tokens),
            source=_DERIVED,
        ),
    )
