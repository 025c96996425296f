"""Sourced values: a value together with where it came from."""

from enum import StrEnum
from typing import Generic, TypeVar

from kvdesk.core.values import dataclass

T_co = TypeVar("T_co", covariant=True)


class Origin(StrEnum):
    """The kinds of place a value can come from; the text is what a source chip shows."""

    CONFIG = "config.json"
    SIDE_FILE = "side file"
    CLASS_DEFAULT = "class default"
    HEADER = "checkpoint header"
    FILES = "file list"
    PROFILE = "engine profile"
    CATALOGUE = "catalogue"
    USER = "yours"
    MEASURED = "measured"
    DERIVED = "derived"
    ESTIMATE = "estimate"


@dataclass(frozen=True, slots=True)
class Source:
    """Where a value came from: the kind of place, and the exact spot in it (key, file, revision, line, formula)."""

    origin: Origin
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.origin.value}: {self.detail}" if self.detail else self.origin.value


@dataclass(frozen=True, slots=True)
class Sourced(Generic[T_co]):
    """A value and its source."""

    value: T_co
    source: Source
