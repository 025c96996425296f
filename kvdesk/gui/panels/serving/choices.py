"""What the fields of the serving panel offer and how they read what is typed."""

import json
import re
from functools import cache

from kvdesk.core import number_formats
from kvdesk.core.errors import UsageError
from kvdesk.core.json_value import JsonValue
from kvdesk.core.units import parse_size
from kvdesk.engines import registry

KV_FORMATS = ("bf16", "fp16", "fp8", "int8", "int4", "nvfp4", "fp8_ds_mla", "q8_0", "q4_0", "fp32")
WEIGHT_FORMATS = ("bf16", "fp16", "fp8", "int8", "int4", "nvfp4", "mxfp4", "q8_0", "q5_0", "q4_0", "fp32")
ENGINE_TITLES = {
    "vllm": "vLLM",
    "sglang": "SGLang",
    "tensorrt_llm": "TensorRT-LLM",
    "llama_cpp": "llama.cpp",
    "plain": "Textbook (plain)",
}

_BARE = re.compile(r"[0-9.,_ ]{1,6}")
_PERCENT = re.compile(r"([0-9]{1,3}(?:[.,][0-9]{1,4})?)\s{0,2}%")


@cache
def engine_names() -> tuple[str, ...]:
    """The engines whose profile can be used, the textbook last."""
    return tuple(name for name in ENGINE_TITLES if _is_there(name))


@cache
def format_items(names: tuple[str, ...]) -> tuple[tuple[str, object], ...]:
    """Formats with their bits."""
    return tuple((f"{name} · {number_formats.FORMATS[name].bits_per_element}", name) for name in names)


def size(text: str) -> int:
    """A size with a unit; a small number without one is asked back rather than taken for bytes."""
    if _BARE.fullmatch(text):
        raise UsageError("bad-size", f"{text.strip()} of what?", "", f"Write {text.strip()}GB or {text.strip()}GiB.")
    return parse_size(text)


def fraction(text: str) -> float:
    """`0.92` or `92 %`, above 0 and at most 1."""
    match = _PERCENT.fullmatch(text)
    try:
        value = float(match.group(1).replace(",", ".")) / 100 if match else float(text.replace(",", "."))
    except ValueError as error:
        raise UsageError("bad-fraction", "That is not a number.", "", "Write for example 0.92 or 92 %.") from error
    if not 0 < value <= 1:
        raise UsageError("bad-fraction", "It must be above 0 and at most 1.", "", "Write for example 0.92 or 92 %.")
    return value


def engine_arguments(text: str) -> dict[str, JsonValue]:
    """`key=value` pairs apart by spaces or commas; values as JSON where they are JSON."""
    result: dict[str, JsonValue] = {}
    for pair in _pairs(text):
        key, mark, value = pair.partition("=")
        key = key.strip().lstrip("-").replace("-", "_")
        if not mark or not key:
            raise UsageError("bad-engine-arg", f"“{pair[:40]}” is not key=value.", "", "max_num_batched_tokens=2048")
        result[key] = _value(value)
    return result


def spelled_arguments(arguments: dict[str, JsonValue]) -> str:
    """The pairs as one would type them."""
    return " ".join(f"{key}={_spelled(value)}" for key, value in sorted(arguments.items()))


def _pairs(text: str) -> list[str]:
    """Parts between spaces and commas that stand outside of brackets and quotes."""
    parts, depth, quoted = [""], 0, False
    for sign in text:
        quoted ^= sign == '"'
        depth += 0 if quoted else (sign in "[{") - (sign in "]}")
        if depth <= 0 and not quoted and (sign.isspace() or sign == ","):
            parts.append("")
        else:
            parts[-1] += sign
    return [part for part in parts if part]


def _value(text: str) -> JsonValue:
    try:
        value: JsonValue = json.loads(text)
    except (ValueError, RecursionError):
        return {"True": True, "False": False}.get(text, text)
    return value


def _spelled(value: JsonValue) -> str:
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def _is_there(name: str) -> bool:
    from importlib.util import find_spec

    return name in registry.NAMES and find_spec(f"kvdesk.engines.{name}.profile") is not None
