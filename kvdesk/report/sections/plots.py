"""Memory and sequences against context, and where the memory of one GPU goes."""

from kvdesk.report.blocks import Block, Paragraph, Section
from kvdesk.report.charts import context, stacked
from kvdesk.report.charts.context import Line
from kvdesk.report.inputs import ReportInput
from kvdesk.report.numbers import letters

PER_CHART = 4
"""Curves that stay apart in one chart; more options get another chart."""


def section(report: ReportInput) -> Section:
    """Charts of at most four options each."""
    lines = [
        Line(letter=letters(i), title=option.title, series=option.series)
        for i, option in enumerate(report.options)
        if option.series
    ]
    groups = [lines[i : i + PER_CHART] for i in range(0, len(lines), PER_CHART)]
    blocks: list[Block] = [Paragraph(text="The charts are drawn from the same figures as the tables.")]
    blocks += [context.memory(group, report.workload) for group in groups]
    blocks += [context.sequences(group, report.workload) for group in groups]
    blocks += stacked.figures(report.options)
    return Section(key="plots", title="Memory against context", blocks=tuple(blocks))
