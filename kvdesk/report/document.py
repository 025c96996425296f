"""From a report's input to the document: pure data, in the order in which a reviewer reads."""

from collections.abc import Callable

from kvdesk.report import logo
from kvdesk.report.blocks import Cell, Column, Document, Section, Table
from kvdesk.report.inputs import ReportInput
from kvdesk.report.numbers import counted
from kvdesk.report.sections import (
    allocation,
    answer,
    appendix,
    budget,
    certainty,
    engine_profile,
    expected_load,
    findings,
    layers,
    measure,
    plots,
    question,
    sensitivity,
)
from kvdesk.report.tidy import tidy

SECTIONS: tuple[Callable[[ReportInput], Section | None], ...] = (
    answer.section,
    question.section,
    plots.section,
    budget.section,
    allocation.section,
    layers.section,
    sensitivity.section,
    certainty.section,
    expected_load.section,
    findings.section,
    measure.section,
    appendix.inputs,
    appendix.figures,
    engine_profile.section,
    appendix.glossary,
    appendix.sign_off,
)
"""The builders in order; one that has nothing to say gives None."""

PAPERS = {"a4": "a4", "letter": "us-letter", "us-letter": "us-letter"}


def build(report: ReportInput) -> Document:
    """The whole report as data."""
    details = report.details
    sections = (builder(report) for builder in SECTIONS)
    document = Document(
        title=details.title.strip() or f"Will {report.model.id} serve? Memory sizing",
        subtitle=_subtitle(report),
        id=document_id(report),
        version=report.version,
        date=report.date,
        author=details.author,
        paper=PAPERS.get(details.paper.strip().lower(), "a4"),
        cover=_cover(report),
        sections=tuple(section for section in sections if section and section.blocks),
        logo=logo.as_svg(details.logo),
    )
    return tidy(document)


def document_id(report: ReportInput) -> str:
    """The first 16 hexadecimal digits of the scenario's hash, in groups of four."""
    digits = report.scenario_hash[:16]
    return "-".join(digits[i : i + 4] for i in range(0, len(digits), 4))


def _subtitle(report: ReportInput) -> str:
    revision = f" @ {report.model.revision[:12]}" if report.model.revision else ""
    return f"{report.model.id}{revision}"


def _question(report: ReportInput) -> str:
    """The question in a line, for a reader of the first page."""
    workload = report.workload
    held = f"{counted(workload.sequences, 'sequence')} of {counted(workload.context, 'token')}"
    return f"{held} at once, cache in {report.kv_format.name}{question.served_by(report, comma=True)}"


def _cover(report: ReportInput) -> Table:
    details = report.details
    rows: list[tuple[Cell, ...]] = [
        (name, value)
        for name, value in (
            ("Organisation", details.organisation),
            ("Author", details.author),
            ("Reviewer", details.reviewer),
            ("Purpose", details.purpose),
        )
        if value
    ]
    rows += [
        ("Question", _question(report)),
        ("Date", report.date or "left open: see the sign-off"),
        ("Document id", document_id(report)),
        ("Made with", f"kvdesk {report.version}, {report.engine_title} profile {report.engine_version}"),
    ]
    columns = (Column(key="name", title="Item"), Column(key="value", title="Entry", share=1))
    return Table(key="cover", caption="About this document", columns=columns, rows=tuple(rows))
