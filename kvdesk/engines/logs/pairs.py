"""Options as engines dump them: Python dicts, keyword lists and command lines, read without evaluating anything."""

import math
import re

from kvdesk.core.json_value import JsonValue

MOST_PAIRS = 2000
MOST_VALUE = 4000
DEEPEST = 6

_KEY = re.compile(
    r"""\s{0,4}(?:'([A-Za-z_][\w.-]{0,80})'|"([A-Za-z_][\w.-]{0,80})"|([A-Za-z_][\w.]{0,80}))\s{0,4}[:=]\s{0,4}"""
)
_INTEGER = re.compile(r"[+-]?\d{1,18}")
_FLOAT = re.compile(r"[+-]?\d{1,18}(?:\.\d{0,18})?(?:[eE][+-]?\d{1,3})?")
_FLAG = re.compile(
    r"(?:^|\s)--?([A-Za-z][\w.-]{0,80})"
    r"(?:[= ]\s{0,4}('[^']{0,400}'|\"[^\"]{0,400}\"|[^\s\\-][^\s\\]{0,400}|-\d[\d.]{0,20}))?"
)
_OPEN = {"(": ")", "[": "]", "{": "}"}
_WORDS: dict[str, JsonValue] = {"None": None, "null": None, "True": True, "true": True, "False": False, "false": False}


def read_pairs(text: str, start: int = 0) -> dict[str, JsonValue]:
    """Top-level `key=value` or `'key': value` pairs from `start` on, up to the first thing that is no pair.

    >>> read_pairs("model='a/b', max_seq_len=8192, rope={'type': 'yarn'}, eager=False)")
    {'model': 'a/b', 'max_seq_len': 8192, 'rope': {'type': 'yarn'}, 'eager': False}
    """
    found, _ = _pairs(text, start, 0)
    return found


def read_flags(text: str) -> dict[str, JsonValue]:
    """Options of a command line by their Python names; a flag without a value is True.

    >>> read_flags("vllm serve a/b --max-model-len 8192 --enforce-eager -tp 2")
    {'max_model_len': 8192, 'enforce_eager': True, 'tp': 2}
    """
    found: dict[str, JsonValue] = {}
    for match in _FLAG.finditer(text):
        if len(found) >= MOST_PAIRS:
            break
        name, value = match.group(1).replace("-", "_"), match.group(2)
        found[name] = True if value is None else scalar(value.strip("'\""))
    return found


def scalar(text: str) -> JsonValue:
    """A word as a number, a truth value, None or itself."""
    word = text.strip()
    if word in _WORDS:
        return _WORDS[word]
    if _INTEGER.fullmatch(word):
        return int(word)
    if _FLOAT.fullmatch(word) and math.isfinite(float(word)):
        return float(word)
    return word[:MOST_VALUE]


def _pairs(text: str, at: int, depth: int) -> tuple[dict[str, JsonValue], int]:
    found: dict[str, JsonValue] = {}
    while at < len(text) and len(found) < MOST_PAIRS:
        match = _KEY.match(text, at)
        if match is None:
            break
        value, at = _value(text, match.end(), depth)
        found[match.group(1) or match.group(2) or match.group(3)] = value
        while at < len(text) and text[at] in " \t":
            at += 1
        if at >= len(text) or text[at] != ",":
            break
        at += 1
    return found, at


def _value(text: str, at: int, depth: int) -> tuple[JsonValue, int]:
    if at >= len(text):
        return None, at
    first = text[at]
    if first in "'\"":
        return _quoted(text, at)
    if first in _OPEN:
        return _bracketed(text, at, depth)
    end = at
    while end < len(text) and text[end] not in ",)]}":
        if text[end] in "([{<":  # a call such as CompilationConfig(...) or <Enum: ...>
            return _call(text, at, end)
        end += 1
    return scalar(text[at:end]), end


def _quoted(text: str, at: int) -> tuple[str, int]:
    quote, end = text[at], at + 1
    while end < len(text) and text[end] != quote:
        end += 2 if text[end] == "\\" else 1
    return text[at + 1 : min(end, at + 1 + MOST_VALUE)], min(end + 1, len(text))


def _bracketed(text: str, at: int, depth: int) -> tuple[JsonValue, int]:
    end = _closing(text, at)
    inner = text[at + 1 : end - 1]
    if depth >= DEEPEST:
        return inner[:MOST_VALUE], end
    if text[at] == "{":
        return _pairs(inner, 0, depth + 1)[0], end
    items: list[JsonValue] = []
    position = 0
    while position < len(inner) and len(items) < MOST_PAIRS:
        while position < len(inner) and inner[position] in " ,\t":
            position += 1
        if position >= len(inner):
            break
        item, after = _value(inner, position, depth + 1)
        items.append(item)
        position = max(after, position + 1)
    return items, end


def _call(text: str, at: int, opened: int) -> tuple[str, int]:
    if text[opened] == "<":
        end = text.find(">", opened)
        end = len(text) if end < 0 else end + 1
    else:
        end = _closing(text, opened)
    return text[at : min(end, at + MOST_VALUE)].strip(), end


def _closing(text: str, at: int) -> int:
    """The place after the bracket that closes the one at `at`; the end of the text where none does."""
    depth, position = 0, at
    while position < len(text):
        character = text[position]
        if character in "'\"":
            _, position = _quoted(text, position)
            continue
        if character in "([{":
            depth += 1
        elif character in ")]}":
            depth -= 1
            if depth == 0:
                return position + 1
        position += 1
    return len(text)
