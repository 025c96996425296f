"""A workspace as plain JSON data and back: all inputs and their sources, no results."""

import base64
import binascii
import json
from collections.abc import Mapping
from types import MappingProxyType

from kvdesk.app.json_fields import Fields
from kvdesk.app.session import GpuChoice, Model, Session
from kvdesk.app.workspace import MOST_SCENARIOS, Scenario, Workspace
from kvdesk.core.device import DeviceMemory
from kvdesk.core.findings import Finding, Severity
from kvdesk.core.json_value import JsonValue
from kvdesk.core.sourced import Origin, Source, Sourced
from kvdesk.core.weights import Weights
from kvdesk.hub import config_file

JsonObject = dict[str, JsonValue]

_PLAIN = (
    "context",
    "sequences",
    "shared_prefix",
    "encoder_tokens",
    "kv_dtype",
    "weights_dtype",
    "weights_bytes",
    "engine",
    "engine_version",
    "utilization",
    "reserve_bytes",
    "pool_bytes",
)
"""Fields of a session that are JSON values already."""


def workspace_json(workspace: Workspace) -> JsonObject:
    """Every scenario; models that several share are written once, under `models`."""
    models: list[Model] = []
    scenarios: list[JsonValue] = []
    for scenario in workspace.scenarios:
        model = scenario.session.model
        if model is not None and not any(known is model for known in models):
            models.append(model)
        place = next((i for i, known in enumerate(models) if known is model), None)
        scenarios.append({"name": scenario.name, "model": place, "inputs": session_json(scenario.session)})
    return {
        "models": [model_json(model) for model in models],
        "scenarios": scenarios,
        "active": workspace.active,
        "pinned": workspace.pinned,
    }


def read_workspace(contents: JsonObject) -> Workspace:
    """The workspace of a file's contents. Raises `SourceError` naming the key that is wrong."""
    fields = Fields(contents)
    models = [_read_model(item) for item in fields.objects("models")]
    scenarios = [_read_scenario(item, models) for item in fields.objects("scenarios")]
    if not 1 <= len(scenarios) <= MOST_SCENARIOS:
        raise fields.bad("scenarios", f"has {len(scenarios)} entries; it must have 1 to {MOST_SCENARIOS}")
    last = len(scenarios) - 1
    return Workspace(
        scenarios=tuple(scenarios),
        active=min(fields.integer("active", 0) or 0, last),
        pinned=min(fields.integer("pinned", 0) or 0, last),
    )


def session_json(session: Session) -> JsonObject:
    """The inputs of a session but for its model."""
    result: JsonObject = {key: getattr(session, key) for key in _PLAIN}
    result["overrides"] = dict(session.overrides)
    result["engine_arguments"] = dict(session.engine_arguments)
    result["budget_overrides"] = dict(session.budget_overrides)
    result["device_memory"] = session.device_memory.value if session.device_memory else None
    result["gpus"] = [
        {"gpu": c.gpu, "count": c.count, "tp": c.tp, "pp": c.pp, "dp": c.dp, "dcp": c.dcp} for c in session.gpus
    ]
    return result


def model_json(model: Model) -> JsonObject:
    """A model with its config, side files and what is known of its weights."""
    return {
        "id": model.id,
        "origin": model.origin,
        "revision": model.revision,
        "where": model.where,
        "looked_up": model.looked_up,
        "config": _config_json(model.config),
        "config_sha256": model.config_sha256,
        "side_files": {name: base64.b64encode(data).decode() for name, data in model.side_files.items()},
        "weights": _weights_json(model.weights),
        "findings": [
            {"code": f.code, "severity": f.severity.value, "text": f.text, "remedy": f.remedy} for f in model.findings
        ],
    }


def _read_scenario(fields: Fields, models: list[Model]) -> Scenario:
    place = fields.integer("model")
    if place is not None and place >= len(models):
        raise fields.bad("model", "points to a model that is not in the file")
    model = models[place] if place is not None else None
    name = " ".join((fields.text("name") or "Scenario").split())[:60]
    return Scenario(name=name, session=_read_session(fields.object("inputs"), model))


def _read_session(fields: Fields, model: Model | None) -> Session:
    memory = fields.text("device_memory")
    if memory is not None and memory not in [kind.value for kind in DeviceMemory]:
        raise fields.bad("device_memory", "is neither marketed nor reported")
    return Session(
        model=model,
        overrides=fields.mapping("overrides"),
        context=fields.integer("context"),
        sequences=fields.integer("sequences", 1) or 1,
        shared_prefix=fields.integer("shared_prefix", 0) or 0,
        encoder_tokens=fields.integer("encoder_tokens"),
        kv_dtype=fields.text("kv_dtype") or "auto",
        weights_dtype=fields.text("weights_dtype"),
        weights_bytes=fields.integer("weights_bytes"),
        gpus=tuple(_read_gpu(item) for item in fields.objects("gpus")),
        engine=fields.text("engine") or "plain",
        engine_version=fields.text("engine_version"),
        engine_arguments=fields.mapping("engine_arguments"),
        utilization=fields.number("utilization"),
        reserve_bytes=fields.integer("reserve_bytes"),
        device_memory=DeviceMemory(memory) if memory else None,
        pool_bytes=fields.integer("pool_bytes"),
        budget_overrides=_sizes(fields),
    )


def _sizes(fields: Fields) -> Mapping[str, int]:
    inner = fields.object("budget_overrides")
    return MappingProxyType({key: inner.integer(key) or 0 for key in inner.values})


def _read_gpu(fields: Fields) -> GpuChoice:
    return GpuChoice(
        gpu=fields.text("gpu") or "",
        count=fields.integer("count", 1) or 1,
        tp=fields.integer("tp"),
        pp=fields.integer("pp"),
        dp=fields.integer("dp"),
        dcp=fields.integer("dcp"),
    )


def _read_model(fields: Fields) -> Model:
    return Model(
        id=fields.text("id") or "",
        origin=fields.text("origin") or "file",
        revision=fields.text("revision"),
        config=_read_config(fields),
        config_sha256=fields.text("config_sha256") or "",
        side_files=_side_files(fields.object("side_files")),
        weights=_read_weights(fields),
        where=fields.text("where") or "config.json",
        looked_up=fields.text("looked_up") or "",
        findings=tuple(_read_finding(item) for item in fields.objects("findings")),
    )


def _config_json(config: Mapping[str, JsonValue]) -> JsonValue:
    """The config as it is; as text where it holds an Infinity or NaN, which plain JSON has not."""
    try:
        json.dumps(config, allow_nan=False)
    except ValueError:
        return json.dumps(config)
    return dict(config)


def _read_config(fields: Fields) -> Mapping[str, JsonValue]:
    value = fields.values.get("config")
    if isinstance(value, str):
        return config_file.parse(value.encode("utf-8", errors="replace"))
    return fields.object("config").values


def _side_files(fields: Fields) -> dict[str, bytes]:
    try:
        return {name: base64.b64decode(fields.text(name) or "", validate=True) for name in fields.values}
    except (binascii.Error, ValueError) as error:
        raise fields.bad("side_files", "is not base64") from error


def _read_finding(fields: Fields) -> Finding:
    severity = fields.text("severity") or ""
    if severity not in [kind.value for kind in Severity]:
        raise fields.bad("severity", "is not one of info, warning, refusal")
    return Finding(
        code=fields.text("code") or "",
        severity=Severity(severity),
        text=fields.text("text") or "",
        remedy=fields.text("remedy") or "",
    )


def _weights_json(weights: Weights | None) -> JsonValue:
    if weights is None:
        return None
    return {
        "bytes": _sourced_json(weights.bytes),
        "parameters": _sourced_json(weights.parameters),
        "replicated_bytes": weights.replicated_bytes,
        "draft_bytes": weights.draft_bytes,
        "by_format": dict(weights.by_format),
        "exact": weights.exact,
    }


def _read_weights(model: Fields) -> Weights | None:
    if model.values.get("weights") is None:
        return None
    fields = model.object("weights")
    size = _read_sourced(fields, "bytes")
    if size is None:
        raise fields.bad("bytes", "is missing")
    formats = fields.object("by_format")
    return Weights(
        bytes=size,
        parameters=_read_sourced(fields, "parameters"),
        replicated_bytes=fields.integer("replicated_bytes", 0) or 0,
        draft_bytes=fields.integer("draft_bytes", 0) or 0,
        by_format={name: formats.integer(name) or 0 for name in formats.values},
        exact=fields.flag("exact", default=True),
    )


def _sourced_json(sourced: Sourced[int] | None) -> JsonValue:
    if sourced is None:
        return None
    return {"value": sourced.value, "origin": sourced.source.origin.value, "detail": sourced.source.detail}


def _read_sourced(parent: Fields, key: str) -> Sourced[int] | None:
    if parent.values.get(key) is None:
        return None
    fields = parent.object(key)
    value, origin = fields.integer("value"), fields.text("origin") or ""
    if value is None or origin not in [kind.value for kind in Origin]:
        raise fields.bad("origin" if value is not None else "value", "is missing or not known")
    return Sourced(value, Source(Origin(origin), fields.text("detail") or ""))
