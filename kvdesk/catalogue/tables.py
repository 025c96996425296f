"""TOML files that are arrays of tables, read one table at a time.

Parsing a whole catalogue costs tens of milliseconds, which a command line that needs one entry must not pay. The files
are written one field to a line, so that a table can be cut out by its `id` line before it is parsed.
"""

import tomllib
from collections.abc import Iterator
from decimal import Decimal

Value = str | bool | int | Decimal | list["Value"] | dict[str, "Value"]
Table = dict[str, Value]


def parse(text: str, array: str) -> tuple[Table, ...]:
    """Every `[[array]]` table of `text`."""
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
    return parse(text[start : end if end >= 0 else None], array)[0]


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
