"""TOML files that are arrays of tables, read one table at a time.

Parsing a whole catalogue costs tens of milliseconds, which a command line that needs one entry must not pay. The
files are written one field to a line, in values that are JSON as well as TOML, so that a table can be cut out by its
`id` line and read without loading a TOML parser.
"""

import json
from collections.abc import Iterator
from decimal import Decimal

Value = str | bool | int | Decimal | list["Value"] | dict[str, "Value"]
Table = dict[str, Value]


def parse(text: str, array: str) -> tuple[Table, ...]:
    """Every `[[array]]` table of `text`."""
    import tomllib

    tables: list[Table] = tomllib.loads(text, parse_float=Decimal)[array]
    return tuple(tables)


def cut(text: str, array: str, key: str, value: str) -> Table | None:
    """The one `[[array]]` table of `text` whose line reads `key = "value"`, or None."""
    header = f"[[{array}]]\n"
    line = text.find(f'\n{key} = "{value}"\n')
    if line < 0:
        return None
    start = text.rfind(header, 0, line + 1)
    end = text.find(header, line)
    chunk = text[start : end if end >= 0 else None]
    try:
        return dict(_fields(chunk.removeprefix(header)))
    except ValueError:  # a value over several lines
        return parse(chunk, array)[0]


def _fields(text: str) -> Iterator[tuple[str, Value]]:
    """The fields of a table whose values take one line each; `ValueError` where one does not."""
    for line in text.splitlines():
        if line and not line.startswith("#"):
            key, _, value = line.partition(" = ")
            yield key, json.loads(value, parse_float=Decimal)


def values(text: str, key: str) -> Iterator[str]:
    """The values of every line `key = "value"` of `text`, in order, without parsing the rest."""
    start = f'{key} = "'
    for line in text.splitlines():
        if line.startswith(start):
            yield line[len(start) : -1]


def string(table: Table, key: str) -> str:
    """The text under `key`, "" where it is absent; raises `TypeError` for anything else."""
    value = table.get(key, "")
    if not isinstance(value, str):
        raise TypeError(f"{key} is not text: {value!r}")
    return value


def number(table: Table, key: str) -> Decimal | None:
    """The number under `key`, exact, None where it is absent; raises `TypeError` for anything else."""
    value = table.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise TypeError(f"{key} is not a number: {value!r}")
    return Decimal(value)


def integer(table: Table, key: str) -> int | None:
    """The integer under `key`, None where it is absent; raises `TypeError` for anything else."""
    value = table.get(key)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"{key} is not an integer: {value!r}")
    return value


def strings(table: Table, key: str) -> tuple[str, ...]:
    """The list of texts under `key`, () where it is absent; raises `TypeError` for anything else."""
    value = table.get(key, [])
    if not isinstance(value, list):
        raise TypeError(f"{key} is not a list: {value!r}")
    texts = tuple(item for item in value if isinstance(item, str))
    if len(texts) != len(value):
        raise TypeError(f"{key} holds something else than text: {value!r}")
    return texts
