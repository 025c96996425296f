"""kvdesk's value classes behave as the standard library's do."""

import dataclasses
from collections.abc import Callable
from typing import Any, ClassVar

import pytest

from kvdesk.core import values

Maker = Callable[..., Any]
LIBRARIES = [pytest.param(dataclasses, id="standard library"), pytest.param(values, id="kvdesk")]
pytestmark = pytest.mark.parametrize("library", LIBRARIES)


def classes(library: Any) -> tuple[Any, Any, Any, Any]:
    @library.dataclass(frozen=True, slots=True, kw_only=True)
    class Base:
        kind: ClassVar[str] = "base"
        width: int
        names: dict[str, int] = library.field(default_factory=dict, hash=False)

    @library.dataclass(frozen=True, slots=True, kw_only=True)
    class Child(Base):
        height: int = 2

    @library.dataclass(frozen=True, slots=True)
    class Point:
        x: int
        y: int = library.field(default=5)

        def __post_init__(self) -> None:
            if self.x < 0:
                raise ValueError("x")

    @library.dataclass(slots=True)
    class Counter:
        count: int = 0

    return Base, Child, Point, Counter


def test_fields_defaults_and_inheritance(library: Any) -> None:
    base, child, point, _ = classes(library)
    made = child(width=1)
    assert (made.width, made.names, made.height, made.kind) == (1, {}, 2, "base")
    assert child(width=1).names is not child(width=1).names
    assert (point(1).y, point(1, 2).y, point(x=1, y=3).y) == (5, 2, 3)
    assert base(width=1) != child(width=1)


def test_equality_and_hash(library: Any) -> None:
    _, child, point, counter = classes(library)
    assert child(width=1) == child(width=1)
    assert child(width=1) != child(width=2)
    assert hash(child(width=1, names={"a": 1})) == hash(child(width=1, names={"a": 2}))
    assert point(1).__eq__(1) is NotImplemented
    assert counter.__hash__ is None


def test_frozen_and_not(library: Any) -> None:
    _, _, point, counter = classes(library)
    made = point(1)
    with pytest.raises(AttributeError):
        made.x = 2
    with pytest.raises(AttributeError):
        del made.x
    with pytest.raises(library.FrozenInstanceError):
        made.x = 2
    changing = counter()
    changing.count += 1
    assert changing == counter(1)


def test_replace(library: Any) -> None:
    _, child, _, _ = classes(library)
    made = child(width=1, names={"a": 1})
    assert library.replace(made, width=3) == child(width=3, names={"a": 1})
    assert dataclasses.replace(made, height=9).height == 9
    with pytest.raises(TypeError):
        library.replace(made, depth=1)


@pytest.mark.parametrize(
    ("which", "args", "given"),
    [
        (0, (), {}),
        (0, (1,), {}),
        (0, (), {"width": 1, "depth": 2}),
        (2, (1, 2, 3), {}),
        (2, (1,), {"x": 1}),
        (2, (), {}),
    ],
)
def test_wrong_calls(library: Any, which: int, args: tuple[int, ...], given: dict[str, int]) -> None:
    with pytest.raises(TypeError):
        classes(library)[which](*args, **given)


def test_post_init_and_repr(library: Any) -> None:
    _, child, point, _ = classes(library)
    with pytest.raises(ValueError, match="x"):
        point(-1)
    assert repr(child(width=1)).endswith("Child(width=1, names={}, height=2)")


def test_secrets_are_not_shown(library: Any) -> None:
    @library.dataclass(frozen=True, slots=True)
    class Login:
        name: str
        token: str = library.field(default="", repr=False)

    login: Any = Login  # which decorator it has is only known at run time
    assert repr(login("me", "secret")).endswith("Login(name='me')")
    assert login("me", "secret") != login("me", "other")


def test_identity_where_equality_is_off(library: Any) -> None:
    class Thing:
        size: int

    made: Any = library.dataclass(frozen=True, eq=False, kw_only=True)(Thing)
    assert made(size=1) != made(size=1)
    assert len({made(size=1), made(size=1)}) == 2


def test_a_bare_decorator(library: Any) -> None:
    class Bare:
        size: int

    made: Any = library.dataclass(Bare)
    assert made(3).size == 3
