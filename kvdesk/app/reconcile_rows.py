"""Rows of a reconciliation: a logged figure beside ours, with the span that ours can have."""

import math
from collections.abc import Sequence

from kvdesk.core.budget import BudgetLine
from kvdesk.core.values import dataclass
from kvdesk.engines.base import Answer
from kvdesk.engines.logs.record import FIGURES, EngineLog, Figure, unit_of

Number = int | float
Span = tuple[Number, Number, Number]
"""Ours, the least and the most it can be."""

PREDICTED = (
    "total_memory", "requested_memory", "weights", "consumed", "activation", "non_torch", "peak", "graphs",
    "available_kv",
)  # fmt: skip
"""Figures of the sizing from the device down: predictions."""

PLANNED = (
    "needed_kv", "block_size", "num_blocks", "kv_tokens", "window_tokens", "state_slots", "max_concurrency",
    "max_context",
)  # fmt: skip
"""Figures of the sizing with the printed KV memory: arithmetic, to be equal."""

NEAR = {
    "total_memory": 0.01, "requested_memory": 0.01, "weights": 0.03, "consumed": 0.03, "peak": 0.03,
    "available_kv": 0.001,
}  # fmt: skip
"""How far a prediction may lie outside of its band, as a share of the log's: what drivers keep, padding of weights, and
for what is left of them the rounding of the printed figures."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One figure of the log beside ours.

    `low` and `high` are what ours can be: the band of an estimate, or what the rounding of the printed KV memory
    allows. `equal` says that both are the same within the printed rounding, `inside` that the logged value lies in
    low..high. `line` and `text` are the log's. `exact` says that ours is arithmetic from what the log prints, no
    prediction; `known` is False where we have no such figure.
    """

    key: str
    label: str
    unit: str
    logged: Number
    ours: Number
    low: Number
    high: Number
    line: int
    text: str
    equal: bool
    inside: bool
    exact: bool = False
    known: bool = True
    reason: str = ""

    @property
    def difference(self) -> float | None:
        """(ours - logged) / logged; None where the log shows 0."""
        return self.ours / self.logged - 1 if self.logged else None

    @property
    def near(self) -> bool:
        """Whether a prediction is as close as the driver's share or the padding of weights lets it be."""
        return not self.exact and self.difference is not None and abs(self.difference) < NEAR.get(self.key, 0.0)

    @property
    def agrees(self) -> bool:
        """Whether nothing is to be explained: equal, inside the band, or near."""
        return self.equal or self.inside or self.near


def row(figure: Figure, key: str, span: Span | None, *, exact: bool) -> Row:
    """The row of one figure; equal where ours, at any point of an exact span, prints as the log does."""
    logged = figure.number
    ours, low, high = span or (0, 0, 0)
    step = figure.step
    equal = low - step <= logged <= high + step if exact or low == high else abs(ours - logged) <= step
    return Row(
        key=key,
        label=FIGURES.get(key, key),
        unit=unit_of(key),
        logged=logged,
        ours=ours,
        low=low,
        high=high,
        line=figure.line,
        text=figure.text,
        equal=span is not None and equal,
        inside=span is not None and low - step <= logged <= high + step,
        exact=exact,
        known=span is not None,
    )


def predicted(key: str, answer: Answer, log: EngineLog) -> Span | None:
    """Our prediction of a memory figure, with its band; None where this engine's budget has no such line."""
    lines = {line.key: line for line in answer.budget}
    graphs = _line(lines.get("reserve.graphs"))
    outside = _sum(_line(lines.get("reserve.context")), _line(lines.get("reserve.communication")))
    # Since 0.27 vLLM prints the activation peak with the estimate of graphs in it.
    inside = graphs if "consumed" in log.figures else None
    spans: dict[str, Span | None] = {
        "weights": _exact(answer.weights_bytes),
        "total_memory": _exact(answer.device_bytes),
        "requested_memory": _exact(answer.budget_bytes),
        "activation": _sum(_line(lines.get("reserve.activation")), inside),
        "graphs": graphs,
        "non_torch": outside,
        "consumed": _sum(_exact(answer.weights_bytes), outside, _line(lines.get("reserve.sampler_state"))),
        "peak": _sum(_exact(answer.weights_bytes), _line(lines.get("reserve.activation"))),
        "available_kv": _pool(answer, lines, log),
    }
    if log.engine == "tensorrt_llm":
        spans["peak"] = _sum(_exact(answer.weights_bytes), _line(lines.get("reserve")))
    return spans[key]


def planned(key: str, answers: Sequence[Answer]) -> Span | None:
    """Our figure at the printed KV memory, and the least and the most that its rounding allows."""
    values = [value for answer in answers if (value := _planned_value(key, answer)) is not None]
    if not values:
        return None
    return values[0], min(values), max(values)


def _planned_value(key: str, answer: Answer) -> Number | None:
    if key == "needed_kv":
        return answer.allocated_bytes_per_sequence
    direct: dict[str, Number | None] = {
        "num_blocks": answer.num_blocks,
        "block_size": answer.block_size,
        "kv_tokens": answer.pool_tokens,
        "max_concurrency": answer.max_concurrency,
        "max_context": answer.max_context,
    }
    if key in direct:
        return direct[key]
    line_key = {"state_slots": "slots"}.get(key, key)
    return next((line.value for line in answer.budget if line.key == line_key), None)


def _pool(answer: Answer, lines: dict[str, BudgetLine], log: EngineLog) -> Span | None:
    """The predicted pool with the band of its estimates; None where the weights leave none."""
    if answer.limit == "weights":
        return None
    if log.engine == "llama_cpp":
        # What is allocated for the context; recurrent states are printed apart.
        return _exact(answer.allocated_bytes_per_sequence - answer.allocated.fixed)
    if log.engine == "sglang" and "states" in log.figures:
        return None  # printed as two pools
    fraction = lines["utilization"].value if log.engine in ("sglang", "tensorrt_llm") and "utilization" in lines else 1
    estimates = [line for key, line in lines.items() if key == "reserve" or key.startswith("before.")]
    less = sum(line.high - int(line.value) for line in estimates if line.high is not None)
    more = sum(int(line.value) - line.low for line in estimates if line.low is not None)
    pool = answer.pool_bytes
    return pool, max(0, pool - math.ceil(less * fraction)), pool + math.ceil(more * fraction)


def _line(line: BudgetLine | None) -> Span | None:
    if line is None:
        return None
    low, high = line.low, line.high
    return line.value, line.value if low is None else low, line.value if high is None else high


def _sum(*spans: Span | None) -> Span | None:
    known = [span for span in spans if span is not None]
    if not known:
        return None
    return sum(s[0] for s in known), sum(s[1] for s in known), sum(s[2] for s in known)


def _exact(value: Number) -> Span:
    return value, value, value
