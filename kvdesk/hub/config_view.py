"""Typed access to a config.json that remembers what was read and where it came from.

How to use it: open a view with `open_view`, ask for values by key, nested objects by `section`. Every getter takes
several spellings of a key, the first one found counts; a class's own renames (`n_embd` for `hidden_size`) are added by
the view. The order of sources is: the user's override, the file, the class default of the model type. `null` in the
file is a value: it hides the class default.

    view = open_view(config) text = view.section("text_config", "llm_config") or view layers =
    text.integer("num_hidden_layers", maximum=MAX_LAYERS) head_dim = text.integer_or_none("head_dim") or
    text.derive("head_dim", hidden // heads, "hidden_size / num_attention_heads")

A value of the wrong type or out of range is a *fault*: it is collected, the getter returns the smallest legal value,
and `raise_faults` refuses with all of them at once. Code that uses views therefore never checks types itself, but must
call `raise_faults` before it trusts its result.
"""

from collections.abc import Iterable, Mapping
from typing import TypeVar

from kvdesk.core.errors import RefusalError
from kvdesk.core.findings import Finding
from kvdesk.core.geometry import FactValue
from kvdesk.core.json_value import JsonValue
from kvdesk.core.sourced import Origin, Source, Sourced
from kvdesk.core.values import dataclass, field
from kvdesk.hub import class_defaults
from kvdesk.hub.class_defaults import ClassDefaults

LIMIT = 2**40
"""Largest number taken for a size; the largest real one is a context of 10,485,760 tokens."""
MAX_LAYERS = 4096
"""Most layers taken; the deepest real model has 126."""
Value = TypeVar("Value", bound=FactValue)
BY_HAND = "Correct the value, or enter the geometry by hand."


@dataclass(slots=True)
class Reading:
    """What reading one config collects: facts by key path, faults, findings, and the paths that were used."""

    where: str = "config.json"
    origin: Origin = Origin.CONFIG
    model_dtype: str = "bf16"
    """Name of the number format the engines would run the model in."""
    overridden: Mapping[str, JsonValue] = field(default_factory=dict)
    """Key path -> what the file says there (None where it says nothing), for every value that the user typed."""
    facts: dict[str, Sourced[FactValue]] = field(default_factory=dict)
    faults: dict[str, str] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    used: set[str] = field(default_factory=set)

    def source(self, path: str) -> Source:
        """The source of the file's or the user's value at `path`."""
        if path in self.overridden:
            before = self.overridden[path]
            return Source(
                Origin.USER, f"{path}, was {_short(before)}" if before is not None else f"{path}, not in {self.where}"
            )
        return Source(self.origin, path if self.where == "config.json" else f"{path} ({self.where})")

    def raise_faults(self) -> None:
        """Refuse with every fault collected so far, if any."""
        if self.faults:
            count = len(self.faults)
            title = (
                "A value in the config makes no sense."
                if count == 1
                else f"{count} values in the config make no sense."
            )
            raise RefusalError("bad-value", title, " ".join(self.faults.values()), BY_HAND)


@dataclass(frozen=True, slots=True)
class Found:
    """A raw value, its key path and its source."""

    value: JsonValue
    path: str
    source: Source


class ConfigView:
    """One object of a config, at `prefix` (`""` or `"text_config."`)."""

    __slots__ = ("_values", "defaults", "model_type", "prefix", "reading")

    def __init__(
        self,
        values: Mapping[str, JsonValue],
        reading: Reading,
        *,
        prefix: str = "",
        defaults: ClassDefaults | None = None,
    ) -> None:
        self._values = values
        self.reading = reading
        self.prefix = prefix
        self.defaults = defaults
        own = values.get("model_type")
        self.model_type = own if isinstance(own, str) and own else defaults.model_type if defaults else ""

    @property
    def label(self) -> str:
        """The model type for messages."""
        return f"the model type “{self.model_type[:60]}”" if self.model_type else "a model without model_type"

    def keys(self) -> tuple[str, ...]:
        """The keys the file gives in this object."""
        return tuple(self._values)

    def raw(self, key: str) -> JsonValue:
        """The file's or the user's value as it is, None where absent; it is not recorded as used."""
        return self._values.get(key)

    def gives(self, *keys: str) -> bool:
        """Whether the file or the user gives any of `keys` a value other than null."""
        return any(self._values.get(key) is not None for key in self._spellings(keys))

    def states(self, key: str) -> bool:
        """Whether the file or the user says anything of `key`, null included."""
        return key in self._values

    def find(self, *keys: str) -> Found | None:
        """The first of `keys` that the user, the file or the class default gives; its value may be None for null."""
        names = self._spellings(keys)
        for name in sorted(names, key=lambda n: self.prefix + n not in self.reading.overridden):
            if name in self._values:
                path = self.prefix + name
                self.reading.used.add(path)
                return Found(self._values[name], path, self.reading.source(path))
        if self.defaults is not None:
            for name in names:
                if name in self.defaults.values:
                    source = Source(Origin.CLASS_DEFAULT, f"{name} of {self.defaults.label}")
                    return Found(self.defaults.values[name], self.prefix + name, source)
        return None

    def integer(self, *keys: str, minimum: int = 1, maximum: int = LIMIT) -> int:
        """A whole number that must be there; a fault and `minimum` where it is absent or null."""
        value = self.integer_or_none(*keys, minimum=minimum, maximum=maximum)
        if value is None:
            self.missing(keys[0])
            return minimum
        return value

    def integer_or_none(self, *keys: str, minimum: int = 1, maximum: int = LIMIT) -> int | None:
        """A whole number, or None where it is absent or null."""
        found = self.find(*keys)
        if found is None or found.value is None:
            return None
        return self._checked(found, minimum, maximum)

    def integer_or(self, *keys: str, fallback: int, how: str, minimum: int = 1, maximum: int = LIMIT) -> int:
        """A whole number, or `fallback` (recorded as derived by `how`) where it is absent or null."""
        value = self.integer_or_none(*keys, minimum=minimum, maximum=maximum)
        return self.derive(keys[0], fallback, how) if value is None else value

    def flag(self, *keys: str, fallback: bool = False) -> bool:
        """True or false; `fallback` where absent or null."""
        found = self.find(*keys)
        if found is None or found.value is None:
            return fallback
        if not isinstance(found.value, bool):
            self._fault(found.path, f"“{found.path}” must be true or false, not {_short(found.value)}.")
            return fallback
        self._record(found, found.value)
        return found.value

    def text_or_none(self, *keys: str) -> str | None:
        """A string, or None where it is absent or null."""
        found = self.find(*keys)
        if found is None or found.value is None:
            return None
        if not isinstance(found.value, str):
            self._fault(found.path, f"“{found.path}” must be a string, not {_short(found.value)}.")
            return None
        self._record(found, found.value)
        return found.value

    def texts_or_none(self, *keys: str) -> tuple[str, ...] | None:
        """A list of strings, or None where it is absent or null."""
        found = self.find(*keys)
        if found is None or found.value is None:
            return None
        if not isinstance(found.value, list):
            self._fault(found.path, f"“{found.path}” must be a list of strings, not {_short(found.value)}.")
            return None
        items = tuple(item for item in found.value if isinstance(item, str))
        if len(items) != len(found.value):
            self._fault(found.path, f"“{found.path}” must hold only strings.")
        self._record(found, items)
        return items

    def integers_or_none(self, *keys: str, minimum: int = 0, maximum: int = LIMIT) -> tuple[int, ...] | None:
        """A list of whole numbers, or None where it is absent or null."""
        found = self.find(*keys)
        if found is None or found.value is None:
            return None
        if not isinstance(found.value, list):
            self._fault(found.path, f"“{found.path}” must be a list of whole numbers, not {_short(found.value)}.")
            return None
        items = tuple(
            self._checked(Found(item, f"{found.path}[{n}]", found.source), minimum, maximum, record=False)
            for n, item in enumerate(found.value)
        )
        self._record(found, items)
        return items

    def objects_or_none(self, key: str) -> tuple["ConfigView", ...] | None:
        """A list of objects as views, or None where it is absent or null."""
        found = self.find(key)
        if found is None or found.value is None:
            return None
        if not isinstance(found.value, list):
            self._fault(found.path, f"“{found.path}” must be a list of objects, not {_short(found.value)}.")
            return None
        views = []
        for n, item in enumerate(found.value):
            if not isinstance(item, dict):
                self._fault(found.path, f"“{found.path}[{n}]” must be an object, not {_short(item)}.")
            views.append(ConfigView(item if isinstance(item, dict) else {}, self.reading, prefix=f"{found.path}[{n}]."))
        return tuple(views)

    def section(self, *keys: str) -> "ConfigView | None":
        """The first nested object of `keys` that the file gives, or that the class has by default; None without one."""
        for key in keys:
            value = self._values.get(key)
            if isinstance(value, dict):
                self.reading.used.add(self.prefix + key)
                return ConfigView(
                    value, self.reading, prefix=f"{self.prefix}{key}.", defaults=self._section_defaults(key, value)
                )
            if value is not None:
                self._fault(self.prefix + key, f"“{self.prefix}{key}” must be an object, not {_short(value)}.")
        for key in keys:
            defaults = self._section_defaults(key, None)
            if defaults is not None:
                return ConfigView({}, self.reading, prefix=f"{self.prefix}{key}.", defaults=defaults)
        return None

    def with_defaults_of(self, model_type: str) -> "ConfigView":
        """The same object read with another class's defaults."""
        return ConfigView(self._values, self.reading, prefix=self.prefix, defaults=class_defaults.find(model_type))

    def derive(self, key: str, value: Value, how: str) -> Value:
        """Record a value that follows from others; `how` is the formula."""
        self.reading.facts[self.prefix + key] = Sourced(value, Source(Origin.DERIVED, how))
        return value

    def ignore(self, *keys: str) -> None:
        """Say that `keys` are understood and do not change the cache."""
        self.reading.used.update(self.prefix + key for key in keys)

    def missing(self, key: str) -> None:
        """A fault: the value is needed and neither the file nor the class gives it."""
        path = self.prefix + key
        self._fault(path, f"“{path}” is missing.")

    def wrong(self, key: str, why: str) -> None:
        """A fault: the value of `key` does not fit others; `why` is a whole sentence."""
        self._fault(self.prefix + key, why)

    def add(self, finding: Finding) -> None:
        """Something the user must know."""
        if finding not in self.reading.findings:
            self.reading.findings.append(finding)

    def _section_defaults(self, key: str, value: Mapping[str, JsonValue] | None) -> ClassDefaults | None:
        spec = self.defaults.sections.get(key) if self.defaults else None
        own = value.get("model_type") if value is not None else None
        found = class_defaults.find(own) if isinstance(own, str) and (spec is None or spec.get("auto")) else None
        if spec is None:
            return found
        if found is None:
            found = class_defaults.find(str(spec.get("type")))
        extra = spec.get("values")
        # Some classes fill up an object that is there (`merge`), the others only one that is not.
        if found is None or not isinstance(extra, dict) or (value is not None and not spec.get("merge")):
            return found
        return ClassDefaults(
            model_type=found.model_type,
            version=found.version,
            values={**found.values, **extra},
            aliases=found.aliases,
            sections=found.sections,
            decoder=found.decoder,
            mentions=found.mentions,
        )

    def _spellings(self, keys: Iterable[str]) -> tuple[str, ...]:
        """`keys`, each after the class's own name for it."""
        if self.defaults is None or not self.defaults.aliases:
            return tuple(keys)
        names: dict[str, None] = {}
        for key in keys:
            own = self.defaults.aliases.get(key)
            if own:
                names[own] = None
            names[key] = None
        return tuple(names)

    def _checked(self, found: Found, minimum: int, maximum: int, *, record: bool = True) -> int:
        value = found.value
        if isinstance(value, float) and value.is_integer():
            value = int(value)
        if isinstance(value, bool) or not isinstance(value, int):
            self._fault(found.path, f"“{found.path}” must be a whole number, not {_short(found.value)}.")
            return minimum
        if not minimum <= value <= maximum:
            bound = f"at least {minimum:,}" if value < minimum else f"at most {maximum:,}"
            self._fault(found.path, f"“{found.path}” must be {bound}, not {_short(value)}.")
            return minimum
        if record:
            self._record(found, value)
        return value

    def _record(self, found: Found, value: FactValue) -> None:
        self.reading.facts.setdefault(found.path, Sourced(value, found.source))

    def _fault(self, path: str, sentence: str) -> None:
        self.reading.faults.setdefault(path, sentence)


def unknown_format(path: str, value: JsonValue) -> RefusalError:
    """The refusal of a number format at `path` that is not known."""
    return RefusalError(
        "unknown-number-format",
        f"The number format in “{path}” is not known.",
        f"It says {_short(value)}, and its bytes per element cannot be guessed.",
        f"Set “{path}” to a format that is known by hand.",
    )


def open_view(config: Mapping[str, JsonValue], reading: Reading | None = None) -> ConfigView:
    """A view of a whole config; without a `reading`, a fresh one."""
    own = config.get("model_type")
    defaults = class_defaults.find(own) if isinstance(own, str) else None
    return ConfigView(config, reading or Reading(), defaults=defaults)


def _short(value: JsonValue) -> str:
    """A value for a message, never long."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, int) and not isinstance(value, bool) and abs(value) >= 10**15:
        return "a number of more than 15 digits"
    text = repr(value)
    return "null" if value is None else text if len(text) <= 40 else text[:37] + "..."
