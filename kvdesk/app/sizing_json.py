"""A sizing as plain JSON data, schema `kvdesk.sizing/1`: what scripts and the report read."""

from collections.abc import Mapping

from kvdesk.app import bands
from kvdesk.app.results import OptionResult, Sizing
from kvdesk.app.session import GpuChoice
from kvdesk.core.errors import KvdeskError
from kvdesk.core.findings import Finding
from kvdesk.core.json_value import JsonValue
from kvdesk.core.layers import CachePart, Mla
from kvdesk.core.states import State
from kvdesk.engines.base import Answer

JsonObject = dict[str, JsonValue]

_PART_KEYS = {
    "kv_heads": "kv_heads",
    "key_dim": "key_dim",
    "value_dim": "value_dim",
    "window": "window",
    "chunk": "chunk",
    "latent_dim": "latent_dim",
    "rope_dim": "rope_dim",
    "ratio": "ratio",
    "encoder_tokens": "encoder_tokens",
}


def to_json(sizing: Sizing) -> JsonObject:
    """The whole sizing; sizes are integers of bytes."""
    fmt, context = sizing.kv_format, sizing.workload.context
    logical, weights, geometry = sizing.logical, sizing.weights, sizing.geometry
    return {
        "schema": "kvdesk.sizing/1",
        "model": {
            "id": sizing.model.id,
            "revision": sizing.model.revision,
            "source": sizing.model.origin,
            "config_sha256": sizing.model.config_sha256,
            "model_type": geometry.model_type,
            "architecture": geometry.architecture,
            "max_context": geometry.max_context.value if geometry.max_context else None,
            "dtype": geometry.model_dtype.value,
            "layers": [part_json(part, count) for part, count in geometry.counted()],
            "facts": {key: fact_json(fact.value) for key, fact in geometry.facts.items()},
        },
        "workload": {
            "context": context,
            "sequences": sizing.workload.sequences,
            "shared_prefix": sizing.workload.shared_prefix,
            "encoder_tokens": geometry.encoder_tokens or None,
        },
        "engine": {"name": sizing.engine, "version": sizing.engine_version},
        "kv": {
            "dtype": fmt.name,
            "logical_bytes_per_sequence": logical.at(context),
            "fixed_bytes_per_sequence": logical.fixed,
            "marginal_bytes_per_token": logical.marginal(context),
        },
        "weights": {
            "bytes": weights.bytes.value if weights else None,
            "parameters": weights.parameters.value if weights and weights.parameters else None,
            "source": str(weights.bytes.source) if weights else None,
            "exact": weights.exact if weights else None,
        },
        "options": [option_json(option) for option in sizing.options],
        "findings": [finding_json(finding) for finding in (*sizing.findings, *bands.findings(sizing))],
        "sources": {**_sources(sizing)},
    }


def part_json(part: CachePart, count: int) -> JsonObject:
    """One kind of layer part with its count."""
    kind = "sliding" if isinstance(part, Mla) and part.window is not None else part.kind
    result: JsonObject = {"kind": kind, "count": count}
    for attribute, key in _PART_KEYS.items():
        value = getattr(part, attribute, None)
        if isinstance(value, int):
            result[key] = value
    if isinstance(part, State):
        result["family"] = part.family
        result["conv_shape"] = list(part.conv_shape)
        result["conv_dtype"] = part.conv_format.name
        result["recurrent_shape"] = list(part.recurrent_shape)
        result["recurrent_dtype"] = part.recurrent_format.name
        result["bytes"] = part.state_bytes
    return result


def option_json(option: OptionResult) -> JsonObject:
    """One GPU option; an option without an answer has `fits` false, zeros, and its reason under `error`."""
    choice, answer = option.choice, option.answer
    if answer is None:
        return {**_empty(option), "error": error_json(option.error) if option.error else None}
    layout = answer.layout
    return {
        "gpu": choice.gpu,
        "count": choice.count,
        "tp": layout.tp,
        "pp": layout.pp,
        "dp": layout.dp,
        "dcp": layout.dcp,
        "engine": answer.engine,
        "engine_version": answer.engine_version,
        "kv_dtype": answer.kv_dtype,
        **{key: getattr(answer, key) for key in _ANSWER_KEYS},
        **_band(option),
        "reasons": list(answer.reasons),
        "budget": _budget(answer),
    }


_ANSWER_KEYS = (
    "device_bytes",
    "budget_bytes",
    "weights_bytes",
    "reserve_bytes",
    "pool_bytes",
    "logical_bytes_per_sequence",
    "allocated_bytes_per_sequence",
    "pool_tokens",
    "full_length_sequences",
    "max_concurrency",
    "num_blocks",
    "block_size",
    "max_context",
    "fits",
    "limit",
)


def _band(option: OptionResult) -> JsonObject:
    """Pool per GPU and sequences with every estimate at its unfavourable and at its favourable end."""
    ends = bands.band(option)
    return {
        "pool_low_bytes": ends.pool_low if ends else 0,
        "pool_high_bytes": ends.pool_high if ends else 0,
        "sequences_low": ends.sequences_low if ends else 0,
        "sequences_high": ends.sequences_high if ends else 0,
    }


def _empty(option: OptionResult) -> JsonObject:
    choice = option.choice
    result: JsonObject = {
        "gpu": choice.gpu,
        "count": choice.count,
        **_degrees(choice),
    }
    result.update(dict.fromkeys(_ANSWER_KEYS, 0))
    result.update(_band(option))
    result.update(
        {"max_concurrency": 0.0, "num_blocks": None, "block_size": None, "fits": False, "limit": _limit(option)}
    )
    return result


def _degrees(choice: GpuChoice) -> JsonObject:
    """The layout that was asked for; the GPUs that are left are tensor-parallel, as in `core.layout`."""
    pp, dp = choice.pp or 1, choice.dp or 1
    return {"tp": choice.tp or max(1, choice.count // (pp * dp)), "pp": pp, "dp": dp, "dcp": choice.dcp or 1}


def _limit(option: OptionResult) -> str:
    return "weights" if option.error and option.error.code == "weights-unknown" else "layout"


def _budget(answer: Answer) -> list[JsonValue]:
    return [
        {
            "key": line.key,
            "symbol": line.symbol,
            "label": line.label,
            "value": line.value,
            "unit": line.unit,
            "formula": line.formula,
            "substituted": line.substituted,
            "source": str(line.source),
            "low": line.low,
            "high": line.high,
        }
        for line in answer.budget
    ]


def _sources(sizing: Sizing) -> Mapping[str, JsonValue]:
    sources: JsonObject = {f"model.facts.{key}": str(fact.source) for key, fact in sizing.geometry.facts.items()}
    geometry, weights = sizing.geometry, sizing.weights
    if geometry.max_context:
        sources["model.max_context"] = str(geometry.max_context.source)
    sources["model.dtype"] = str(geometry.model_dtype.source)
    if geometry.checkpoint_kv_dtype:
        sources["kv.dtype"] = str(geometry.checkpoint_kv_dtype.source)
    if weights:
        sources["weights.bytes"] = str(weights.bytes.source)
        if weights.parameters:
            sources["weights.parameters"] = str(weights.parameters.source)
    sources.update(dict.fromkeys(_COUNTED, "derived: the layers of the model, see model.layers"))
    for index, option in enumerate(sizing.options):
        for line in option.answer.budget if option.answer else ():
            sources[f"options.{index}.budget.{line.key}"] = str(line.source)
            named = _OF_LINE.get(line.key)
            if named and line.value == getattr(option.answer, named):
                sources[f"options.{index}.{named}"] = str(line.source)
    return sources


_COUNTED = ("kv.logical_bytes_per_sequence", "kv.fixed_bytes_per_sequence", "kv.marginal_bytes_per_token")
_OF_LINE = {
    "device": "device_bytes",
    "budget": "budget_bytes",
    "weights": "weights_bytes",
    "reserve": "reserve_bytes",
    "pool": "pool_bytes",
    "sequence": "logical_bytes_per_sequence",
    "allocated": "allocated_bytes_per_sequence",
    "blocks": "num_blocks",
    "concurrency": "max_concurrency",
    "tokens": "pool_tokens",
    "sequences": "full_length_sequences",
}
"""Budget lines whose value is that of a field of the option."""


def fact_json(value: object) -> JsonValue:
    """A fact's value as JSON: tuples become lists, anything else that JSON lacks its text."""
    if isinstance(value, (list, tuple)):
        return [fact_json(item) for item in value]
    return value if value is None or isinstance(value, (bool, int, float, str)) else str(value)


def finding_json(finding: Finding) -> JsonObject:
    """A finding as {code, severity, text, remedy}."""
    return {"code": finding.code, "severity": finding.severity.value, "text": finding.text, "remedy": finding.remedy}


def error_json(error: KvdeskError) -> JsonObject:
    """An error, schema `kvdesk.error/1`."""
    return {
        "schema": "kvdesk.error/1",
        "code": error.code,
        "title": error.title,
        "detail": error.detail,
        "remedy": error.remedy,
    }
