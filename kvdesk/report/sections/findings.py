"""Findings of this sizing, and the risks that any such sizing has."""

from kvdesk.core.findings import Finding, Severity
from kvdesk.engines.base import Answer
from kvdesk.report.blocks import Block, Heading, Paragraph, Section, Statement
from kvdesk.report.inputs import ReportInput
from kvdesk.report.numbers import letters

_TONES = {Severity.INFO: "plain", Severity.WARNING: "caution", Severity.REFUSAL: "bad"}
_LABELS = {Severity.INFO: "Note", Severity.WARNING: "Warning", Severity.REFUSAL: "Not sized"}
UNCONFIRMED = "unconfirmed"
"""How the catalogue begins the source of a figure that has none to cite."""
_ORDER = (Severity.REFUSAL, Severity.WARNING, Severity.INFO)


def section(report: ReportInput) -> Section:
    """Findings, gravest first, then risks."""
    found = sorted(report.findings, key=lambda finding: _ORDER.index(finding.severity))
    blocks: list[Block] = [Heading(key="findings", title="Findings")]
    blocks += [_statement(finding) for finding in found]
    if not found:
        blocks.append(Paragraph(text="Nothing was found that needs to be said beside the numbers."))
    blocks.append(Heading(key="risks", title="Risks and assumptions"))
    blocks += risks(report)
    return Section(key="findings", title="Findings and risks", blocks=tuple(blocks))


def _statement(finding: Finding) -> Statement:
    return Statement(
        tone=_TONES[finding.severity],
        label=_LABELS[finding.severity],
        title="",
        text=finding.text,
        remedy=finding.remedy,
    )


def risks(report: ReportInput) -> list[Statement]:
    """What a reviewer should hold against the figures, those that apply here only."""
    told = [
        _risk(
            "Ceiling, not promise",
            "The number of sequences is where the pool is full. An engine that is asked for more preempts or queues, "
            "and latency rises well before that point.",
            "Plan for less than the ceiling; measure latency at the load you expect.",
        ),
        _risk(
            "Reserve",
            "Memory for activations, CUDA graphs and communication depends on the engine’s version and settings. Its "
            "figure here is an estimate unless its source says that it was measured or given.",
            "Read the figure from a start-up log of the very engine and settings, and give it with --reserve.",
        ),
    ]
    told += _conditional(report)
    return told


def _conditional(report: ReportInput) -> list[Statement]:
    told = []
    if report.kv_format.block_bytes < 2 * report.kv_format.block:
        told.append(
            _risk(
                "Cache format",
                f"The cache is kept in {report.kv_format.name}. Formats below 16 bits lose accuracy, most at long "
                "context.",
                "Compare answers of the real task at the longest context with a 16-bit cache before committing.",
            )
        )
    unconfirmed = _unconfirmed(report)
    if unconfirmed:
        told.append(
            _risk(
                "Device figures",
                f"The memory that the budget of {unconfirmed} starts from has no source that can be cited for this "
                "very device.",
                "Ask the vendor for the memory that the driver reports, or read it from a machine.",
            )
        )
    if report.weights is None or not report.weights.exact:
        told.append(
            _risk(
                "Weights",
                "The size of the weights was not read from the checkpoint’s files.",
                "Give the measured size with --weights-bytes.",
            )
        )
    if any(option.answer and option.answer.engine == "plain" for option in report.options):
        told.append(
            _risk(
                "Textbook budget",
                "No serving engine’s own rules are applied: blocks of layer groups, windows in flight and state "
                "pages can take more than the textbook says.",
                "Repeat the sizing with --engine set to the engine that will serve.",
            )
        )
    return told


def _unconfirmed(report: ReportInput) -> str:
    """The options whose budget starts from a figure that has no source, by device."""
    names: dict[str, list[str]] = {}
    for index, option in enumerate(report.options):
        if option.device and option.answer and _starts_unconfirmed(option.answer):
            names.setdefault(option.device.name, []).append(letters(index))
    return ", ".join(f"{name} (option {', '.join(options)})" for name, options in names.items())


def _starts_unconfirmed(answer: Answer) -> bool:
    return any(line.key == "device" and line.source.detail.startswith(UNCONFIRMED) for line in answer.budget)


def _risk(title: str, text: str, remedy: str) -> Statement:
    return Statement(tone="plain", label="Risk", title=title, text=text, remedy=remedy)
