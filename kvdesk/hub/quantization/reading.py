"""From a config's `quantization_config` (or the side file beside it) to a scheme.

Formats of the many methods: transformers `quantizers/`, vLLM 0.33 `model_executor/layers/quantization/`. Whatever is
malformed or unknown is counted at 16 bits, which is never too little.
"""

import json
from collections.abc import Iterable, Mapping
from itertools import islice

from kvdesk.core.json_value import JsonValue
from kvdesk.core.number_formats import FORMATS, NumberFormat
from kvdesk.core.values import replace
from kvdesk.hub.quantization import formats
from kvdesk.hub.quantization.modules import Selection, select
from kvdesk.hub.quantization.scheme import Scheme

SIDE_FILE = "hf_quant_config.json"
Fields = Mapping[str, JsonValue]
KEPT = ("ignore", "modules_to_not_convert", "exclude_modules", "llm_int8_skip_modules", "ignored_layers")
PLAIN = Scheme(name="")
EXPERTS = Selection(None, frozenset({"experts"}))
MAX_NAMES = 200_000
GROUPED = (
    "awq",
    "gptq",
    "auto-round",
    "auto_round",
    "gptqmodel",
    "autoawq",
    "awq_marlin",
    "gptq_marlin",
    "hqq",
    "aqlm",
)


def scheme(config: Fields, side_files: Mapping[str, bytes] | None = None) -> Scheme:
    """The scheme that `config` or a side file describes; plain 16 bits where neither does."""
    for place in (config, config.get("text_config"), config.get("llm_config"), config.get("language_config")):
        if not isinstance(place, dict):
            continue
        for key in ("quantization_config", "quantization"):
            found = place.get(key)
            if isinstance(found, dict) and found:
                return _with_experts(config, _read(found))
    found = _side_file(side_files or {})
    return _with_experts(config, _read(found) if found else PLAIN)


def _with_experts(config: Fields, found: Scheme) -> Scheme:
    """DeepSeek-V4 names its experts' format beside the scheme (`expert_dtype` "fp4": MXFP4)."""
    if config.get("expert_dtype") == "fp4" and found.name in ("", "fp8"):
        return replace(found, chosen=(*found.chosen, (EXPERTS, FORMATS["mxfp4"])))
    return found


def _side_file(side_files: Mapping[str, bytes]) -> Fields:
    try:
        values = json.loads(side_files.get(SIDE_FILE, b"{}"))
    except (ValueError, RecursionError):
        return {}
    inner = values.get("quantization") if isinstance(values, dict) else None
    return inner if isinstance(inner, dict) else {}


def _read(fields: Fields) -> Scheme:
    method = _text(fields, "quant_method").lower()
    kept = _selections(name for key in KEPT for name in _names(fields.get(key)))
    layers = fields.get("quantized_layers")
    if isinstance(layers, dict) and layers:
        return Scheme(name=method or "modelopt", kept=kept, chosen=_layers(layers))
    if isinstance(fields.get("config_groups"), dict):
        return _groups(fields, method or "compressed-tensors", kept)
    if _text(fields, "quant_algo"):
        fmt = algorithm(_text(fields, "quant_algo"), _size(fields, "group_size"))
        return Scheme(name=method or "modelopt", default=fmt, kept=kept, known=fmt is not None)
    return _method(fields, method, kept)


def _method(fields: Fields, method: str, kept: tuple[Selection, ...]) -> Scheme:
    """Methods that name one format for all linear layers."""
    bits, group = _size(fields, "bits", "w_bit", "nbits"), _size(fields, "group_size", "q_group_size")
    fmt: NumberFormat | None = None
    if method in ("fp8", "fbgemm_fp8"):
        rows, columns = _block(fields.get("weight_block_size"))
        fmt = formats.fp8_blocks(rows, columns) if rows else FORMATS["fp8"]
    elif method == "mxfp4":
        return Scheme(name=method, kept=kept, chosen=((EXPERTS, FORMATS["mxfp4"]),))
    elif method in ("bitsandbytes", "bnb") or fields.get("load_in_4bit") or fields.get("load_in_8bit"):
        four = fields.get("load_in_4bit") is True or fields.get("_load_in_4bit") is True
        fmt = formats.normal_float(double=fields.get("bnb_4bit_use_double_quant") is True) if four else FORMATS["int8"]
    elif method == "mxfp8":
        fmt = FORMATS["mxfp8"]
    elif not method and bits and group:
        return Scheme(name="mlx", default=formats.mlx(bits, group), everywhere=True, kept=kept)
    elif bits and method in GROUPED:
        fmt = formats.integers(bits, group, zeros=True)
    return Scheme(name=method or "unknown", default=fmt, kept=kept, known=fmt is not None)


def _groups(fields: Fields, method: str, kept: tuple[Selection, ...]) -> Scheme:
    """compressed-tensors and ModelOpt: groups of modules, each with its format; "Linear" means all linear layers."""
    groups = fields["config_groups"]
    default: NumberFormat | None = None
    chosen: list[tuple[Selection, NumberFormat]] = []
    for group in groups.values() if isinstance(groups, dict) else ():
        weights = group.get("weights") if isinstance(group, dict) else None
        fmt = _weights(weights) if isinstance(weights, dict) else None
        if fmt is None or not isinstance(group, dict):
            continue
        for target in _names(group.get("targets")):
            if target == "Linear":
                default = fmt
            else:
                chosen.append((select(target), fmt))
    return Scheme(
        name=method, default=default, kept=kept, chosen=_distinct(chosen), known=default is not None or bool(chosen)
    )


def _weights(weights: Fields) -> NumberFormat | None:
    bits, group = _size(weights, "num_bits"), _size(weights, "group_size")
    if not bits or bits > 16:
        return None
    if _text(weights, "type") == "float":
        if bits == 8 and _text(weights, "strategy") == "block":
            rows, columns = _block(weights.get("block_structure"))
            return formats.fp8_blocks(rows, columns) if rows else FORMATS["fp8"]
        return formats.floating(bits, group)
    return formats.integers(bits, group, zeros=weights.get("symmetric") is False)


def _layers(layers: Fields) -> tuple[tuple[Selection, NumberFormat], ...]:
    """ModelOpt's mixed precision: an algorithm for each module; modules that are not listed stay in 16 bits."""
    found: dict[tuple[str, str], tuple[Selection, NumberFormat]] = {}
    for name, entry in islice(layers.items(), MAX_NAMES):
        if not isinstance(entry, dict):
            continue
        algo = _text(entry, "quant_algo")
        module = name[:200].partition(".experts.")[0] + ".experts" if ".experts." in name else name[:200]
        fmt = algorithm(algo, _size(entry, "group_size")) if (module, algo) not in found else None
        if fmt is not None:
            found[module, algo] = (select(module), fmt)
    return _distinct(found.values())


def algorithm(name: str, group: int | None) -> NumberFormat | None:
    """A format by ModelOpt's name of the algorithm; None where that is not known."""
    name = name.upper()
    if "NVFP4" in name:
        return FORMATS["nvfp4"]
    if "MXFP4" in name:
        return FORMATS["mxfp4"]
    if "MXFP8" in name:
        return FORMATS["mxfp8"]
    if "FP8" in name and "W4" not in name:
        return FORMATS["fp8"]
    if "W4A16" in name or "W4A8" in name or name.startswith("INT4"):
        return formats.integers(4, group or 128)
    return FORMATS["int8"] if "W8A8" in name or name.startswith("INT8") else None


def _distinct(
    found: Iterable[tuple[Selection, NumberFormat]],
) -> tuple[tuple[Selection, NumberFormat], ...]:
    return tuple(dict.fromkeys(pair for pair in found if pair[0].parts))


def _selections(names: Iterable[str]) -> tuple[Selection, ...]:
    return tuple(dict.fromkeys(found for name in names if (found := select(name)).parts))


def _names(value: JsonValue) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(name[:200] for name in value[:MAX_NAMES] if isinstance(name, str)) if isinstance(value, list) else ()


def _text(fields: Fields, key: str) -> str:
    value = fields.get(key)
    return value[:60] if isinstance(value, str) else ""


def _size(fields: Fields, *keys: str) -> int | None:
    for key in keys:
        value = fields.get(key)
        if isinstance(value, int) and not isinstance(value, bool) and 0 < value <= formats.MAX_BLOCK:
            return value
    return None


def _block(value: JsonValue) -> tuple[int, int]:
    """Rows and columns that share a scale; (0, 0) where none are given."""
    if isinstance(value, list) and len(value) == 2:
        rows, columns = value
        if isinstance(rows, int) and isinstance(columns, int) and 0 < rows <= 4096 and 0 < columns <= 4096:
            return rows, columns
    return 0, 0
