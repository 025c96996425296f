"""Reading an engine's options: typed values by the engine's own names; unknown ones are refused."""

from collections.abc import Iterable, Mapping

from kvdesk.core.errors import UsageError
from kvdesk.core.json_value import JsonValue


class Arguments:
    """The options of one question, read by name.

    Names may be written as on the engine's command line (`--mem-fraction-static`) or in Python
    (`mem_fraction_static`). Values of the wrong type are usage errors (`bad-engine-arg`).
    """

    def __init__(self, given: Mapping[str, JsonValue], *, aliases: Mapping[str, str] | None = None) -> None:
        table = aliases or {}
        self._given: dict[str, JsonValue] = {}
        for key, value in given.items():
            name = key.strip().lstrip("-").replace("-", "_")
            self._given[table.get(name, name)] = value

    def has(self, name: str) -> bool:
        """Whether the option was given."""
        return self._given.get(name) is not None

    def integer(self, name: str, default: int, *, least: int = 0, most: int = 2**53) -> int:
        """A whole number in `least`..`most`."""
        value = self._given.get(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, int) or not least <= value <= most:
            raise _bad(name, value, f"a whole number from {least:,} to {most:,}")
        return value

    def fraction(self, name: str, default: float | None, *, most: float = 1.0) -> float | None:
        """A number above 0 and at most `most`."""
        value = self._given.get(name)
        if value is None:
            return default
        if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 < value <= most:
            raise _bad(name, value, f"a number above 0 and at most {most:g}")
        return float(value)

    def flag(self, name: str, *, default: bool = False) -> bool:
        """True or false, also written as on, off, auto (the default), 1 and 0."""
        value = self._given.get(name)
        word = str(value).strip().lower()
        if value is None or word == "auto":
            return default
        if word in ("true", "on", "1", "yes"):
            return True
        if word in ("false", "off", "0", "no"):
            return False
        raise _bad(name, value, "true or false")

    def text(self, name: str, default: str = "") -> str:
        """A word, in small letters."""
        value = self._given.get(name)
        if value is None:
            return default
        if not isinstance(value, str):
            raise _bad(name, value, "a word")
        return value.strip().lower()

    def integers(self, name: str) -> tuple[int, ...]:
        """A list of positive whole numbers; one number is a list of one."""
        value = self._given.get(name)
        if value is None:
            return ()
        items = value if isinstance(value, list) else [value]
        numbers = [item for item in items if isinstance(item, int) and not isinstance(item, bool) and item > 0]
        if len(numbers) != len(items) or len(numbers) > 4096:
            raise _bad(name, value, "a list of positive whole numbers")
        return tuple(numbers)

    def refuse_unknown(self, known: Iterable[str], title: str) -> None:
        """Raise `UsageError` (`unknown-engine-arg`) for the first option that the engine is not known to have.

        An option that is not understood could change every figure, so nothing is sized with it.
        """
        for name in sorted(set(self._given) - frozenset(known)):
            raise UsageError(
                "unknown-engine-arg",
                f"“{name[:60]}” is not an option of {title} that kvdesk knows.",
                "What it does to memory is not known, so nothing was sized with it.",
                "Check the spelling, or leave the option out and give the pool that the engine prints.",
            )


def _bad(name: str, value: JsonValue, wanted: str) -> UsageError:
    return UsageError("bad-engine-arg", f"{name} must be {wanted}, not {str(value)[:60]}.")
