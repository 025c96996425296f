"""Blocks of the textbook: every part of a layer rounded up to whole blocks of a fixed number of tokens."""

from math import lcm

from kvdesk.core.formulas import PartLine, part_line
from kvdesk.core.geometry import Geometry
from kvdesk.core.growth import Growth, Term
from kvdesk.core.layers import CachePart
from kvdesk.core.layout import Layout
from kvdesk.core.number_formats import NumberFormat
from kvdesk.core.values import dataclass
from kvdesk.engines import common

SPLIT_BY_DCP = frozenset({"full", "mla", "indexer", "compressed"})
"""Kinds whose tokens decode context parallelism divides; windows and states are kept whole (vLLM 0.33.0)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class OneSequence:
    """What one sequence takes on a GPU of the fullest pipeline stage, the one that holds the layers `stage`."""

    format: NumberFormat
    block: int
    stage: slice
    logical: Growth
    allocated: Growth


def one_sequence(geometry: Geometry, fmt: NumberFormat, layout: Layout, block: int, context: int) -> OneSequence:
    """One sequence on the stage that is fullest at `context` tokens; raises `UsageError` for an impossible layout."""
    stages = common.check_layout(geometry, layout)
    growths = [allocated(geometry, fmt, layout, stage, block) for stage in stages]
    stage, growth = max(zip(stages, growths, strict=True), key=lambda pair: pair[1].at(context))
    return OneSequence(
        format=fmt, block=block, stage=stage, logical=logical(geometry, fmt, layout, stage), allocated=growth
    )


def logical(geometry: Geometry, fmt: NumberFormat, layout: Layout, stage: slice) -> Growth:
    """Logical bytes of one sequence on one GPU of the pipeline stage that holds the layers `stage`."""
    return Growth.of(_parts(geometry, fmt, layout, stage, block=None))


def allocated(geometry: Geometry, fmt: NumberFormat, layout: Layout, stage: slice, block: int) -> Growth:
    """The same in whole blocks of `block` tokens.

    8,193 tokens in blocks of 16 take 513 blocks = 8,208 tokens.
    """
    return Growth.of(_parts(geometry, fmt, layout, stage, block=block))


def part_lines(
    geometry: Geometry, fmt: NumberFormat, layout: Layout, stage: slice, context: int
) -> tuple[PartLine, ...]:
    """The formula of each kind of part on one GPU with its numbers put in; their values add up to `logical`."""
    return tuple(
        part_line(part, count, fmt, -(-context // _token_ranks(part, fmt, layout)))
        for part, count in _on_rank(geometry, layout, stage)
    )


def _on_rank(geometry: Geometry, layout: Layout, stage: slice) -> tuple[tuple[CachePart, int], ...]:
    """Equal parts with their counts as one GPU of the stage keeps them.

    Ranks that share tokens hold the same heads: of TP 8 with DCP 2, heads are divided by 4. 8 KV heads: two heads of
    half the tokens on every rank, as much as one head of all tokens.
    """
    if layout.dcp == 1:
        return geometry.on_rank(layout.tp, stage)
    counts: dict[CachePart, int] = {}
    for layer in geometry.layers[stage]:
        for part in layer:
            mine = part.on_rank(layout.tp // layout.dcp if part.kind in SPLIT_BY_DCP else layout.tp)
            counts[mine] = counts.get(mine, 0) + 1
    return tuple(counts.items())


def _token_ranks(part: CachePart, fmt: NumberFormat, layout: Layout) -> int:
    """How many ranks share the tokens of `part`."""
    return layout.dcp if part.kind in SPLIT_BY_DCP and part.growth(fmt).cap is None else 1


def _parts(geometry: Geometry, fmt: NumberFormat, layout: Layout, stage: slice, block: int | None) -> list[Term]:
    terms = []
    for part, count in _on_rank(geometry, layout, stage):
        terms.append(_spread(part.growth(fmt).times(count), _token_ranks(part, fmt, layout), block))
    return terms


def _spread(term: Term, ranks: int, block: int | None) -> Term:
    """`term` with its tokens dealt out to `ranks` ranks, then rounded up to whole blocks."""
    if not term.unit or (ranks == 1 and block is None):
        return term
    step = term.step if block is None else lcm(term.step, block)
    return Term(fixed=term.fixed, unit=term.unit * (step // term.step), step=step * ranks, cap=term.cap, up=True)
