"""llama.cpp as an engine profile: the context is chosen beforehand and allocated whole.

With more than one GPU the layers are split over them (`--split-mode layer`): TP x PP GPUs are that many stages.
"""

from kvdesk.core import number_formats
from kvdesk.core.layout import Layout, pipeline_stages
from kvdesk.engines import common
from kvdesk.engines.base import Answer, Question
from kvdesk.engines.llama_cpp import budget, constants, explain, lines, settings
from kvdesk.engines.llama_cpp.holding import MOST_CELLS, Holding
from kvdesk.engines.llama_cpp.settings import Settings
from kvdesk.engines.plain import cache as textbook


class LlamaCppEngine:
    """Answers what llama.cpp would allocate."""

    name = "llama_cpp"
    title = constants.TITLE
    versions = constants.VERSIONS

    def resolve_kv_dtype(self, question: Question) -> str:
        """The format of K; V may have another."""
        return settings.formats(question)[0].name

    def answer(self, question: Question) -> Answer:
        """Size the question; raises `KvdeskError` for options, layouts and caches that are not known."""
        chosen = settings.read(question)
        common.refuse_dcp(question.layout, self.title)
        layout = question.layout
        stages = pipeline_stages(len(question.geometry.layers), layout.tp * layout.pp)
        context, sequences = question.workload.context, question.workload.sequences
        money = budget.of(question, chosen, chosen.context or context * sequences)
        holdings = [Holding(question=question, settings=chosen, stage=s, pool=money.pool) for s in stages]
        fullest = min(holdings, key=lambda holding: (holding.sequences(), holding.tokens()))
        return _answer(question, chosen, money, fullest)


def _answer(question: Question, chosen: Settings, money: budget.Budget, holding: Holding) -> Answer:
    context, wanted = question.workload.context, question.workload.sequences
    fmt = number_formats.get(chosen.keys.name)
    logical = textbook.logical(question.geometry, fmt, _one(question), holding.stage)
    allocated = holding.cache(1)
    tokens, sequences = holding.tokens(), holding.sequences()
    fits = sequences >= wanted
    ceiling = question.geometry.max_context.value if question.geometry.max_context else MOST_CELLS
    return Answer(
        device=question.device,
        layout=question.layout,
        kv_dtype=fmt.name,
        engine=LlamaCppEngine.name,
        engine_version=constants.VERSIONS[0],
        budget=(*money.lines, *lines.lines(holding, tokens, sequences)),
        device_bytes=money.device,
        budget_bytes=money.budget,
        weights_bytes=money.weights,
        reserve_bytes=money.reserve,
        pool_bytes=money.pool,
        logical=logical,
        allocated=allocated,
        logical_bytes_per_sequence=logical.at(context),
        allocated_bytes_per_sequence=allocated.at(context),
        pool_tokens=tokens,
        full_length_sequences=sequences,
        max_concurrency=tokens / context,
        num_blocks=None,
        block_size=None,
        max_context=holding.largest_context(ceiling),
        fits=fits,
        limit=None if fits else ("weights" if money.pool <= 0 else "kv"),
        reasons=explain.reasons(question, chosen),
        findings=explain.findings(question, chosen),
    )


def _one(question: Question) -> Layout:
    """The layout of one GPU's layers: heads are not divided."""
    return Layout(tp=1, pp=question.layout.tp * question.layout.pp, dp=question.layout.dp)


ENGINE = LlamaCppEngine()
