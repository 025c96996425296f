"""The budget of each option, line by line: symbol, formula, numbers put in, result, source."""

from fractions import Fraction
from math import ceil, floor, isfinite

from kvdesk.core.budget import BudgetLine
from kvdesk.core.layout import Layout
from kvdesk.core.workload import Workload
from kvdesk.report.arithmetic import recompute
from kvdesk.report.blocks import Block, Cell, Column, Heading, Kind, Paragraph, Section, Statement, Table
from kvdesk.report.inputs import Option, ReportInput
from kvdesk.report.numbers import gb, gib, letters, ratio, whole
from kvdesk.report.sections.answer import option_title

COLUMNS = (
    Column(key="symbol", title="Symbol", kind=Kind.CODE),
    Column(key="line", title="Line", share=1),
    Column(key="source", title="source", under="line"),
    Column(key="formula", title="formula", kind=Kind.CODE, under="line"),
    Column(key="numbers", title="numbers put in", kind=Kind.CODE, under="line"),
    Column(key="certainty", title=""),
    Column(key="result", title="Result", kind=Kind.NUMBER),
    Column(key="unit", title="Unit"),
    Column(key="gb", title="GB", kind=Kind.NUMBER),
    Column(key="gib", title="GiB", kind=Kind.NUMBER),
)

RATIO_DIGITS = 100_000
"""Ratios put in are printed with five digits or more, so that a product of them is as exact."""


def section(report: ReportInput) -> Section:
    """One table for each option."""
    blocks: list[Block] = [
        Paragraph(
            text=(
                "Bytes are those of one GPU, the fullest where they differ; sequences are those of all GPUs together. "
                "“=” marks exact values, “≈” estimates; 1 GB = 1,000,000,000 B and 1 GiB = 1,073,741,824 B. “floor” "
                "rounds down to a whole number, “⌈ ⌉” rounds up. A line with a formula can be recomputed from the "
                "numbers put in."
            )
        )
    ]
    for index, option in enumerate(report.options):
        blocks.append(Heading(key=f"budget-{letters(index)}", title=f"Option {option_title(option, index)}"))
        blocks.append(_option(report, option, index))
    return Section(key="budget", title="The budget, line by line", blocks=tuple(blocks))


def _option(report: ReportInput, option: Option, index: int) -> Block:
    if option.answer is None:
        error = option.error
        return Statement(
            tone="plain",
            label="Not sized",
            title=option.title,
            text=str(error) if error else "No answer.",
        )
    return Table(
        key=f"budget_{letters(index)}",
        caption=f"Budget of option {letters(index)}, {option.title}",
        columns=COLUMNS,
        rows=tuple(_row(line) for line in option.answer.budget),
        constants=_constants(report.workload, option.answer.layout),
    )


def _constants(workload: Workload, layout: Layout) -> tuple[tuple[str, int], ...]:
    """Symbols of the question: T tokens, and the degrees of the layout."""
    degrees = (("TP", layout.tp), ("PP", layout.pp), ("DP", layout.dp), ("DCP", layout.dcp))
    return (("T", workload.context), *degrees)


def _row(line: BudgetLine) -> tuple[Cell, ...]:
    is_bytes = line.unit == "B" and isinstance(line.value, int)
    result = whole(line.value, line.unit) if isinstance(line.value, int) else ratio(line.value, line.unit)
    return (
        line.symbol,
        line.label,
        str(line.source),
        line.formula,
        _numbers(line),
        "=" if line.exact else "≈",
        result,
        line.unit,
        gb(int(line.value)) if is_bytes else None,
        gib(int(line.value)) if is_bytes else None,
    )


def _numbers(line: BudgetLine) -> str:
    """The numbers put in; where they alone do not come to the result, that is said rather than left to be found."""
    node = recompute(line.substituted, {})
    if (
        node is None
        or not node.arguments
        or not isfinite(line.value)
        or _comes_to(node.value, Fraction(str(line.value)))
    ):
        return line.substituted
    return f"{line.substituted}\n(the result also follows rules that this line does not show)"


def _comes_to(found: Fraction, printed: Fraction) -> bool:
    """Equal as it stands, cut off at 0, rounded either way, or within the digits of a printed ratio."""
    return (
        printed in (found, max(found, 0), floor(found), ceil(found))
        or abs(found - printed) <= abs(printed) / RATIO_DIGITS
    )
