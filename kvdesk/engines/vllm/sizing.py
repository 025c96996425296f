"""One sizing: from what vLLM starts with through the pool to the answer."""

from collections.abc import Iterator
from functools import cached_property

from kvdesk.core.budget import BudgetLine, Lines
from kvdesk.core.findings import Finding
from kvdesk.core.values import replace
from kvdesk.engines.base import Answer, Question
from kvdesk.engines.common import Holding
from kvdesk.engines.vllm import budget, defaults, groups, notes
from kvdesk.engines.vllm.capacity import Capacity, blocks_of
from kvdesk.engines.vllm.lines import Stages, capacity_lines
from kvdesk.engines.vllm.start import Allocation, Start, allocation

NO_LIMIT = 1 << 40


class Sizing:
    """The steps of one answer, each worked out once."""

    def __init__(self, question: Question, start: Start, findings: tuple[Finding, ...]) -> None:
        self.question, self.start, self.found = question, start, findings
        self.rules, self.arguments, self.model = start.rules, start.arguments, start.model

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
    def allocation(self) -> Allocation:
        """What one sequence takes."""
        return allocation(self.start, self.batch)

    @property
    def plan(self) -> groups.Plan:
        """Groups, bytes per block and blocks per sequence."""
        return self.allocation.plan

    @cached_property
    def budget(self) -> budget.Budget:
        """The budget of the GPU."""
        return budget.budget(self.question, self.start, self.batch)

    @cached_property
    def capacity(self) -> Capacity:
        """What the pool holds."""
        found = Capacity(
            plan=self.plan,
            blocks=blocks_of(self.budget.pools, self.plan, self.arguments.blocks),
            max_model_len=self.max_model_len,
            block_tokens=self.start.blocks.tokens,
            in_flight=self.batch.held,
            null_block_checked=self.rules.null_block_checked,
        )
        if self.arguments.longest_that_fits and not found.starts:
            return replace(found, max_model_len=max(1, found.longest(self.max_model_len)))
        return found

    def answer(self) -> Answer:
        """The whole answer."""
        question, capacity = self.question, self.capacity
        context, replicas = question.workload.context, question.layout.dp
        holding = capacity.holding(question.workload, replicas, prefix_caching=self.start.prefix_caching)
        sequences = holding.full_length_sequences if capacity.starts else 0
        fits = capacity.starts and sequences >= question.workload.sequences
        limit = question.geometry.max_context
        ceiling = max(self.max_model_len, limit.value if limit else NO_LIMIT)
        logical, allocated, sums = self.allocation.logical, self.allocation.allocated, self.budget
        return Answer(
            device=question.device,
            layout=question.layout,
            kv_dtype=self.start.format.name,
            engine="vllm",
            engine_version=self.rules.version,
            budget=Lines(lambda: self._lines(holding, sequences), sums.estimates),
            device_bytes=sums.device,
            budget_bytes=sums.budget,
            weights_bytes=sums.weights,
            reserve_bytes=sums.reserve,
            pool_bytes=sums.pool,
            logical=logical,
            allocated=allocated,
            logical_bytes_per_sequence=logical.at(context),
            allocated_bytes_per_sequence=allocated.at(context),
            pool_tokens=capacity.tokens(self.rules, question.layout.dcp),
            full_length_sequences=sequences,
            max_concurrency=capacity.concurrency,
            num_blocks=capacity.blocks,
            block_size=self.start.blocks.tokens,
            max_context=holding.largest_context(ceiling),
            fits=fits,
            limit=None if fits else ("weights" if sums.pool <= 0 else "kv"),
            reasons=self.allocation.reasons,
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
            prefix_caching=self.start.prefix_caching,
            graphs=not self.arguments.eager,
        )
