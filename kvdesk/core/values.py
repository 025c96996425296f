"""`dataclass`, `field` and `replace` as in the standard library, but cheap to import and to define.

The standard library writes and compiles the source of six methods for each class and imports `inspect` to do so: for
kvdesk's 150 value classes that was more than half of the processor time of `kvdesk size`. Here all classes share the
same methods. Type checkers see the standard library itself, so that nothing is lost there, and
`tests/core/test_values_law.py` holds both to the same behaviour. What kvdesk does not need is not there: ordering,
`InitVar`, `__match_args__`, slots.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from dataclasses import FrozenInstanceError, dataclass, field, replace
else:
    _MISSING = object()

    class FrozenInstanceError(AttributeError):
        """An attempt to change a frozen value."""

    class _Field:
        """How a field gets its value, and whether it counts for the hash and is shown by `repr`."""

        __slots__ = ("_field_type", "default", "default_factory", "hash", "init", "name", "shown")

        def __init__(
            self, default: object, default_factory: object, *, counts: bool | None = None, shown: bool = True
        ) -> None:
            self.default, self.default_factory, self.hash, self.shown = default, default_factory, counts, shown
            # What the standard library's own `replace` asks of a field.
            self.name, self.init, self._field_type = "", True, None

    class _Plan:
        """How values of one class are made."""

        __slots__ = ("after", "constants", "factories", "hashed", "known", "names", "positional", "shown")

        def __init__(
            self, fields: Mapping[str, _Field], after: Callable[[object], None] | None, positional: int
        ) -> None:
            self.names = tuple(fields)
            self.known = frozenset(fields)
            self.constants = {n: f.default for n, f in fields.items() if f.default is not _MISSING}
            self.factories = [(n, f.default_factory) for n, f in fields.items() if f.default_factory is not _MISSING]
            self.hashed = tuple(name for name, spec in fields.items() if spec.hash is not False)
            self.shown = tuple(name for name, spec in fields.items() if spec.shown)
            self.after = after
            self.positional = positional

    def field(
        *,
        default: object = _MISSING,
        default_factory: object = _MISSING,
        hash: bool | None = None,  # noqa: A002  # the standard library's word
        repr: bool = True,  # noqa: A002  # the same
    ) -> _Field:
        """A field with a default, a factory of defaults, without part in the hash, or (secrets) not shown."""
        return _Field(default, default_factory, counts=hash, shown=repr)

    def replace(value: object, /, **changes: object) -> object:
        """A copy of `value` with some fields changed."""
        return type(value)(**{**value.__dict__, **changes})

    def dataclass(cls: type | None = None, /, **options: bool) -> object:
        """Turn a class with annotations into a value class.

        Options: `frozen`, `kw_only`, `eq` (True unless given) and `slots`, which needs nothing here.
        """
        if cls is None:
            return lambda made: _build(made, **options)
        return _build(cls, **options)

    def _build(cls: type, *, frozen: bool = False, kw_only: bool = False, eq: bool = True, **_: bool) -> type:
        fields = _fields(cls)
        cls.__dataclass_fields__ = fields
        cls.__value_plan__ = _Plan(fields, getattr(cls, "__post_init__", None), 0 if kw_only else len(fields))
        cls.__init__, cls.__repr__ = _init, _repr
        if eq:
            cls.__eq__ = _equal
            cls.__hash__ = _hash if frozen else None
        if frozen:
            cls.__setattr__ = cls.__delattr__ = _no_change
        return cls

    def _fields(cls: type) -> dict[str, _Field]:
        """Fields of the bases, then the class's own; a plain class attribute is a default."""
        fields: dict[str, _Field] = {}
        for base in reversed(cls.__mro__[1:]):
            fields.update(base.__dict__.get("__dataclass_fields__", {}))
        # The own annotations of a class that may have none; `inspect`, which would give them, is what is avoided here.
        for name, kind in cls.__dict__.get("__annotations__", {}).items():  # noqa: RUF063
            if getattr(kind, "__origin__", kind) is ClassVar or (isinstance(kind, str) and "ClassVar" in kind):
                continue
            given = cls.__dict__.get(name, _MISSING)
            spec = given if isinstance(given, _Field) else _Field(given, _MISSING)
            if spec is given and spec.default is _MISSING:
                delattr(cls, name)
            elif spec is given:
                setattr(cls, name, spec.default)
            spec.name = name
            fields[name] = spec
        return fields

    def _init(self: object, *args: object, **given: object) -> None:
        plan = type(self).__value_plan__
        if args:
            _take_positional(self, plan, args, given)
        state = self.__dict__
        state.update(plan.constants)
        state.update(given)
        for name, factory in plan.factories:
            if name not in given:
                state[name] = factory()
        if state.keys() != plan.known:
            wrong = ", ".join(sorted(state.keys() ^ plan.known))
            raise TypeError(f"{type(self).__name__}(): missing or unknown: {wrong}")
        if plan.after is not None:
            plan.after(self)

    def _take_positional(self: object, plan: _Plan, args: tuple[object, ...], given: dict[str, object]) -> None:
        if len(args) > plan.positional:
            raise TypeError(f"{type(self).__name__}() takes {plan.positional} positional arguments")
        for name, value in zip(plan.names, args, strict=False):
            if name in given:
                raise TypeError(f"{type(self).__name__}() got two values for {name}")
            given[name] = value

    def _hash(self: object) -> int:
        state = self.__dict__
        return hash((type(self), *[state[name] for name in type(self).__value_plan__.hashed]))

    def _equal(self: object, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        return self.__dict__ == other.__dict__

    def _repr(self: object) -> str:
        fields = ", ".join(f"{name}={getattr(self, name)!r}" for name in type(self).__value_plan__.shown)
        return f"{type(self).__qualname__}({fields})"

    def _no_change(self: object, name: str, *_value: object) -> None:
        raise FrozenInstanceError(f"{type(self).__name__} is frozen: {name} cannot be changed")


__all__ = ["FrozenInstanceError", "dataclass", "field", "replace"]
