"""The layers: a picture of all of them in order, and what each kind keeps."""

from kvdesk.core import formulas
from kvdesk.core.units import exact
from kvdesk.report.blocks import Block, Cell, Column, Kind, Paragraph, Section, Table
from kvdesk.report.charts import layer_strip
from kvdesk.report.inputs import ReportInput
from kvdesk.report.numbers import counted, gb, gib, grouped, whole


def section(report: ReportInput) -> Section:
    """Layer picture, formula of each kind, and the sum."""
    geometry, workload = report.geometry, report.workload
    size = report.logical.at(workload.context)
    more = report.logical.marginal(workload.context)
    fixed = report.logical.fixed
    blocks: tuple[Block, ...] = (
        Paragraph(
            text=(
                f"One sequence of {grouped(workload.context)} tokens keeps {exact(size)} in the whole model, one "
                f"copy, without blocks, in {report.kv_format.name}. One more token adds {exact(more)}; "
                f"{exact(fixed)} are kept whatever the length."
            )
        ),
        layer_strip.figure(geometry, report.kv_format, workload.context),
        _table(report),
    )
    return Section(key="layers", title="What the model keeps", blocks=blocks)


def _table(report: ReportInput) -> Table:
    tokens, fmt = report.workload.context, report.kv_format
    rows: list[tuple[Cell, ...]] = []
    for line in formulas.lines(report.geometry.counted(), fmt, tokens):
        sizes = (whole(line.value, "B"), gb(line.value), gib(line.value))
        rows.append((whole(line.count), line.label, line.formula, line.substituted, *sizes))
    total = report.logical.at(tokens)
    rows.append((None, "together", "", "", whole(total, "B"), gb(total), gib(total)))
    return Table(
        key="layers",
        caption=f"Cache of one sequence of {counted(tokens, 'token')} by kind of layer",
        columns=(
            Column(key="count", title="Layers", kind=Kind.NUMBER),
            Column(key="kind", title="Kind", share=1),
            Column(key="formula", title="formula", kind=Kind.CODE, under="kind"),
            Column(key="numbers", title="numbers put in", kind=Kind.CODE, under="kind"),
            Column(key="bytes", title="Bytes", kind=Kind.NUMBER),
            Column(key="gb", title="GB", kind=Kind.NUMBER),
            Column(key="gib", title="GiB", kind=Kind.NUMBER),
        ),
        rows=tuple(rows),
        note="T: tokens. b(n): bytes of a vector of n numbers in the cache’s format, scales included.",
    )
