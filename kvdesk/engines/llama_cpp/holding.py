"""What a pool holds: llama.cpp allocates a context whole, so a number of sequences fits or does not."""

from collections.abc import Callable

from kvdesk.core.growth import Growth
from kvdesk.core.values import dataclass
from kvdesk.engines.base import Question
from kvdesk.engines.llama_cpp import cells, constants
from kvdesk.engines.llama_cpp.settings import Settings

MOST_SEQUENCES = 1 << 20
MOST_CELLS = 1 << 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
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
        stream = self.cells_of(sequences, context)
        return sequences <= slots and stream >= sharing * context and self.cache(sequences).at(stream) <= self.pool

    def cells_of(self, sequences: int, context: int | None = None) -> int:
        """Cells of one stream: of the context that was set, else as many as `sequences` sequences need."""
        sharing, slots = self.streams(sequences)
        if self.settings.context is None:
            return sharing * (self.question.workload.context if context is None else context)
        return cells.context_cells(self.settings.context, slots, unified=self.settings.unified)[0]

    def sequences(self) -> int:
        """The most sequences of the wanted context, all replicas together."""
        context = self.question.workload.context
        return _largest(lambda n: self.holds(n, context), MOST_SEQUENCES) * self.question.layout.dp

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
        return cache.largest(self.pool, MOST_CELLS) // constants.PADDING * constants.PADDING * streams


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
