"""What vLLM makes of a model, a GPU and its options before it knows how long sequences are.

A step of the context or of the number of sequences changes none of it, so what was worked out last is kept.
"""

from functools import cached_property, lru_cache

from kvdesk.core.errors import UsageError
from kvdesk.core.findings import Finding
from kvdesk.core.geometry import Layer
from kvdesk.core.growth import Growth, Term
from kvdesk.core.layers import Attention
from kvdesk.core.number_formats import NumberFormat
from kvdesk.core.values import replace
from kvdesk.engines.base import Question
from kvdesk.engines.vllm import (
    arguments,
    backends,
    block_size,
    groups,
    kv_dtype,
    pages,
    parallel,
    reasons,
    start_up,
    versions,
)
from kvdesk.engines.vllm.defaults import Batch
from kvdesk.engines.vllm.model import Model

SPLIT_BY_DCP = frozenset({"full", "mla", "indexer", "compressed"})
BOUNDARY = 2
"""Layers at either end that TurboQuant leaves in the model's format (`turboquant/config.py`, dense models only)."""
KEPT = 64
"""Starts that are kept: more than the options of all scenarios of a window."""


class Key:
    """A question as far as `parts` tell it apart; those that are named by `id` are alive as long as the question is."""

    __slots__ = ("parts", "question")

    def __init__(self, question: Question, *parts: object) -> None:
        self.question, self.parts = question, parts

    def __hash__(self) -> int:
        return hash(self.parts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Key) and self.parts == other.parts


class Start:
    """The layers that vLLM builds, their formats and blocks; each step is worked out once."""

    def __init__(self, question: Question, args: arguments.Arguments) -> None:
        self.geometry, self.device, self.layout = question.geometry, question.device, question.layout
        self.version, self.arguments = question.engine_version, args
        self.model = Model(self.geometry, self.device, args)
        asked = kv_dtype.asked(question.kv_dtype, args.kv_dtype)
        self.resolved = kv_dtype.resolve(asked, self.model, self.device)
        self.format, self.quantized = self.resolved.format, self.resolved.is_quantized

    @cached_property
    def rules(self) -> versions.Rules:
        """Of the version; raises `UsageError` as they do."""
        return versions.rules(self.version)

    @cached_property
    def is_latent(self) -> bool:
        """Whether the model keeps latents; some of those need buffers that grow with the longest sequence."""
        return self.geometry.is_latent

    @cached_property
    def layout_problems(self) -> tuple[Finding, ...]:
        """Why vLLM would not start with this layout."""
        return parallel.problems(self.model, self.layout, self.arguments.parallel)

    @cached_property
    def option_problems(self) -> tuple[Finding, ...]:
        """Why it would not start with these options, whatever the workload."""
        return tuple(start_up.problems(self.device, self.model, self.arguments, self.rules, self.resolved))

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
            found.setdefault(self.kind(number), []).append(number)
        return found

    def kind(self, number: int) -> tuple[int, bool]:
        """Equal for layers with equal pages."""
        return id(self.layers[number]), number in self.skipped

    @cached_property
    def blocks(self) -> block_size.Blocks:
        """Tokens per block."""
        asked = self.arguments
        backend = backends.pick(self.model, self.format, self.device, asked.attention_backend, asked.block_size)
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
                device=self.device,
                arguments=self.arguments,
                rules=self.rules,
                backend=backend,
                tp=self.layout.tp,
                prefix_caching=self.prefix_caching,
                skips=bool(self.skipped),
                first_skipped=0 in self.skipped,
            )
        )


class Allocation:
    """What one sequence takes at a start whose steps hold a batch."""

    def __init__(self, start: Start, batch: Batch) -> None:
        self._start, self._batch = start, batch
        self.plan = self._plan()
        self.allocated = self.plan.blocks.times(self.plan.bytes_per_block[self.plan.widest])
        """Bytes on the fullest GPU by tokens."""

    @cached_property
    def logical(self) -> Growth:
        """Logical bytes of one sequence on the fullest GPU."""
        start, layout = self._start, self._start.layout
        mine = parallel.stages(start.model, layout)[self.plan.widest]
        terms = []
        for numbers in start.kinds.values():
            count = sum(number in mine for number in numbers)
            for part in start.layers[numbers[0]] if count else ():
                term = part.on_rank(layout.tp).growth(start.format_of(numbers[0])).times(count)
                terms.append(_spread(term, layout.dcp if part.kind in SPLIT_BY_DCP else 1))
        return Growth.of(terms)

    @cached_property
    def reasons(self) -> tuple[str, ...]:
        """Why allocated differs from logical."""
        start, layout = self._start, self._start.layout
        heads = min((part.kv_heads for part in start.model.parts if isinstance(part, Attention)), default=0)
        return reasons.sentences(self.plan, start.blocks, self._batch.in_flight, layout.tp, layout.dcp, heads)

    def _plan(self) -> groups.Plan:
        """Groups, bytes per block and blocks per sequence."""
        start = self._start
        layout = pages.Layout(
            blocks=start.blocks,
            tp=start.layout.tp,
            dcp=start.layout.dcp,
            encoder_tokens=self._batch.tokens,
            lookahead=start.model.drafting.lookahead,
            index_format=start.model.format,
        )
        kept = {
            kind: tuple(pages.specs(start.layers[numbers[0]], start.format_of(numbers[0]), layout))
            for kind, numbers in start.kinds.items()
        }
        specs: dict[groups.Name, pages.Spec] = {
            (number, part): spec
            for number in range(len(start.layers))
            for part, spec in enumerate(kept[start.kind(number)])
        }
        speculation = start.arguments.speculation
        chunked = any(part.kind == "chunked" for part in start.model.parts)
        together = chunked and speculation is not None and speculation.reads_hidden_states
        hybrid = start.arguments.hybrid_manager and not together and not start.rules.windows_in_full
        found = groups.group(specs, start.rules, hybrid_manager=hybrid, packed=start.model.is_compressed)
        return groups.plan(found, parallel.stages(start.model, start.layout), self._batch.held)


def started(question: Question) -> Start:
    """The start of a question; raises `UsageError` for options that vLLM does not take."""
    parts = (id(question.geometry), id(question.device), question.layout, question.kv_dtype, question.engine_version)
    return _started(Key(question, *parts, repr(dict(question.arguments))))


@lru_cache(maxsize=KEPT)
def _started(key: Key) -> Start:
    return Start(key.question, arguments.parse(key.question.arguments))


@lru_cache(maxsize=KEPT)
def allocation(start: Start, batch: Batch) -> Allocation:
    """What one sequence takes there."""
    return Allocation(start, batch)


def _spread(term: Term, ranks: int) -> Term:
    """`term` with its tokens dealt out to `ranks` ranks, the fullest of which gets one more."""
    if ranks == 1 or not term.unit or term.cap is not None:
        return term
    return replace(term, step=term.step * ranks, up=True)
