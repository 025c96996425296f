"""TensorRT-LLM's PyTorch backend as an engine profile: it was read, not run."""

from kvdesk.core import number_formats
from kvdesk.core.number_formats import NumberFormat
from kvdesk.engines import common, past_model
from kvdesk.engines.base import Answer, Question
from kvdesk.engines.tensorrt_llm import budget, constants, explain, lines, settings
from kvdesk.engines.tensorrt_llm.fill import Fill, fill
from kvdesk.engines.tensorrt_llm.settings import Settings


class TensorRtLlmEngine:
    """Answers what TensorRT-LLM would hold."""

    name = "tensorrt_llm"
    title = constants.TITLE
    versions = constants.VERSIONS

    def resolve_kv_dtype(self, question: Question) -> str:
        """The name of the cache's number format."""
        return settings.resolve(question)

    def answer(self, question: Question) -> Answer:
        """Size the question; raises `KvdeskError` for options, layouts and caches that are not known."""
        if (shorter := past_model.shortened(question)) is not None:
            return past_model.refused(self.answer(shorter), question, self.title)
        chosen = settings.read(question)
        common.refuse_dcp(question.layout, self.title)
        stages = common.check_layout(question.geometry, question.layout)
        fmt = number_formats.get(settings.resolve(question))
        settings.check_device(fmt.name, question)
        money = budget.of(question, chosen)
        fills = [fill(question, fmt, chosen, stage, money.pool) for stage in stages]
        return _answer(question, fmt, chosen, money, min(fills, key=lambda f: (f.sequences, f.tokens)))


def _answer(question: Question, fmt: NumberFormat, chosen: Settings, money: budget.Budget, filled: Fill) -> Answer:
    context = question.workload.context
    sequences = min(filled.sequences, chosen.batch * question.layout.dp)
    fits = sequences >= question.workload.sequences
    # States only: as many sequences as have a state, of any length.
    tokens = filled.tokens if filled.pools else sequences // question.layout.dp * context
    ceiling = question.geometry.max_context.value if question.geometry.max_context else 1 << 40
    longest = min((holding.largest_context(ceiling) for holding in filled.holdings), default=0)
    return Answer(
        device=question.device,
        layout=question.layout,
        kv_dtype=fmt.name,
        engine=TensorRtLlmEngine.name,
        engine_version=constants.VERSIONS[0],
        budget=(*money.lines, *lines.lines(question, chosen, money.pool, filled, tokens, sequences)),
        device_bytes=money.device,
        budget_bytes=money.budget,
        weights_bytes=money.weights,
        reserve_bytes=money.reserve,
        pool_bytes=money.pool,
        logical=filled.logical,
        allocated=filled.allocated,
        logical_bytes_per_sequence=filled.logical.at(context),
        allocated_bytes_per_sequence=filled.allocated.at(context),
        pool_tokens=tokens,
        full_length_sequences=sequences,
        max_concurrency=tokens / context,
        num_blocks=sum(pool.blocks for pool in filled.pools),
        block_size=chosen.block,
        max_context=longest if question.workload.sequences <= chosen.batch * question.layout.dp else 0,
        fits=fits,
        limit=None if fits else ("weights" if money.pool <= 0 else "kv"),
        reasons=explain.reasons(chosen, filled),
        findings=explain.findings(question, chosen, filled),
    )


ENGINE = TensorRtLlmEngine()
