"""What the pools of one pipeline stage hold."""

from kvdesk.core.growth import Growth, Term
from kvdesk.core.number_formats import NumberFormat
from kvdesk.core.values import dataclass
from kvdesk.engines.base import Question
from kvdesk.engines.common import Holding
from kvdesk.engines.plain import cache
from kvdesk.engines.tensorrt_llm.pools import Pool, Rank, pools, rank
from kvdesk.engines.tensorrt_llm.settings import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Fill:
    """One pipeline stage's pools; `state_slots` sequences have states."""

    rank: Rank
    pools: tuple[Pool, ...]
    state_slots: int | None
    holdings: tuple[Holding, ...]
    logical: Growth
    allocated: Growth

    @property
    def sequences(self) -> int:
        """Whole sequences of all replicas together."""
        return min((holding.full_length_sequences for holding in self.holdings), default=0)

    @property
    def tokens(self) -> int:
        """Tokens of the pool that holds every token, else of the smallest one."""
        whole = [pool.tokens for pool in self.pools if pool.window is None]
        return min(whole or [pool.tokens for pool in self.pools], default=0)


def fill(question: Question, fmt: NumberFormat, chosen: Settings, stage: slice, size: int) -> Fill:
    """`size` bytes of pool on the stage that holds the layers `stage`."""
    geometry, layout, workload = question.geometry, question.layout, question.workload
    found = rank(geometry.layers[stage], fmt, layout.tp, chosen.windows, stage.start)
    slots = None
    if found.state:
        slots = chosen.state_slots or -(-workload.sequences // layout.dp)
        size = max(0, size - slots * found.state)
    split = pools(found, size, chosen.block, most_tokens=chosen.most_tokens, context=workload.context)
    needs = [(pool.need(), pool.blocks, pool.block) for pool in split]
    if slots is not None:
        needs.append((Growth.of([Term(fixed=1)]), slots, 1))
    return Fill(
        rank=found,
        pools=split,
        state_slots=slots,
        holdings=tuple(
            Holding(allocated=need, pool=count, workload=workload, replicas=layout.dp, block=block)
            for need, count, block in needs
        ),
        logical=cache.logical(geometry, fmt, layout, stage),
        allocated=Growth.of([*(pool.need_bytes() for pool in split), Term(fixed=found.state)]),
    )
