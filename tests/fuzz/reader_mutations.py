"""Read many mutations of real configs: no traceback, no hang, no value that was made up.

    python tests/fuzz/reader_mutations.py [N] [SEED]

Prints how many were sized and how many refused, by code, and the slowest reading; exit status 1 at the first fault.
"""

import json
import random
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from kvdesk.core.errors import KvdeskError
from kvdesk.core.geometry import Geometry
from kvdesk.core.number_formats import get
from kvdesk.core.sourced import Origin
from kvdesk.hub import class_defaults, config_file, reader
from kvdesk.hub.families import registry
from tests.fuzz.mutations import Mutation, mutate

CONFIGS = Path(__file__).resolve().parents[1] / "fixtures" / "configs"
SLOW = 1.0
"""Seconds of its own CPU time that one reading may take on any machine that runs tests."""


def load() -> list[dict[str, Any]]:
    """Every real config of the fixtures, and the class defaults of every model type that the reader knows."""
    real: list[dict[str, Any]] = [config_file.parse(path.read_bytes()) for path in sorted(CONFIGS.glob("*.json"))]
    known = [(name, class_defaults.find(name)) for name in registry.FAMILIES]
    return real + [{**(found.values if found else {}), "model_type": name} for name, found in known]


def attempt(config: dict[str, Any], rng: random.Random) -> str:
    """Read one mutation, through bytes every fourth time; returns "sized" or the refusal's code."""
    mutation = mutate(config, rng)
    for _ in range(rng.choice((0, 0, 0, 1, 2))):
        mutation = Mutation(mutate(mutation.config, rng).config, mutation.path, mutation.what, bad=False)
    try:
        return check(mutation, _read(mutation, rng))
    except KvdeskError as error:
        return complete(error)


def complete(error: KvdeskError) -> str:
    """The code of a refusal that says what and why."""
    assert error.code, "an error without a code"
    assert error.title, "an error without a title"
    return error.code


def check(mutation: Mutation, geometry: Geometry) -> str:
    """What must hold of a reading that succeeded."""
    fact = geometry.facts.get(mutation.path)
    if mutation.bad and fact is not None:
        assert fact.source.origin is not Origin.CONFIG, f"{mutation.path} was read as {fact.value}"
    growth = geometry.logical(get("bf16"))
    assert 0 <= growth.at(1) <= growth.at(1000) <= growth.at(10**6)
    assert geometry.layers, "no layers"
    return "sized"


def _read(mutation: Mutation, rng: random.Random) -> Geometry:
    if rng.random() < 0.75:
        return reader.read(mutation.config)
    data = bytearray(json.dumps(mutation.config).encode())
    for _ in range(rng.choice((0, 1, 3))):
        data[rng.randrange(len(data))] = rng.randrange(256)
    end = rng.choice((len(data), len(data), rng.randrange(len(data))))
    return reader.read(config_file.parse(bytes(data[:end])))


def main(count: int, seed: int) -> int:
    """Run `count` tries."""
    configs = load()
    outcomes: Counter[str] = Counter()
    slowest = 0.0
    started = time.perf_counter()
    for number in range(count):
        rng = random.Random(seed * 10**9 + number)  # noqa: S311 - not for secrets
        before = time.process_time()
        try:
            outcomes[attempt(rng.choice(configs), rng)] += 1
        except Exception:
            sys.stderr.write(f"try {number} of seed {seed} failed\n")
            raise
        slowest = max(slowest, time.process_time() - before)
    seconds = time.perf_counter() - started
    sys.stdout.write(
        f"{count:,} tries in {seconds:.0f} s, slowest {slowest * 1000:.0f} ms: {dict(outcomes.most_common())}\n"
    )
    return 0 if slowest < SLOW else 1


if __name__ == "__main__":
    raise SystemExit(main(*(int(argument) for argument in (*sys.argv[1:], "20000", "1")[:2])))
