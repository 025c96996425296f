"""Ways to break a config: one change of a real file, as people, converters and attackers make them."""

import random
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

BAD_FOR_COUNTS: tuple[Any, ...] = (
    -7,
    "12",
    [],
    {},
    float("inf"),
    float("nan"),
    10**30,
    -(10**30),
    3.5,
    True,
    [4, 4],
    {"a": 1},
)
"""Values that no count or width may have."""
ODD: tuple[Any, ...] = (
    0,
    1,
    2,
    3,
    7,
    1000,
    None,
    "",
    "x",
    False,
    2**31,
    2**63,
    "full_attention",
    ["full_attention"],
    1e300,
)
"""Values that some key may have."""


@dataclass(frozen=True, slots=True)
class Mutation:
    """A changed config; `path` and `bad` where the new value is one that no count may have."""

    config: dict[str, Any]
    path: str
    what: str
    bad: bool


def mutate(config: dict[str, Any], rng: random.Random) -> Mutation:
    """One change of `config`, chosen by `rng`."""
    changed = deepcopy(config) or {"model_type": "llama"}
    place, key, path = _somewhere(changed, rng)
    what = rng.choice(("drop", "rename", "bad", "bad", "bad", "odd", "odd", "nest", "deep", "list", "swap"))
    bad = False
    if what == "drop":
        del place[key]
    elif what == "rename":
        place[rng.choice((key + "_x", key.upper(), "n_" + key, "sparse_" + key))] = place.pop(key)
    elif what == "bad":
        bad = isinstance(place[key], int) and not isinstance(place[key], bool)
        place[key] = rng.choice(BAD_FOR_COUNTS)
    elif what == "odd":
        place[key] = rng.choice(ODD)
    elif what == "nest":
        place[key] = rng.choice(({key: place[key]}, [place[key]], [[place[key]]]))
        bad = isinstance(config.get(key), int) and not isinstance(config.get(key), bool) and path == key
    elif what == "deep":
        place[key] = _deep(rng.choice((10, 60, 300)))
    elif what == "list":
        place[key] = _other_list(place[key], rng)
    else:
        other = rng.choice(list(place))
        place[key], place[other] = place[other], place[key]
    return Mutation(changed, path, what, bad)


def _somewhere(config: dict[str, Any], rng: random.Random) -> tuple[dict[str, Any], str, str]:
    place, path = config, ""
    while True:
        key = rng.choice(list(place))
        inner = place[key]
        if isinstance(inner, dict) and inner and rng.random() < 0.9:
            place, path = inner, f"{path}{key}."
            continue
        return place, key, path + key


def _deep(levels: int) -> object:
    value: object = 1
    for level in range(levels):
        value = {"a": value} if level % 2 else [value]
    return value


def _other_list(value: object, rng: random.Random) -> list[object]:
    if not isinstance(value, list) or not value:
        return [value] * rng.randrange(1, 5)
    choice = rng.randrange(4)
    if choice == 0:
        return value[: rng.randrange(len(value))]
    if choice == 1:
        return value + value[: rng.randrange(1, len(value) + 1)]
    changed = list(value)
    changed[rng.randrange(len(changed))] = rng.choice((*BAD_FOR_COUNTS, *ODD, "mamba", "conv", "unheard_of"))
    return changed
