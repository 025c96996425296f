"""From a session and its sizing to a report in any of its forms: gathered, built, written whole."""

import hashlib
import json
import os
from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from kvdesk import __version__
from kvdesk.app import bands, report_load, sensitivity, sweep
from kvdesk.app.derive import Deriver
from kvdesk.app.report_load import LoadAsked
from kvdesk.app.results import OptionResult, Sizing
from kvdesk.app.scenario_json import session_json
from kvdesk.app.session import Model, Session
from kvdesk.app.sizing_json import to_json
from kvdesk.core.errors import SourceError, UsageError
from kvdesk.core.findings import Finding
from kvdesk.core.json_value import JsonValue
from kvdesk.core.values import replace
from kvdesk.engines.registry import engine as engine_named
from kvdesk.files.reading import read_bounded
from kvdesk.report import document
from kvdesk.report.atomic import write_bytes
from kvdesk.report.blocks import Document
from kvdesk.report.inputs import Given, ModelFacts, Option, Reconciled, ReportDetails, ReportInput, Series
from kvdesk.report.logo import check as check_logo
from kvdesk.report.logo import read as read_logo

if TYPE_CHECKING:
    from kvdesk.app.reconcile import Reconciliation

__all__ = [
    "FORMATS",
    "LoadAsked",
    "ReportDetails",
    "build",
    "iso_day",
    "read_logo",
    "reconciled_log",
    "render",
    "report_input",
    "write",
]

FIRST_YEAR, LAST_YEAR = 1970, 2999
"""Years that a file's time stamp can carry."""

LONGEST_LOG = 64 << 20
"""Bytes of a start-up log that are read."""

FORMATS = ("pdf", "md", "csv", "xlsx", "json")


def write(
    session: Session,
    sizing: Sizing,
    path: Path,
    details: ReportDetails,
    fmt: str = "pdf",
    *,
    log: "Reconciliation | None" = None,
    load: LoadAsked | None = None,
) -> None:
    """Write the report to `path`, replacing an existing file only as a whole. Raises `KvdeskError`.

    `log` is a reconciled start-up log, whose session `session` should be; its rows and findings are told too. `load`
    adds the expected load.
    """
    write_bytes(path, render(session, sizing, details, fmt, log=log, load=load))


def render(
    session: Session,
    sizing: Sizing,
    details: ReportDetails,
    fmt: str = "pdf",
    *,
    log: "Reconciliation | None" = None,
    load: LoadAsked | None = None,
) -> bytes:
    """The report's bytes in one of `FORMATS`; the same session and details give the same bytes."""
    if fmt not in FORMATS:
        raise UsageError(
            "bad-format", f"“{fmt[:20]}” is not a form of the report.", "", f"Choose {', '.join(FORMATS)}."
        )
    report = report_input(session, sizing, details, log=log, load=load)
    return _written(document.build(report), report.sizing, fmt)


def reconciled_log(path: Path, session: Session, deriver: Deriver) -> "Reconciliation":
    """The start-up log in a file beside the figures of `session`'s model. Raises `KvdeskError`."""
    from kvdesk.app.reconcile import reconcile
    from kvdesk.engines.logs.reader import read

    try:
        text = read_bounded(path, LONGEST_LOG).decode("utf-8", errors="replace")
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise SourceError("no-log", f"The log “{path}” could not be read.", f"{reason}.", "Check the path.") from error
    return reconcile(read(text), session, deriver)


def build(session: Session, sizing: Sizing, details: ReportDetails) -> Document:
    """The document itself."""
    return document.build(report_input(session, sizing, details))


def _written(built: Document, sizing: JsonValue, fmt: str) -> bytes:
    """Each writer is loaded when first asked for: typst alone costs more than the sizing."""
    if fmt == "pdf":
        from kvdesk.report import typst_writer

        return typst_writer.pdf(built)
    if fmt == "xlsx":
        from kvdesk.report import xlsx_writer

        return xlsx_writer.xlsx(built)
    if fmt == "json":
        from kvdesk.report import json_writer

        return json_writer.json_bytes(built, sizing)
    if fmt == "csv":
        from kvdesk.report import csv_writer

        return csv_writer.csv_bytes(built)
    from kvdesk.report import markdown_writer

    return markdown_writer.markdown(built).encode()


def report_input(
    session: Session,
    sizing: Sizing,
    details: ReportDetails,
    *,
    log: "Reconciliation | None" = None,
    load: LoadAsked | None = None,
) -> ReportInput:
    """Everything the report says, gathered."""
    check_logo(details.logo)
    model = sizing.model
    points = sweep.contexts(sweep.longest_context(sizing))
    given = _given(session, sizing)
    deriver = Deriver()
    prices = {gpu.strip().lower(): price for gpu, price in details.prices.items()}
    report = ReportInput(
        details=details,
        date=day_of(details, model),
        version=__version__,
        scenario_hash=_scenario_hash(session, sizing, load),
        model=ModelFacts(
            id=model.id,
            origin=model.origin,
            revision=model.revision,
            config_sha256=model.config_sha256,
            where=model.where,
            looked_up=model.looked_up,
        ),
        geometry=sizing.geometry,
        workload=sizing.workload,
        kv_format=sizing.kv_format,
        logical=sizing.logical,
        weights=sizing.weights,
        engine_title=engine_named(sizing.engine).title,
        engine_version=sizing.engine_version,
        options=tuple(
            replace(_option(sizing, option, points, prices), band=sensitivity.band(option)) for option in sizing.options
        ),
        findings=_findings(sizing, log),
        given=given,
        reconciled=_reconciled(log) if log else (),
        lengths=report_load.lengths(load) if load else None,
        loads=report_load.loads(sizing, load) if load else (),
        tiers=report_load.tiers(sizing, load) if load else (),
        sizing=to_json(sizing),
    )
    lead = report.lead
    if lead is None:
        return report
    return replace(report, swings=sensitivity.swings(session, sizing, sizing.options[lead], deriver))


def _findings(sizing: Sizing, log: "Reconciliation | None") -> tuple[Finding, ...]:
    """Findings of the sizing and of its bounds, then those that only the log gave."""
    return tuple(dict.fromkeys((*sizing.findings, *bands.findings(sizing), *(log.findings if log else ()))))


def _reconciled(log: "Reconciliation") -> tuple[Reconciled, ...]:
    return tuple(
        Reconciled(
            label=row.label,
            unit=row.unit,
            ours=row.ours,
            logged=row.logged,
            low=row.low,
            high=row.high,
            outcome="equal" if row.equal else "in the band" if row.inside else "differs",
            reason=row.reason,
            line=row.line,
            text=row.text,
        )
        for row in log.rows
    )


def _option(sizing: Sizing, option: OptionResult, points: tuple[int, ...], prices: Mapping[str, Decimal]) -> Option:
    choice, answer, question = option.choice, option.answer, option.question
    curve = sweep.curve(sizing, option, points)
    asked = sweep.curve(sizing, option, (sizing.workload.context,))
    price = prices.get(choice.gpu.strip().lower())
    return Option(
        gpu=choice.gpu,
        count=choice.count,
        title=option.title,
        device=question.device if question else None,
        answer=answer,
        error=option.error,
        series=_series(curve) if curve else None,
        held_bytes=asked.allocated[0] if asked else 0,
        price=None if price is None else Decimal(str(price)),
    )


def _series(curve: sweep.Curve) -> Series:
    """The curve of the plot as the report draws it."""
    return Series(
        contexts=curve.contexts,
        total=curve.total,
        held=curve.allocated,
        fitting=curve.fitting,
        capacity=curve.capacity,
        crossing=curve.crossing,
    )


def day_of(details: ReportDetails, model: Model) -> str:
    """The document's day: the user's, else that of SOURCE_DATE_EPOCH, else the look-up's, else "" for none.

    Never the clock's: the same scenario gives the same bytes.
    """
    if details.date:
        return iso_day(details.date)
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "").strip()
    if epoch.isascii() and epoch.isdigit() and len(epoch) <= 11:
        return datetime.fromtimestamp(int(epoch), tz=UTC).date().isoformat()
    try:
        return date.fromisoformat(model.looked_up[:10]).isoformat()
    except ValueError:
        return ""


def iso_day(text: str) -> str:
    """A date of the cover as it is written there. Raises `UsageError` (`bad-date`)."""
    try:
        day = date.fromisoformat(text)
    except ValueError as error:
        raise UsageError("bad-date", f"“{text[:40]}” is not a date.", "", "Write it like 2026-11-29.") from error
    if not FIRST_YEAR <= day.year <= LAST_YEAR:
        raise UsageError("bad-date", f"{text[:40]} cannot be the date of a report.", "", "Write it like 2026-11-29.")
    return day.isoformat()


def _given(session: Session, sizing: Sizing) -> tuple[Given, ...]:
    """Every input of the session; one left to its default with the value that the default came to, where it has one."""
    resolved = _resolved(sizing)
    usual = session_json(Session())
    rows = [
        _given_line(name, value, resolved, is_default=value is None or value == usual[name])
        for name, value in session_json(session).items()
        if name != "gpus"
    ]
    rows += [
        Given(name=f"gpu {i + 1}", value=_gpu_text(option), source="given") for i, option in enumerate(sizing.options)
    ]
    return tuple(rows)


def _given_line(name: str, value: JsonValue, resolved: Mapping[str, str], *, is_default: bool) -> Given:
    text = resolved.get(name, "none") if is_default else _given_text(value)
    return Given(name=_NAMES.get(name, name.replace("_", " ")), value=text, source="default" if is_default else "given")


def _given_text(value: JsonValue) -> str:
    """A value as it is read: mappings as `key=value`, numbers with their digits in groups."""
    if isinstance(value, dict):
        return ", ".join(f"{key}={_given_text(one)}" for key, one in value.items()) or "none"
    if isinstance(value, int) and not isinstance(value, bool):
        return f"{value:,}"
    return value if isinstance(value, str) else json.dumps(value)


_NAMES = {
    "context": "context, tokens",
    "shared_prefix": "shared prefix, tokens",
    "kv_dtype": "cache format",
    "weights_dtype": "weights format",
    "weights_bytes": "weights, B",
    "reserve_bytes": "reserve, B",
    "pool_bytes": "KV pool per GPU, B",
    "overrides": "values typed over config.json",
    "budget_overrides": "budget lines typed over, B",
}


def _resolved(sizing: Sizing) -> dict[str, str]:
    """What inputs left to their default came to; those of one option only are in its budget."""
    workload = sizing.workload
    return {
        "context": f"{workload.context:,}",
        "sequences": f"{workload.sequences:,}",
        "shared_prefix": f"{workload.shared_prefix:,}",
        "encoder_tokens": f"{sizing.geometry.encoder_tokens:,}",
        "engine": sizing.engine,
        "kv_dtype": f"auto: {sizing.kv_format.name}",
        "weights_dtype": "as published",
        "weights_bytes": "as looked up or counted",
        "engine_version": sizing.engine_version,
        "engine_arguments": "the engine’s defaults",
        "utilization": "the engine’s, see the budget",
        "reserve_bytes": "the engine’s, see the budget",
        "device_memory": "the engine’s, see the budget",
    }


def _gpu_text(option: OptionResult) -> str:
    choice = option.choice
    degrees = ((name, getattr(choice, name)) for name in ("tp", "pp", "dp", "dcp"))
    return " ".join([f"{choice.count} × {choice.gpu}", *(f"{name} {n}" for name, n in degrees if n is not None)])


def _scenario_hash(session: Session, sizing: Sizing, load: LoadAsked | None) -> str:
    """SHA-256 over the model's identity and every input, in canonical JSON."""
    model = sizing.model
    scenario: dict[str, JsonValue] = {
        "model": {"id": model.id, "revision": model.revision, "config_sha256": model.config_sha256},
        **session_json(session),
        **({"load": load.as_input()} if load else {}),
    }
    canonical = json.dumps(scenario, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hashlib.sha256(canonical.encode("ascii")).hexdigest()
