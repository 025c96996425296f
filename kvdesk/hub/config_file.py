"""Untrusted bytes -> the object of a config.json.

Real files are not always strict JSON: some hold a bare `Infinity` (Nemotron-H, Mamba-Codestral), some start with a byte
order mark or a newline. Such files are read; a non-finite number stays a float, and `ConfigView` refuses it where the
key is used. Everything else that is not one JSON object is a `SourceError` with the code `malformed-config`.
"""

import json
from collections.abc import Sequence

from kvdesk.core.errors import SourceError
from kvdesk.core.findings import Finding, warning
from kvdesk.core.json_value import JsonValue, holds_half_characters

MAX_BYTES = 10 * 2**20
"""Largest file that is parsed; the largest config.json seen holds a quantisation map of 2 MB."""
MAX_DEPTH = 64
MAX_DIGITS = 400
"""Longest integer read; beyond it Python's own conversion limits would differ by version."""


class ConfigObject(dict[str, JsonValue]):
    """A config.json's object, with what had to be said while reading it."""

    findings: tuple[Finding, ...] = ()


def parse(data: bytes, name: str = "config.json") -> ConfigObject:
    """The JSON object in `data`; `name` is the file's name in messages. Raises `SourceError`."""
    if len(data) > MAX_BYTES:
        raise _malformed(name, f"It is {len(data):,} bytes long; a config.json of more than {MAX_BYTES:,} is not read.")
    text = _decode(data, name)
    duplicates: list[str] = []

    def collect(pairs: Sequence[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
        found = dict(pairs)
        if len(found) != len(pairs):
            duplicates.extend(_contradictions(pairs))
        return found

    try:
        value: JsonValue = json.loads(text, object_pairs_hook=collect, parse_int=_integer)
    except RecursionError as error:
        raise _malformed(name, "It is nested too deeply.") from error
    except ValueError as error:
        raise _malformed(name, f"It is not JSON: {str(error)[:160]}.") from error
    if not isinstance(value, dict):
        raise _malformed(name, f"It holds a JSON {_kind(value)}, not an object.")
    if depth(value) > MAX_DEPTH:
        raise _malformed(name, f"It is nested more than {MAX_DEPTH} levels deep.")
    if "\\ud" in text.lower() and holds_half_characters(value):
        raise _malformed(name, "One of its texts holds half a character (a lone surrogate).")
    found = ConfigObject(value)
    found.findings = tuple(_duplicate(key) for key in dict.fromkeys(duplicates))
    return found


def _decode(data: bytes, name: str) -> str:
    try:
        return data.decode(json.detect_encoding(data)).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        raise _malformed(name, "Its bytes are not text in UTF-8, UTF-16 or UTF-32.") from error


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise ValueError(f"an integer of {len(digits):,} digits")
    return int(digits)


def _contradictions(pairs: Sequence[tuple[str, JsonValue]]) -> list[str]:
    seen: dict[str, JsonValue] = {}
    found = []
    for key, value in pairs:
        if key in seen and seen[key] != value:
            found.append(key)
        seen[key] = value
    return found


def _duplicate(key: str) -> Finding:
    return warning(
        "duplicate-key",
        f"The file gives “{key[:60]}” more than once, with different values; the last one counts.",
        "Check the value in the list of what was read.",
    )


def depth(value: JsonValue) -> int:
    """Levels of nesting, without recursion."""
    depth, level = 0, [value]
    while level:
        depth += 1
        inner: list[JsonValue] = []
        for item in level:
            if isinstance(item, dict):
                inner.extend(item.values())
            elif isinstance(item, list):
                inner.extend(item)
        level = inner
    return depth


def _kind(value: JsonValue) -> str:
    if isinstance(value, list):
        return "array"
    if isinstance(value, str):
        return "string"
    return "null" if value is None else "boolean" if isinstance(value, bool) else "number"


def _malformed(name: str, detail: str) -> SourceError:
    return SourceError(
        "malformed-config",
        f"{name} could not be read.",
        detail,
        "Download the file again, or paste a model id so that kvdesk fetches it.",
    )
