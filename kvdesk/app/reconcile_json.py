"""A reconciliation as plain JSON data, schema `kvdesk.reconciliation/1`."""

from kvdesk.app.reconcile import Reconciliation
from kvdesk.app.reconcile_rows import Row
from kvdesk.app.sizing_json import finding_json
from kvdesk.core.json_value import JsonValue
from kvdesk.engines.logs.record import Figure

JsonObject = dict[str, JsonValue]


def to_json(found: Reconciliation) -> JsonObject:
    """What the log says, the scenario it describes, the rows, and the measured bytes; sizes in bytes."""
    log, session = found.log, found.session
    choice = session.gpus[0]
    return {
        "schema": "kvdesk.reconciliation/1",
        "log": {
            "engine": log.engine,
            "version": _value(log.version),
            "model": _value(log.model),
            "gpu": _value(log.gpu),
            "options": {key: figure.value for key, figure in log.options.items()},
            "figures": {key: _figure(figure) for key, figure in log.figures.items()},
            "lines": log.lines,
        },
        "scenario": {
            "engine": session.engine,
            "engine_version": session.engine_version,
            "context": session.context,
            "kv_dtype": session.kv_dtype,
            "utilization": session.utilization,
            "gpu": choice.gpu,
            "count": choice.count,
            "tp": choice.tp,
            "pp": choice.pp,
            "dp": choice.dp,
            "dcp": choice.dcp,
            "engine_arguments": dict(session.engine_arguments),
        },
        "rows": [_row(row) for row in found.rows],
        "agrees": found.agrees,
        "measured": dict(found.measured),
        "findings": [finding_json(finding) for finding in found.findings],
    }


def _row(row: Row) -> JsonObject:
    return {
        "key": row.key,
        "label": row.label,
        "unit": row.unit,
        "logged": row.logged,
        "ours": row.ours,
        "low": row.low,
        "high": row.high,
        "difference": row.difference,
        "equal": row.equal,
        "inside": row.inside,
        "reason": row.reason,
        "line": row.line,
    }


def _figure(figure: Figure) -> JsonObject:
    return {"value": figure.value, "step": figure.step, "line": figure.line, "text": figure.text}


def _value(figure: Figure | None) -> JsonValue:
    return None if figure is None else figure.value
