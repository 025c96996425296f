"""What to record in a real run, as a form with blanks; and a reconciled log where there is one."""

from kvdesk.core.units import gib
from kvdesk.engines.base import Answer
from kvdesk.report.blocks import Block, Cell, Column, Heading, Paragraph, Section, Table
from kvdesk.report.inputs import ReportInput
from kvdesk.report.numbers import grouped, letters
from kvdesk.report.sections.answer import option_title


def section(report: ReportInput) -> Section | None:
    """None where there is nothing to compare with."""
    blocks: list[Block] = []
    if report.reconciled:
        blocks += [Heading(key="reconciled", title="A start-up log beside this report"), _reconciled(report)]
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
    rows: tuple[tuple[Cell, ...], ...] = tuple(
        (line.name, line.remark, line.predicted, line.measured, line.difference) for line in report.reconciled
    )
    return Table(
        key="reconciled",
        caption="Predicted beside measured",
        columns=(
            Column(key="figure", title="Figure", share=1.4),
            Column(key="remark", title="remark", under="figure"),
            Column(key="predicted", title="Predicted", share=1),
            Column(key="measured", title="In the log", share=1),
            Column(key="difference", title="Difference", share=0.8),
        ),
        rows=rows,
    )


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
