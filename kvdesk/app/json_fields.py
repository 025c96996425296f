"""Typed access to JSON that came from a file: wrong types are errors that name the key."""

import math
from collections.abc import Mapping
from types import MappingProxyType

from kvdesk.core.errors import SourceError
from kvdesk.core.json_value import JsonValue

LARGEST = 2**63
MOST_ITEMS = 1000


class Fields:
    """One object of a file; `path` is where it stands in it."""

    def __init__(self, values: dict[str, JsonValue], path: str = "") -> None:
        self.values = values
        self._path = path

    def bad(self, key: str, why: str) -> SourceError:
        """The error for a value that cannot be used."""
        where = f"{self._path}.{key}" if self._path else key
        return SourceError(
            "bad-scenario", "This scenario file cannot be used.", f"“{where}” {why}.", "Open a file that kvdesk saved."
        )

    def text(self, key: str) -> str | None:
        """A text; None where it is absent or null."""
        value = self.values.get(key)
        if value is not None and not isinstance(value, str):
            raise self.bad(key, "is not text")
        return value

    def integer(self, key: str, default: int | None = None) -> int | None:
        """A whole number from 0 to 2^63; `default` where it is absent or null."""
        value = self.values.get(key)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int):
            raise self.bad(key, "is not a whole number")
        if not 0 <= value <= LARGEST:
            raise self.bad(key, "is out of range")
        return value

    def number(self, key: str) -> float | None:
        """A finite number; None where it is absent or null."""
        value = self.values.get(key)
        if value is None:
            return None
        if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
            raise self.bad(key, "is not a number")
        return float(value)

    def flag(self, key: str, *, default: bool) -> bool:
        """True or false."""
        value = self.values.get(key, default)
        if not isinstance(value, bool):
            raise self.bad(key, "is neither true nor false")
        return value

    def object(self, key: str) -> "Fields":
        """An object; an empty one where it is absent or null."""
        value = self.values.get(key)
        if value is None:
            return Fields({}, f"{self._path}.{key}".lstrip("."))
        if not isinstance(value, dict):
            raise self.bad(key, "is not an object")
        return Fields(value, f"{self._path}.{key}".lstrip("."))

    def mapping(self, key: str) -> Mapping[str, JsonValue]:
        """An object as an unchangeable mapping."""
        return MappingProxyType(dict(self.object(key).values))

    def objects(self, key: str) -> list["Fields"]:
        """A list of objects; an empty one where it is absent or null."""
        value = self.values.get(key)
        if value is None:
            return []
        if not isinstance(value, list) or len(value) > MOST_ITEMS:
            raise self.bad(key, "is not a list of reasonable length")
        result = []
        for at, item in enumerate(value):
            if not isinstance(item, dict):
                raise self.bad(f"{key}[{at}]", "is not an object")
            result.append(Fields(item, f"{self._path}.{key}[{at}]".lstrip(".")))
        return result
