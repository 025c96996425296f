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
    blocks: list[Block] = [Paragraph(text=_introduction(report))]
    blocks += [context.memory(group, report.workload) for group in groups]
    holding = [group for group in groups if any(max(line.series.fitting) for line in group)]
    blocks += [context.sequences(group, report.workload) for group in holding]
    blocks += stacked.figures(report.options)
    return Section(key="plots", title="Memory against context", blocks=tuple(blocks))


def _introduction(report: ReportInput) -> str:
    text = "The charts are drawn from the same figures as the tables; appendix B has them."
    if report.workload.shared_prefix:
        text += " Where the context is shorter than the shared prefix, whole blocks of it are shared by all sequences."
    return text
