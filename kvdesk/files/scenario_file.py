"""Scenario files: plain JSON with a schema, sorted keys and a stable order, so that they can be mailed and diffed.

Only the envelope is known here; what is in it, `app.scenario_json` knows.
"""

import json
from collections.abc import Callable, Mapping
from pathlib import Path

from kvdesk.core.errors import SourceError
from kvdesk.core.json_value import JsonValue, holds_half_characters
from kvdesk.files.reading import read_bounded
from kvdesk.hub import config_file
from kvdesk.report.atomic import write_bytes

SUFFIX = ".kvdesk"
NAME = "kvdesk.scenario"
VERSION = 1
MAX_BYTES = 16 * 2**20
MAX_DEPTH = 80
"""A config may nest 64 levels, and stands a few levels down."""

JsonObject = dict[str, JsonValue]

MIGRATIONS: Mapping[int, Callable[[JsonObject], JsonObject]] = {}
"""For each older version, what turns a file of it into one of the next version."""


def is_scenario(path: Path) -> bool:
    """Whether a file calls itself a scenario: by its ending, or by the schema in its first bytes."""
    if path.suffix == SUFFIX:
        return True
    try:
        # A pipe can be read only once, and that is not to find out what it is.
        return path.is_file() and b'"kvdesk.scenario/' in read_bounded(path, 4096)
    except OSError:
        return False


def read(path: Path) -> JsonObject:
    """The contents of a scenario file in the present schema. Raises `SourceError`."""
    try:
        data = read_bounded(path, MAX_BYTES + 1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise SourceError(
            "unreadable-file", f"“{path.name}” cannot be read.", f"{reason}.", "Check the path and its permissions."
        ) from error
    return parse(data, path.name)


def parse(data: bytes, name: str) -> JsonObject:
    """The same from bytes; `name` is what errors call the file."""
    if len(data) > MAX_BYTES:
        raise _bad(name, f"It is larger than {MAX_BYTES >> 20} MiB.")
    try:
        contents = json.loads(data.decode("utf-8-sig"), parse_constant=_refuse_constant)
    except RecursionError as error:
        raise _bad(name, "Its values are nested too deeply.") from error
    except ValueError as error:
        raise _bad(name, f"It is not JSON: {str(error)[:120]}.") from error
    if not isinstance(contents, dict):
        raise _bad(name, "It is JSON, but not an object.")
    if config_file.depth(contents) > MAX_DEPTH:
        raise _bad(name, "Its values are nested too deeply.")
    if b"\\ud" in data.lower() and holds_half_characters(contents):
        raise _bad(name, "One of its texts holds half a character (a lone surrogate).")
    return _migrated(contents, name)


def write(path: Path, contents: JsonObject) -> None:
    """Write the contents under the present schema, whole or not at all. Raises `KvdeskError` (`cannot-write`)."""
    write_bytes(path, dumped(contents))


def dumped(contents: JsonObject) -> bytes:
    """The bytes of a file: the same contents give the same bytes."""
    whole: JsonObject = {"schema": f"{NAME}/{VERSION}", **contents}
    return (json.dumps(whole, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _migrated(contents: JsonObject, name: str) -> JsonObject:
    version = _version(contents, name)
    if version > VERSION:
        raise SourceError(
            "newer-scenario",
            f"“{name}” was written by a newer kvdesk.",
            f"Its schema is {NAME}/{version}; this kvdesk reads up to {NAME}/{VERSION}.",
            "Update kvdesk and open it again.",
        )
    while version < VERSION:
        step = MIGRATIONS.get(version)
        if step is None:
            raise _bad(name, f"Its schema {NAME}/{version} is not known.")
        contents = step(contents)
        version += 1
    return contents


def _version(contents: JsonObject, name: str) -> int:
    schema = contents.get("schema")
    head, _, tail = schema.partition("/") if isinstance(schema, str) else ("", "", "")
    if head != NAME or not (tail.isascii() and tail.isdigit() and len(tail) < 6):
        raise _bad(name, f"It has no schema {NAME}/{VERSION}.")
    return int(tail)


def _bad(name: str, why: str) -> SourceError:
    return SourceError("bad-scenario", f"“{name}” is not a scenario file.", why, "Open a file that kvdesk saved.")


def _refuse_constant(text: str) -> float:
    raise ValueError(f"{text} is not a number of JSON")
