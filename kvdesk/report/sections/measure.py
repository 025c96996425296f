"""What to record in a real run, as a form with blanks; and a reconciled log where there is one."""

from kvdesk.core.units import gib
from kvdesk.engines.base import Answer
from kvdesk.report.blocks import Block, Cell, Column, Heading, Kind, Number, Paragraph, Section, Table
from kvdesk.report.charts.svg import shorten
from kvdesk.report.inputs import Reconciled, ReportInput
from kvdesk.report.numbers import gib as gib_cell
from kvdesk.report.numbers import grouped, letters, percent, ratio, whole
from kvdesk.report.sections.answer import option_title

_LONGEST_LINE = 800
"""Characters of a line of a log; the longest that engines print with figures in them have some 600."""


def section(report: ReportInput) -> Section | None:
    """None where there is nothing to compare with."""
    blocks: list[Block] = []
    if report.reconciled:
        blocks += [
            Heading(key="reconciled", title="A start-up log beside this report"),
            _reconciled(report),
            _lines(report),
        ]
    lead = report.lead
    if lead is not None and (answer := report.options[lead].answer):
        blocks.append(Heading(key="form", title=f"Form: option {option_title(report.options[lead], lead)}"))
        blocks.append(
            Paragraph(
                text=(
                    "To be filled in from a start of the engine on the real machine, before the order is final. A "
                    "copy of this form serves for each other option."
                )
            )
        )
        blocks.append(_form(report, answer, letters(lead)))
    return Section(key="measure", title="To be measured", blocks=tuple(blocks)) if blocks else None


def _reconciled(report: ReportInput) -> Table:
    return Table(
        key="reconciled",
        caption="Figures of the log beside this report’s",
        columns=(
            Column(key="figure", title="Figure", share=1),
            Column(key="reason", title="reason", under="figure"),
            Column(key="ours", title="Predicted", kind=Kind.NUMBER),
            Column(key="ours_gib", title="GiB", kind=Kind.NUMBER),
            Column(key="logged", title="In the log", kind=Kind.NUMBER),
            Column(key="logged_gib", title="GiB", kind=Kind.NUMBER),
            Column(key="unit", title="Unit"),
            Column(key="line", title="Line", kind=Kind.NUMBER),
            Column(key="difference", title="Difference,\n%", kind=Kind.NUMBER),
            Column(key="outcome", title="Outcome"),
        ),
        rows=tuple(_reconciled_row(line) for line in report.reconciled),
        note=(
            "Difference: predicted less logged, in per cent of the logged figure. Equal: the same within the "
            "rounding of the log. In the band: an estimate whose low and high enclose the logged figure. Blocks, "
            "tokens and concurrency are computed from the KV memory that the log states, where it does: they check the "
            "engine’s rules, not the memory."
        ),
    )


def _reconciled_row(line: Reconciled) -> tuple[Cell, ...]:
    return (
        line.label,
        line.reason,
        _figure(line.ours, line.unit),
        _gib(line.ours, line.unit),
        _figure(line.logged, line.unit),
        _gib(line.logged, line.unit),
        line.unit,
        whole(line.line),
        percent(round((line.ours - line.logged) * 1000), round(line.logged * 1000)),
        line.outcome,
    )


def _lines(report: ReportInput) -> Table:
    """The lines that the figures were read from, each once and whole as far as a page allows."""
    texts = {line.line: line.text for line in report.reconciled}
    return Table(
        key="log_lines",
        caption="Lines of the log that these figures were read from",
        columns=(
            Column(key="line", title="Line", kind=Kind.NUMBER),
            Column(key="text", title="Text", kind=Kind.CODE, share=1),
        ),
        rows=tuple((whole(number), shorten(text, _LONGEST_LINE)) for number, text in sorted(texts.items())),
    )


def _gib(value: float, unit: str) -> Cell:
    return gib_cell(round(value)) if unit == "B" else None


def _figure(value: float, unit: str) -> Number:
    return whole(value, unit) if isinstance(value, int) else ratio(round(value, 4), unit)


def _form(report: ReportInput, answer: Answer, letter: str) -> Table:
    logs = _WHERE.get(answer.engine, _ANY_ENGINE)
    predicted = (
        f"{report.engine_title} {report.engine_version}",
        f"{grouped(answer.device_bytes)} B = {gib(answer.device_bytes)}",
        f"{grouped(answer.weights_bytes)} B = {gib(answer.weights_bytes)}",
        f"{grouped(answer.reserve_bytes)} B = {gib(answer.reserve_bytes)}",
        f"{grouped(answer.pool_bytes)} B = {gib(answer.pool_bytes)}",
        f"{grouped(answer.pool_tokens)} tokens",
        f"{grouped(answer.full_length_sequences)} sequences of {grouped(report.workload.context)} tokens",
        "none",
        "not part of this report",
    )
    rows = tuple((name, where, figure, None, None) for (name, where), figure in zip(logs, predicted, strict=True))
    return Table(
        key=f"form_{letter}",
        caption=f"Predicted and measured, option {letter}",
        columns=(
            Column(key="figure", title="Record", share=1.5),
            Column(key="where", title="where", under="figure"),
            Column(key="predicted", title="Predicted", share=1.3),
            Column(key="measured", title="Measured", share=1),
            Column(key="difference", title="Difference", share=0.8),
        ),
        rows=rows,
        form=True,
    )


_ANY_ENGINE = (
    ("Engine and version", "first lines of the log, with all options given"),
    ("Device memory, total", "nvidia-smi or the vendor’s tool, machine idle"),
    ("Weights as loaded, per GPU", "log line about loading the model"),
    ("Activations, graphs, communication", "difference, or the engine’s own lines"),
    ("KV memory per GPU", "log line about cache memory"),
    ("Tokens in the cache", "log line about cache size"),
    ("Sequences at full length, before preemption", "load test at the context of this report"),
    ("Preemptions or queueing at the planned load", "engine’s metrics during the load test"),
    ("Time to first token and per token, p95", "load test"),
)
_WHERE = {
    "vllm": (
        ("Engine and version", "first lines of the log, with all options given"),
        ("Device memory, total", "nvidia-smi, machine idle"),
        ("Weights as loaded, per GPU", "“Model loading took … GiB”"),
        ("Activations, graphs, communication", "memory profiling lines, graph capturing “took … GiB”"),
        ("KV memory per GPU", "“Available KV cache memory: … GiB”"),
        ("Tokens in the cache", "“GPU KV cache size: … tokens”"),
        ("Sequences at full length, before preemption", "load test; “Maximum concurrency for … tokens per request”"),
        ("Preemptions or queueing at the planned load", "metric vllm:num_preemptions during the load test"),
        ("Time to first token and per token, p95", "load test"),
    ),
}
