"""The user's own values laid over a config before it is read."""

from collections.abc import Mapping

from kvdesk.core.errors import UsageError
from kvdesk.core.json_value import JsonValue


def lay_over(
    config: Mapping[str, JsonValue], overrides: Mapping[str, JsonValue]
) -> tuple[Mapping[str, JsonValue], dict[str, JsonValue]]:
    """A copy of `config` with `overrides` by key path, and what the file said at each path (None for nothing).

    Raises `UsageError` (`bad-override`) for a path that leads through something that is not an object.
    """
    result: dict[str, JsonValue] = dict(config)
    before: dict[str, JsonValue] = {}
    for path, value in overrides.items():
        *sections, key = path.split(".")
        place = result
        for section in sections:
            inner = place.get(section)
            if inner is not None and not isinstance(inner, dict):
                raise UsageError("bad-override", f"“{path[:80]}” cannot be set: “{section[:40]}” is not an object.")
            place[section] = place = dict(inner or {})
        before[path] = place.get(key)
        place[key] = value
    return result, before
