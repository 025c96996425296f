"""The question: the model at its revision, the workload, and what is assumed of the service."""

from kvdesk.report.blocks import Block, Cell, Column, Paragraph, Section, Table
from kvdesk.report.inputs import ReportInput
from kvdesk.report.numbers import counted, grouped, size_cells

FACT_COLUMNS = (
    Column(key="what", title="What"),
    Column(key="value", title="Value", share=1.25),
    Column(key="source", title="Source", share=1.5),
)

_SERVICE = (
    "Every sequence is taken at its full length at once. Shorter ones leave room, which this report does not count on. "
    "Speed is not part of the question: a workload that fits may still be too slow."
)
_HASHED = {"catalogue": "hash of the catalogue’s card, not of a file"}
_ORIGINS = {"hub": "Hugging Face Hub", "file": "local file", "catalogue": "kvdesk’s offline catalogue"}


def section(report: ReportInput) -> Section:
    """What was asked."""
    blocks: tuple[Block, ...] = (Paragraph(text=_sentence(report)), _table(report), Paragraph(text=_SERVICE))
    return Section(key="question", title="The question", blocks=blocks)


def _sentence(report: ReportInput) -> str:
    workload = report.workload
    shared = (
        f", the first {grouped(workload.shared_prefix)} tokens of which are the same in all and held once"
        if workload.shared_prefix
        else ""
    )
    held = counted(workload.sequences, "sequence")
    return (
        f"Do the options hold {held} of {grouped(workload.context)} tokens each, prompt and output together{shared}, "
        f"at the same time, for the model {report.model.id}{served_by(report)}?"
    )


def served_by(report: ReportInput, *, comma: bool = False) -> str:
    """What the budget follows: an engine, or the textbook without one."""
    if any(option.answer and option.answer.engine != "plain" for option in report.options):
        return f"{',' if comma else ''} served by {report.engine_title} {report.engine_version}"
    return ", by the textbook budget and no engine’s own rules" if report.engine_title == "Textbook" else ""


def _table(report: ReportInput) -> Table:
    model, geometry, workload = report.model, report.geometry, report.workload
    rows: list[tuple[Cell, ...]] = [
        ("Model", model.id, _ORIGINS.get(model.origin, model.origin)),
        ("Revision", model.revision or "none: not from a repository", model.where),
        ("config.json, SHA-256", model.config_sha256 or "none", _HASHED.get(model.origin, "hash of the file’s bytes")),
        ("Model type", geometry.model_type, f"architecture {geometry.architecture}" if geometry.architecture else ""),
    ]
    if geometry.max_context:
        limit = geometry.max_context
        rows.append(("Longest context", counted(limit.value, "token"), str(limit.source)))
    rows += _weights(report)
    rows += [
        ("Context", counted(workload.context, "token"), "per sequence"),
        ("Sequences", grouped(workload.sequences), "held at once"),
        ("Shared prefix", counted(workload.shared_prefix, "token"), "held once, whole blocks"),
        ("Cache format", report.kv_format.name, "the engine’s own choice, unless given (appendix A)"),
        ("Engine", f"{report.engine_title} {report.engine_version}", "profile"),
    ]
    if model.looked_up:
        rows.insert(2, ("Looked up", model.looked_up, "day on which the files were read"))
    if geometry.encoder_tokens:
        rows.append(("Encoder tokens", grouped(geometry.encoder_tokens), "seen by cross-attention"))
    return Table(key="question", caption="Model, workload and engine", columns=FACT_COLUMNS, rows=tuple(rows))


def _weights(report: ReportInput) -> list[tuple[Cell, ...]]:
    weights = report.weights
    if weights is None:
        return [("Weights", "not known, counted as 0 B", "")]
    exact, in_gb, in_gib = size_cells(weights.bytes.value)
    mark = "" if weights.exact else "≈ "
    text = f"{mark}{exact.text} B = {in_gb.text} GB = {in_gib.text} GiB"
    rows: list[tuple[Cell, ...]] = [("Weights", text, str(weights.bytes.source))]
    if weights.parameters:
        rows.append(("Parameters", grouped(weights.parameters.value), str(weights.parameters.source)))
    return rows
