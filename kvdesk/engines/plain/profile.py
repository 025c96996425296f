"""The textbook budget as an engine profile.

Worked example (Llama 3.1 8B, bf16, one 80 GB H100, 8,192 tokens): 80 GB x 0.92 = 73.6 GB; - 16,060,522,496 B of weights
- 3 GB reserve = 54,539,477,504 B; / 131,072 B per token = 416,103 tokens; / 8,192 = 50 sequences.
"""

from collections.abc import Mapping

from kvdesk.core import number_formats
from kvdesk.core.budget import Lines
from kvdesk.core.device import DeviceMemory
from kvdesk.core.errors import UsageError
from kvdesk.core.findings import Finding, warning
from kvdesk.core.geometry import Geometry
from kvdesk.core.growth import Growth
from kvdesk.core.json_value import JsonValue
from kvdesk.core.number_formats import NumberFormat
from kvdesk.engines import common
from kvdesk.engines.base import Answer, Question
from kvdesk.engines.plain import cache, constants
from kvdesk.engines.plain.cache import OneSequence
from kvdesk.engines.plain.lines import Held, budget_lines


class PlainEngine:
    """The textbook: no engine's rules, only the arithmetic that anybody can repeat."""

    name = "plain"
    title = "Textbook"
    versions = ("1",)

    def __init__(self) -> None:
        # The last sequence that was worked out: every GPU option of one model and layout asks for the same.
        self._last: tuple[Geometry, tuple[object, ...], OneSequence] | None = None

    def resolve_kv_dtype(self, question: Question) -> str:
        """What was asked for; with `auto` what the checkpoint asks for, else the model's own format."""
        if question.kv_dtype != "auto":
            return number_formats.get(question.kv_dtype).name
        asked = question.geometry.checkpoint_kv_dtype or question.geometry.model_dtype
        return number_formats.get(asked.value).name

    def answer(self, question: Question) -> Answer:
        """The budget of one GPU and what it holds."""
        block, findings = _block_tokens(question.arguments)
        geometry, layout, workload = question.geometry, question.layout, question.workload
        fmt = number_formats.get(self.resolve_kv_dtype(question))
        budget = _Budget(question)
        held = _held(question, self._one_sequence(question, fmt, block), budget.pool)
        fits = held.sequences >= workload.sequences
        ceiling = geometry.max_context.value if geometry.max_context else 1 << 40
        return Answer(
            device=question.device,
            layout=layout,
            kv_dtype=fmt.name,
            engine=self.name,
            engine_version=self.versions[0],
            budget=Lines(lambda: budget_lines(question, budget, held)),
            device_bytes=budget.device.value,
            budget_bytes=budget.budget,
            weights_bytes=budget.weights,
            reserve_bytes=budget.reserve,
            pool_bytes=budget.pool,
            logical=held.one.logical,
            allocated=held.one.allocated,
            logical_bytes_per_sequence=held.one.logical.at(workload.context),
            allocated_bytes_per_sequence=held.one.allocated.at(workload.context),
            pool_tokens=held.tokens,
            full_length_sequences=held.sequences,
            max_concurrency=held.tokens / workload.context,
            num_blocks=None,
            block_size=block,
            max_context=held.holding.largest_context(ceiling),
            fits=fits,
            limit=None if fits else ("weights" if budget.pool <= 0 else "kv"),
            reasons=_reasons(held, workload.context),
            findings=findings,
        )

    def _one_sequence(self, question: Question, fmt: NumberFormat, block: int) -> OneSequence:
        geometry, last = question.geometry, self._last
        key = (fmt, question.layout, block, question.workload.context)
        if last is None or last[0] is not geometry or last[1] != key:
            last = self._last = (geometry, key, cache.one_sequence(geometry, *key))
        return last[2]


class _Budget:
    """device x utilization - weights - reserve = pool, in bytes of one GPU."""

    def __init__(self, question: Question) -> None:
        self.device = common.device_memory(question.device, question.device_memory or DeviceMemory.MARKETED)
        self.utilization = common.check_utilization(
            constants.UTILIZATION if question.utilization is None else question.utilization
        )
        self.budget = common.fraction_of(self.device.value, self.utilization)
        layout = question.layout
        self.weights = question.weights.on_rank(layout.tp, layout.pp) if question.weights else 0
        self.weights = question.overrides.get("weights", self.weights)
        reserve = constants.RESERVE_BYTES if question.reserve_bytes is None else question.reserve_bytes
        self.reserve = question.overrides.get("reserve", reserve)
        self.pool = max(0, self.budget - self.weights - self.reserve)
        if question.pool_bytes is not None:
            self.pool = question.pool_bytes


def _held(question: Question, one: OneSequence, pool: int) -> Held:
    """How often one sequence on the fullest pipeline stage fits the pool."""
    holding = common.Holding(
        allocated=one.allocated,
        pool=pool,
        workload=question.workload,
        replicas=question.layout.dp,
        block=one.block,
    )
    return Held(
        one=one,
        holding=holding,
        tokens=_pool_tokens(pool, one.logical, question.workload.context),
        sequences=holding.full_length_sequences,
    )


def _block_tokens(arguments: Mapping[str, JsonValue]) -> tuple[int, tuple[Finding, ...]]:
    """Tokens per block, and a finding for each option that the textbook does not have."""
    block = arguments.get("block_size", constants.BLOCK_TOKENS)
    if not isinstance(block, int) or isinstance(block, bool) or not 1 <= block <= 1 << 20:
        raise UsageError("bad-engine-arg", "block_size must be a whole number of tokens, at least 1.")
    unknown = sorted(set(arguments) - {"block_size", "max_model_len"})
    return block, tuple(
        warning(
            "unknown-engine-arg",
            f"The textbook budget has no option “{key}”; it was not used.",
            "Choose an engine that has it.",
        )
        for key in unknown
    )


def _pool_tokens(pool: int, logical: Growth, context: int) -> int:
    """floor(pool / bytes per token), bytes per token being the mean over a sequence of `context` tokens."""
    size = logical.at(context)
    return pool * context // size if size else 0


def _reasons(held: Held, context: int) -> tuple[str, ...]:
    if held.one.allocated.at(context) == held.one.logical.at(context):
        return ()
    return (f"The last block of {held.holding.block:,} tokens is reserved whole.",)


ENGINE = PlainEngine()
