"""What the pools of one pipeline stage hold."""

from kvdesk.core.growth import Growth, Term
from kvdesk.core.number_formats import NumberFormat
from kvdesk.core.values import dataclass
from kvdesk.engines.base import Question
from kvdesk.engines.common import Holding
from kvdesk.engines.plain import cache
from kvdesk.engines.sglang import pools, settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Fill:
    """One stage: its cells, the pools' capacities, and each pool with what one sequence needs of it.

    `logical` and `allocated` are bytes of one sequence on this stage by its tokens.
    """

    cell: pools.Cells
    pools: pools.Pools
    logical: Growth
    allocated: Growth
    holdings: tuple[Holding, ...]

    @property
    def sequences(self) -> int:
        """Whole sequences, of all data-parallel replicas together."""
        return min((holding.full_length_sequences for holding in self.holdings), default=0)

    def largest_context(self, ceiling: int) -> int:
        """The longest context at which the wanted sequences fit."""
        return min((holding.largest_context(ceiling) for holding in self.holdings), default=0)


def fill(question: Question, fmt: NumberFormat, stage: slice, options: pools.Options, size: int) -> Fill:
    """`size` bytes of pool on the stage that holds the layers `stage`."""
    geometry, layout = question.geometry, question.layout
    arguments = settings.arguments_of(question)
    split = settings.splits_windows(geometry, arguments)
    cell = pools.cells(geometry, fmt, layout.tp, stage, split_windows=split)
    if arguments.text("speculative_algorithm") not in ("", "ngram") and geometry.draft_layers:
        cell = pools.with_draft(cell, geometry.layers, geometry.draft_layers)
    found = pools.pools(cell, size, options)
    return Fill(
        cell=cell,
        pools=found,
        logical=cache.logical(geometry, fmt, layout, stage),
        allocated=pools.allocated(cell, options),
        holdings=_holdings(question, cell, found, options),
    )


def _holdings(question: Question, cell: pools.Cells, found: pools.Pools, options: pools.Options) -> tuple[Holding, ...]:
    page = options.page
    needs: list[tuple[int, Growth]] = []
    if cell.full or not cell.windowed:
        needs.append((found.tokens, Growth.of([Term(unit=page, step=page, up=True)])))
    if found.window_tokens is not None:
        needs.append((found.window_tokens, pools.window_need(cell, options)))
    if found.state_slots is not None:
        needs.append((found.state_slots, Growth.of([Term(fixed=options.slots_per_request)])))
        needs = needs if cell.full or cell.windowed else needs[1:]
    return tuple(
        Holding(allocated=need, pool=size, workload=question.workload, replicas=question.layout.dp, block=page)
        for size, need in needs
    )
