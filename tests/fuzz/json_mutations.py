"""Ways to break any JSON value, text or log: cheap, so that millions can be tried."""

import random
from typing import Any

from tests.fuzz.mutations import BAD_FOR_COUNTS, ODD

VALUES: tuple[Any, ...] = (
    *BAD_FOR_COUNTS,
    *ODD,
    -1,
    2**63,
    2**64 + 1,
    "\ud800",
    "\x00\x1b[2J\u202e",
    "../../etc/passwd",
    "x" * 5000,
    [[]],
    [None],
    {"": None},
    {"value": -1},
)
"""What is put in the place of something."""
PIECES = (
    "",
    "\0",
    "\ufeff",
    "\ud800",
    "\x1b[31m",
    "-1",
    "1e999",
    "9" * 30,
    "NaN",
    "Infinity",
    "0",
    ",",
    ";",
    "=",
    '"',
    "'",
    "\n",
    "\r",
    "[",
    "{",
    "(" * 40,
    " " * 200,
    "x=" * 100,
    "１２",
    "GiB",
    "%",
    "..",
    "/",
)
"""What is put into a text."""


def changed(value: Any, rng: random.Random) -> Any:  # noqa: ANN401 - any JSON at all
    """One change somewhere inside `value`; only the way to it is copied."""
    if isinstance(value, dict) and value and rng.random() < 0.9:
        return _changed_object(value, rng)
    if isinstance(value, list) and value and rng.random() < 0.9:
        return _changed_list(value, rng)
    return rng.choice(VALUES)


def _changed_object(value: dict[str, Any], rng: random.Random) -> dict[str, Any]:
    key = rng.choice(list(value))
    dice = rng.random()
    if dice < 0.08:
        return {name: item for name, item in value.items() if name != key}
    if dice < 0.12:
        return {(name + "x" if name == key else name): item for name, item in value.items()}
    if dice < 0.16:
        return {**value, rng.choice(("", "x", key.upper(), "\ud800")): rng.choice(VALUES)}
    return {**value, key: changed(value[key], rng)}


def _changed_list(value: list[Any], rng: random.Random) -> list[Any]:
    at = rng.randrange(len(value))
    dice = rng.random()
    if dice < 0.08:
        return value[:at]
    if dice < 0.16:
        return value * rng.choice((2, 5))
    return [*value[:at], changed(value[at], rng), *value[at + 1 :]]


def changed_text(text: str, rng: random.Random) -> str:
    """One to four cuts, inserted pieces or doubled parts."""
    for _ in range(rng.randint(1, 4)):
        first = rng.randrange(len(text) + 1)
        last = min(len(text), first + rng.choice((0, 1, 1, 3, 8, 30)))
        piece = rng.choice((rng.choice(PIECES), text[first:last] * 2, chr(rng.randrange(0x250))))
        text = text[:first] + piece + text[last:]
    return text


def changed_log(text: str, rng: random.Random) -> str:
    """Lines dropped, doubled, swapped, joined or changed."""
    lines = text.split("\n")
    for _ in range(rng.randint(1, 3)):
        at, other = rng.randrange(len(lines)), rng.randrange(len(lines))
        dice = rng.randrange(6)
        if dice == 0 and len(lines) > 1:
            del lines[at]
        elif dice == 1:
            lines.insert(at, lines[other])
        elif dice == 2:
            lines[at], lines[other] = lines[other], lines[at]
        elif dice == 3:
            lines[at] += lines[other]
        elif dice == 4 and rng.random() < 0.02:
            lines[at] *= 500
        else:
            lines[at] = changed_text(lines[at], rng)
    return "\n".join(lines)
