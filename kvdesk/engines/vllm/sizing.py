"""One sizing: from a model's parts through specs, groups and blocks to the answer."""

from collections.abc import Iterator
from functools import cached_property

from kvdesk.core.budget import BudgetLine, Lines
from kvdesk.core.errors import UsageError
from kvdesk.core.findings import Finding
from kvdesk.core.geometry import Layer
from kvdesk.core.growth import Growth, Term
from kvdesk.core.layers import Attention
from kvdesk.core.number_formats import NumberFormat
from kvdesk.core.values import replace
from kvdesk.engines.base import Answer, Question
from kvdesk.engines.common import Holding
from kvdesk.engines.vllm import backends, block_size, budget, defaults, groups, notes, pages, parallel, reasons
from kvdesk.engines.vllm.arguments import Arguments
from kvdesk.engines.vllm.capacity import Capacity, blocks_of
from kvdesk.engines.vllm.kv_dtype import Resolved
from kvdesk.engines.vllm.lines import Stages, capacity_lines
from kvdesk.engines.vllm.model import Model
from kvdesk.engines.vllm.versions import Rules

SPLIT_BY_DCP = frozenset({"full", "mla", "indexer", "compressed"})
BOUNDARY = 2
"""Layers at either end that TurboQuant leaves in the model's format (`turboquant/config.py`, dense models only)."""
NO_LIMIT = 1 << 40


class Sizing:
    """The steps of one answer, each worked out once."""

    def __init__(
        self,
        question: Question,
        rules: Rules,
        arguments: Arguments,
        model: Model,
        resolved: Resolved,
        findings: tuple[Finding, ...],
    ) -> None:
        self.question, self.rules, self.arguments, self.model = question, rules, arguments, model
        self.format, self.quantized = resolved.format, resolved.is_quantized
        self.found = findings

    @cached_property
    def max_model_len(self) -> int:
        """Tokens of the longest sequence; with `auto` the model's own, which the pool then shortens."""
        limit = self.question.geometry.max_context
        if self.arguments.longest_that_fits and limit is not None:
            return limit.value
        return self.arguments.max_model_len or self.question.workload.context

    @cached_property
    def batch(self) -> defaults.Batch:
        """Tokens and sequences of one step."""
        return defaults.batch(
            self.question.device,
            self.arguments,
            self.rules,
            max_model_len=self.max_model_len,
            stages=self.question.layout.pp,
        )

    @cached_property
    def prefix_caching(self) -> bool:
        """On by default but for pure state-space and encoder-decoder models (`is_prefix_caching_supported`)."""
        asked = self.arguments.prefix_caching
        if asked is not None:
            return asked
        model = self.model
        if model.has_states:
            return model.is_hybrid and self.rules.hybrid_prefix_caching
        return not model.is_encoder_decoder

    @cached_property
    def skipped(self) -> frozenset[int]:
        """Numbers of the layers whose cache stays in the model's format though the cache is quantised."""
        if not self.quantized:
            return frozenset()
        count, names = len(self.model.layers), set(self.arguments.skip_layers)
        chosen = {int(name) for name in names if name.isdecimal()}
        if self.format.name.startswith("turboquant") and not self.model.is_hybrid:
            near = min(BOUNDARY, count // 2)
            chosen |= {*range(near), *range(count - near, count)}
        if "sliding_window" in names:
            layers = enumerate(self.model.layers)
            chosen |= {n for n, layer in layers if any(part.kind == "sliding" for part in layer)}
        return frozenset(chosen)

    def format_of(self, layer: int) -> NumberFormat:
        """The format of that layer's cache."""
        return self.model.format if layer in self.skipped else self.format

    @cached_property
    def layers(self) -> tuple[Layer, ...]:
        """All layers that vLLM builds, the draft's last."""
        return (*self.model.layers, *self.model.draft)

    @cached_property
    def kinds(self) -> dict[tuple[int, bool], list[int]]:
        """The numbers of the layers that are one object (`Geometry`) and whose caches have one format."""
        found: dict[tuple[int, bool], list[int]] = {}
        for number in range(len(self.layers)):
            found.setdefault(self._kind(number), []).append(number)
        return found

    def _kind(self, number: int) -> tuple[int, bool]:
        return id(self.layers[number]), number in self.skipped

    @cached_property
    def blocks(self) -> block_size.Blocks:
        """Tokens per block."""
        asked = self.arguments
        backend = backends.pick(
            self.model, self.format, self.question.device, asked.attention_backend, asked.block_size
        )
        if backend is None:
            raise UsageError(
                "bad-engine-arg",
                f"No attention backend of vLLM takes blocks of {asked.block_size:,} tokens for this model.",
                "",
                "Leave block_size out, or use a multiple of 64 (DeepSeek-V4: 256, MiniMax-M3: 128).",
            )
        return block_size.choose(
            block_size.Setting(
                model=self.model,
                format=self.format,
                device=self.question.device,
                arguments=self.arguments,
                rules=self.rules,
                backend=backend,
                tp=self.question.layout.tp,
                prefix_caching=self.prefix_caching,
                skips=bool(self.skipped),
                first_skipped=0 in self.skipped,
            )
        )

    @cached_property
    def plan(self) -> groups.Plan:
        """Groups, bytes per block and blocks per sequence."""
        layout = pages.Layout(
            blocks=self.blocks,
            tp=self.question.layout.tp,
            dcp=self.question.layout.dcp,
            encoder_tokens=self.batch.tokens,
            lookahead=self.model.drafting.lookahead,
            index_format=self.model.format,
        )
        kept = {
            kind: tuple(pages.specs(self.layers[numbers[0]], self.format_of(numbers[0]), layout))
            for kind, numbers in self.kinds.items()
        }
        specs: dict[groups.Name, pages.Spec] = {
            (number, part): spec
            for number in range(len(self.layers))
            for part, spec in enumerate(kept[self._kind(number)])
        }
        speculation = self.arguments.speculation
        chunked = any(part.kind == "chunked" for part in self.model.parts)
        together = chunked and speculation is not None and speculation.reads_hidden_states
        hybrid = self.arguments.hybrid_manager and not together and not self.rules.windows_in_full
        found = groups.group(specs, self.rules, hybrid_manager=hybrid, packed=self.model.is_compressed)
        return groups.plan(found, parallel.stages(self.model, self.question.layout), self.batch.held)

    @cached_property
    def budget(self) -> budget.Budget:
        """The budget of the GPU."""
        return budget.budget(self.question, self.model, self.arguments, self.rules, self.batch)

    @cached_property
    def capacity(self) -> Capacity:
        """What the pool holds."""
        found = Capacity(
            plan=self.plan,
            blocks=blocks_of(self.budget.pools, self.plan, self.arguments.blocks),
            max_model_len=self.max_model_len,
            block_tokens=self.blocks.tokens,
            in_flight=self.batch.held,
            null_block_checked=self.rules.null_block_checked,
        )
        if self.arguments.longest_that_fits and not found.starts:
            return replace(found, max_model_len=max(1, found.longest(self.max_model_len)))
        return found

    @cached_property
    def logical(self) -> Growth:
        """Logical bytes of one sequence on the fullest GPU."""
        layout = self.question.layout
        mine = parallel.stages(self.model, layout)[self.plan.widest]
        terms = []
        for numbers in self.kinds.values():
            count = sum(number in mine for number in numbers)
            for part in self.layers[numbers[0]] if count else ():
                term = part.on_rank(layout.tp).growth(self.format_of(numbers[0])).times(count)
                terms.append(_spread(term, layout.dcp if part.kind in SPLIT_BY_DCP else 1))
        return Growth.of(terms)

    def answer(self) -> Answer:
        """The whole answer."""
        question, capacity, plan = self.question, self.capacity, self.plan
        context, replicas = question.workload.context, question.layout.dp
        holding = capacity.holding(question.workload, replicas, prefix_caching=self.prefix_caching)
        sequences = holding.full_length_sequences if capacity.starts else 0
        fits = capacity.starts and sequences >= question.workload.sequences
        limit = question.geometry.max_context
        ceiling = max(self.max_model_len, limit.value if limit else NO_LIMIT)
        width = plan.bytes_per_block[plan.widest]
        allocated = plan.blocks.times(width)
        sums = self.budget
        return Answer(
            device=question.device,
            layout=question.layout,
            kv_dtype=self.format.name,
            engine="vllm",
            engine_version=self.rules.version,
            budget=Lines(lambda: self._lines(holding, sequences)),
            device_bytes=sums.device,
            budget_bytes=sums.budget,
            weights_bytes=sums.weights,
            reserve_bytes=sums.reserve,
            pool_bytes=sums.pool,
            logical=self.logical,
            allocated=allocated,
            logical_bytes_per_sequence=self.logical.at(context),
            allocated_bytes_per_sequence=allocated.at(context),
            pool_tokens=capacity.tokens(self.rules, question.layout.dcp),
            full_length_sequences=sequences,
            max_concurrency=capacity.concurrency,
            num_blocks=capacity.blocks,
            block_size=self.blocks.tokens,
            max_context=holding.largest_context(ceiling),
            fits=fits,
            limit=None if fits else ("weights" if sums.pool <= 0 else "kv"),
            reasons=self._reasons(),
            findings=(*self.found, *self._findings()),
        )

    def _lines(self, holding: Holding, sequences: int) -> tuple[BudgetLine, ...]:
        sums = self.budget
        stages = Stages(pool=sums.pool, spared=sums.spared, given=self.arguments.blocks is not None)
        shards = self.question.layout.dcp
        found = capacity_lines(self.capacity, self.rules, stages, holding, shards=shards, sequences=sequences)
        return (*sums.lines, *found)

    def _findings(self) -> Iterator[Finding]:
        return notes.of_sizing(
            self.question,
            self.model,
            self.rules,
            self.batch,
            self.capacity,
            prefix_caching=self.prefix_caching,
            graphs=not self.arguments.eager,
        )

    def _reasons(self) -> tuple[str, ...]:
        heads = min((part.kv_heads for part in self.model.parts if isinstance(part, Attention)), default=0)
        layout = self.question.layout
        return reasons.sentences(self.plan, self.blocks, self.batch.in_flight, layout.tp, layout.dcp, heads)


def _spread(term: Term, ranks: int) -> Term:
    """`term` with its tokens dealt out to `ranks` ranks, the fullest of which gets one more."""
    if ranks == 1 or not term.unit or term.cap is not None:
        return term
    return replace(term, step=term.step * ranks, up=True)
