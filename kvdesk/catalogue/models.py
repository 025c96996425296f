"""The catalogue of well-known models, for use without a network: `resources/models.toml`."""

import json
from collections.abc import Iterator, Mapping

from kvdesk import resources
from kvdesk.catalogue import tables
from kvdesk.catalogue.tables import Table
from kvdesk.core.errors import UsageError
from kvdesk.core.json_value import JsonValue
from kvdesk.core.values import dataclass

FILE = "models.toml"
DEFAULT = "llama-3.1-8b"
"""The model of the default scenario."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCard:
    """One model: its name, its Hub id, the keys of its config.json that decide its geometry, and its weights.

    `parameters` is exact and excludes draft (MTP) layers; `weights_bytes` are the bytes of these parameters as
    published, most of them in `weights_dtype`; `weights_source` says how they come about. `also` are further Hub ids of
    the same geometry.
    """

    name: str
    hub_id: str
    also: tuple[str, ...]
    config: Mapping[str, JsonValue]
    parameters: int
    weights_bytes: int
    weights_dtype: str
    weights_source: str


def names() -> tuple[str, ...]:
    """The names of all models, in the catalogue's order."""
    return tuple(tables.values(resources.read_text(FILE), "name"))


def find(name: str) -> ModelCard:
    """The model of that name or Hub id, case ignored; raises `UsageError` (`unknown-model`)."""
    text = resources.read_text(FILE)
    canonical = _index(text).get(name.strip().lower())
    table = tables.cut(text, "model", "name", canonical) if canonical else None
    if table is None:
        raise _unknown(name, tuple(tables.values(text, "name")))
    return card_of(table)


def knows(name: str) -> bool:
    """Whether `name` is a model's name or one of its Hub ids."""
    return name.strip().lower() in _index(resources.read_text(FILE))


def all_cards() -> tuple[ModelCard, ...]:
    """Every model, in the catalogue's order."""
    return tuple(card_of(table) for table in tables.parse(resources.read_text(FILE), "model"))


def card_of(table: Table) -> ModelCard:
    """One `[[model]]` table; `TypeError`, `KeyError` or `ValueError` where the file does not hold what it must."""
    config = json.loads(tables.string(table, "config"))
    parameters, size = tables.integer(table, "parameters"), tables.integer(table, "weights_bytes")
    if not isinstance(config, dict) or parameters is None or size is None:
        raise KeyError("config, parameters or weights_bytes")
    return ModelCard(
        name=tables.string(table, "name"),
        hub_id=tables.string(table, "hub_id"),
        also=tables.strings(table, "also"),
        config=config,
        parameters=parameters,
        weights_bytes=size,
        weights_dtype=tables.string(table, "weights_dtype"),
        weights_source=tables.string(table, "weights_source"),
    )


def _index(text: str) -> dict[str, str]:
    """The canonical name by every name and Hub id in lower case."""
    index: dict[str, str] = {}
    name = ""
    for key, value in _lines(text):
        if key == "name":
            name = value
        for spelling in json.loads(value) if key == "also" else (value,):
            index[spelling.lower()] = name
    return index


def _lines(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        if line.startswith(('name = "', 'hub_id = "')):
            key, _, value = line.partition(" = ")
            yield key, value.strip('"')
        elif line.startswith("also = ["):
            yield "also", line.removeprefix("also = ")


def _unknown(name: str, known: tuple[str, ...]) -> UsageError:
    from kvdesk.catalogue.suggestions import close_to, did_you_mean

    found = close_to(name, known)
    return UsageError(
        "unknown-model",
        f"“{name[:80]}” is not a model of the catalogue.",
        did_you_mean(found),
        "Run “kvdesk models” for all names, or give a Hub id such as org/name.",
        suggestions=found,
    )
