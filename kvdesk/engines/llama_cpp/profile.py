"""llama.cpp as an engine profile: the context is chosen beforehand and allocated whole.

With more than one GPU the layers are split over them (`--split-mode layer`): TP x PP GPUs are that many stages.
"""

from collections.abc import Callable

from kvdesk.core import number_formats
from kvdesk.core.growth import Growth
from kvdesk.core.layout import Layout, pipeline_stages
from kvdesk.core.values import dataclass
from kvdesk.engines import common
from kvdesk.engines.base import Answer, Question
from kvdesk.engines.budgeting import count_line
from kvdesk.engines.llama_cpp import budget, cells, constants, explain, settings
from kvdesk.engines.llama_cpp.settings import Settings
from kvdesk.engines.plain import cache as textbook

_MOST_SEQUENCES = 1 << 20
_MOST_CELLS = 1 << 40


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
        holdings = [_Holding(question=question, settings=chosen, stage=s, pool=money.pool) for s in stages]
        fullest = min(holdings, key=lambda holding: (holding.sequences(), holding.tokens()))
        return _answer(question, chosen, money, fullest)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Holding:
    """What `pool` bytes hold of the layers of one GPU, for one replica."""

    question: Question
    settings: Settings
    stage: slice
    pool: int

    def cache(self, sequences: int) -> Growth:
        """Bytes by cells of one stream, with room for `sequences` sequences."""
        return cells.cache(self.question.geometry.layers[self.stage], self.settings.layout(sequences))

    def streams(self, sequences: int) -> tuple[int, int]:
        """Sequences that share one stream, and slots."""
        slots = self.settings.layout(sequences).slots
        return (sequences if self.settings.unified else 1), slots

    def holds(self, sequences: int, context: int) -> bool:
        """Whether `sequences` sequences of `context` tokens fit."""
        sharing, slots = self.streams(sequences)
        if sequences > slots:
            return False
        if self.settings.context is not None:
            stream, _ = cells.context_cells(self.settings.context, slots, unified=self.settings.unified)
            return stream >= sharing * context and self.cache(sequences).at(stream) <= self.pool
        return self.cache(sequences).at(sharing * context) <= self.pool

    def sequences(self) -> int:
        """The most sequences of the wanted context, all replicas together."""
        context = self.question.workload.context
        return _largest(lambda n: self.holds(n, context), _MOST_SEQUENCES) * self.question.layout.dp

    def largest_context(self, ceiling: int) -> int:
        """The longest context of the wanted sequences."""
        each = -(-self.question.workload.sequences // self.question.layout.dp)
        return _largest(lambda tokens: self.holds(each, tokens), ceiling)

    def tokens(self) -> int:
        """Cells of the context: as asked for, or the most that fit; 0 where it does not fit."""
        each = -(-self.question.workload.sequences // self.question.layout.dp)
        layout = self.settings.layout(each)
        cache = self.cache(each)
        if self.settings.context is not None:
            stream, streams = cells.context_cells(self.settings.context, layout.slots, unified=layout.unified)
            return stream * streams if cache.at(stream) <= self.pool else 0
        if not any(term.unit for term in cache.terms):
            # States only: as many sequences as fit, of any length.
            return self.sequences() // self.question.layout.dp * self.question.workload.context
        streams = 1 if layout.unified else layout.slots
        return cache.largest(self.pool, _MOST_CELLS) // constants.PADDING * constants.PADDING * streams


def _answer(question: Question, chosen: Settings, money: budget.Budget, holding: _Holding) -> Answer:
    context, wanted = question.workload.context, question.workload.sequences
    fmt = number_formats.get(chosen.keys.name)
    logical = textbook.logical(question.geometry, fmt, _one(question), holding.stage)
    allocated = holding.cache(1)
    tokens, sequences = holding.tokens(), holding.sequences()
    fits = sequences >= wanted
    ceiling = question.geometry.max_context.value if question.geometry.max_context else _MOST_CELLS
    lines = (
        count_line(
            "tokens", "N", "Cells of the context", tokens, unit="tokens", formula="largest n with cache(n) <= P"
        ),
        count_line(
            "sequences",
            "Q",
            f"Whole sequences of {context:,} tokens, all GPUs",
            sequences,
            unit="sequences",
            formula="largest number whose cells fit",
        ),
    )
    return Answer(
        device=question.device,
        layout=question.layout,
        kv_dtype=fmt.name,
        engine=LlamaCppEngine.name,
        engine_version=constants.VERSIONS[0],
        budget=(*money.lines, *lines),
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


def _largest(holds: Callable[[int], bool], ceiling: int) -> int:
    """The largest number up to `ceiling` that holds, 0 where 1 does not; `holds` must be falling."""
    if ceiling < 1 or not holds(1):
        return 0
    low, high = 1, 2
    while high <= ceiling and holds(high):
        low, high = high, high * 2
    high = min(high, ceiling + 1)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low


ENGINE = LlamaCppEngine()
