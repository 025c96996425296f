"""SGLang 0.5.23 as an engine profile: it was read, not run; what it measures on the device is an estimate here."""

from kvdesk.core import number_formats
from kvdesk.core.number_formats import NumberFormat
from kvdesk.engines import common, past_model
from kvdesk.engines.base import Answer, Question
from kvdesk.engines.sglang import budget, constants, explain, lines, pools, settings
from kvdesk.engines.sglang.dtypes import check_device, resolve
from kvdesk.engines.sglang.fill import Fill, fill


class SglangEngine:
    """Answers what SGLang would hold."""

    name = "sglang"
    title = constants.TITLE
    versions = constants.VERSIONS

    def resolve_kv_dtype(self, question: Question) -> str:
        """The name of the number format of the pool."""
        return resolve(question, settings.arguments_of(question))

    def answer(self, question: Question) -> Answer:
        """Size the question; raises `KvdeskError` for options, layouts and caches that are not known."""
        # `configs/model_config.py` `_derive_context_length` ends with an error.
        if (shorter := past_model.shortened(question)) is not None:
            return past_model.refused(self.answer(shorter), question, self.title)
        arguments = settings.arguments_of(question)
        arguments.refuse_unknown(constants.USED | constants.NEUTRAL, self.title)
        fmt = number_formats.get(resolve(question, arguments))
        check_device(fmt.name, question)
        common.refuse_dcp(question.layout, self.title)
        stages = common.check_layout(question.geometry, question.layout)
        machine = settings.machine(question, arguments)
        fraction = settings.fraction(question, arguments, machine)
        drafts = arguments.text("speculative_algorithm") not in ("", "ngram")
        money = budget.of(question, fraction, draft=drafts)
        options = settings.options(question, arguments)
        fills = [fill(question, fmt, stage, options, money.pool) for stage in stages]
        return _answer(question, fmt, money, options, min(fills, key=lambda f: (f.sequences, f.pools.tokens)))


def _answer(
    question: Question, fmt: NumberFormat, money: budget.Budget, options: pools.Options, filled: Fill
) -> Answer:
    context, layout = question.workload.context, question.layout
    arguments = settings.arguments_of(question)
    limit = settings.running_limit(arguments, filled.pools, context, options.slots_per_request)
    running = limit * layout.dp
    sequences = min(filled.sequences, running)
    fits = sequences >= question.workload.sequences
    tokens = filled.pools.tokens if filled.cell.full or filled.cell.windowed else sequences // layout.dp * context
    ceiling = question.geometry.max_context.value if question.geometry.max_context else 1 << 40
    return Answer(
        device=question.device,
        layout=layout,
        kv_dtype=fmt.name,
        engine=SglangEngine.name,
        engine_version=constants.VERSIONS[0],
        budget=(
            *money.lines,
            *lines.lines(filled, options, money.pool),
            *lines.results(question, filled, options, tokens, sequences),
        ),
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
        num_blocks=filled.pools.tokens // options.page,
        block_size=options.page,
        max_context=filled.largest_context(ceiling) if question.workload.sequences <= running else 0,
        fits=fits,
        limit=None if fits else ("weights" if money.pool <= 0 else "kv"),
        reasons=explain.reasons(filled, options, context),
        findings=explain.findings(question, filled),
    )


ENGINE = SglangEngine()
