"""What is exact and what is estimated, with low, expected and high."""

from collections.abc import Iterable

from kvdesk.core.budget import BudgetLine
from kvdesk.report.blocks import Block, Cell, Column, Kind, Paragraph, Section, Table
from kvdesk.report.inputs import Band, ReportInput
from kvdesk.report.numbers import gb, letters, whole

_EXACT = (
    "Exact: the logical bytes of the cache, since they follow from the model’s configuration by arithmetic; every "
    "line of the budget marked “=”, given the lines before it. Estimated: the lines below, marked “≈”. Assumed: that "
    "the device gives the memory stated and that nothing else uses it."
)


def section(report: ReportInput) -> Section | None:
    """None where no option was sized."""
    sized = [(letters(i), option) for i, option in enumerate(report.options) if option.answer]
    if not sized:
        return None
    estimates = _merged(
        (letter, line)
        for letter, option in sized
        for line in (option.answer.budget if option.answer else ())
        if not line.exact
    )
    blocks: list[Block] = [Paragraph(text=_EXACT)]
    if estimates:
        blocks.append(_estimates(estimates))
    else:
        blocks.append(Paragraph(text="No line of these budgets is an estimate."))
    bands = tuple(_band(letter, option.band) for letter, option in sized if option.band)
    if bands:
        blocks.append(_bands(bands))
    return Section(key="certainty", title="Exact and estimated", blocks=tuple(blocks))


def _merged(lines: Iterable[tuple[str, BudgetLine]]) -> list[tuple[Cell, ...]]:
    """A row for each estimate, those that are the same for several options once, in order of first appearance."""
    options_of: dict[BudgetLine, list[str]] = {}
    for letter, line in lines:
        options_of.setdefault(line, []).append(letter)
    return [_estimate(", ".join(names), line) for line, names in options_of.items()]


def _estimate(letter: str, line: BudgetLine) -> tuple[Cell, ...]:
    expected = int(line.value)
    low = line.low if line.low is not None else expected
    high = line.high if line.high is not None else expected
    figures = (cell for size in (low, expected, high) for cell in (whole(size, "B"), gb(size)))
    return (letter, line.label, str(line.source), *figures)


def _estimates(rows: list[tuple[Cell, ...]]) -> Table:
    return Table(
        key="estimates",
        caption="Estimated lines",
        columns=(
            Column(key="option", title="Option"),
            Column(key="line", title="Line", share=1),
            Column(key="source", title="source", under="line"),
            Column(key="low", title="Low,\nB", kind=Kind.NUMBER),
            Column(key="low_gb", title="GB", kind=Kind.NUMBER),
            Column(key="expected", title="Expected,\nB", kind=Kind.NUMBER),
            Column(key="expected_gb", title="GB", kind=Kind.NUMBER),
            Column(key="high", title="High,\nB", kind=Kind.NUMBER),
            Column(key="high_gb", title="GB", kind=Kind.NUMBER),
        ),
        rows=tuple(rows),
    )


def _band(letter: str, band: Band) -> tuple[Cell, ...]:
    pools = (gb(size) for size in (band.pool_low, band.pool_expected, band.pool_high))
    return (letter, *pools, *(whole(n, "sequences") for n in (band.low, band.expected, band.high)))


def _bands(rows: tuple[tuple[Cell, ...], ...]) -> Table:
    return Table(
        key="band",
        caption="KV pool of one GPU and whole sequences that fit, with every estimate at its bound",
        columns=(
            Column(key="option", title="Option", share=1),
            Column(key="pool_low", title="Pool low,\nGB", kind=Kind.NUMBER),
            Column(key="pool_expected", title="expected,\nGB", kind=Kind.NUMBER),
            Column(key="pool_high", title="high,\nGB", kind=Kind.NUMBER),
            Column(key="low", title="Sequences\nlow", kind=Kind.NUMBER),
            Column(key="expected", title="expected", kind=Kind.NUMBER),
            Column(key="high", title="high", kind=Kind.NUMBER),
        ),
        rows=rows,
        note="Low: all estimated sizes at their high bound at once; high: all at their low bound.",
    )
