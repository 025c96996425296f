"""Estimate the weights of many mutations of real configs: no traceback, no hang, no absurd number.

    python tests/fuzz/weights_mutations.py [N] [SEED]

Prints how many were counted, not known, and refused; exit status 1 at the first fault.
"""

import random
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from kvdesk.core.errors import KvdeskError
from kvdesk.hub import reader, weights_estimate
from tests.fuzz.mutations import Mutation, mutate
from tests.fuzz.reader_mutations import SLOW, complete, load

DTYPES = (None, None, None, "fp8", "int4", "nvfp4", "q4_0")


def attempt(config: dict[str, Any], rng: random.Random) -> str:
    """Estimate one mutation; returns "counted", "not known" or the refusal's code."""
    mutation = mutate(config, rng)
    for _ in range(rng.choice((0, 0, 1, 2))):
        mutation = Mutation(mutate(mutation.config, rng).config, mutation.path, mutation.what, bad=False)
    try:
        return check(mutation.config, rng.choice(DTYPES))
    except KvdeskError as error:
        return complete(error)


def check(config: dict[str, Any], dtype: str | None) -> str:
    """What must hold of every estimate: sizes that are there, and parts that are not larger than the whole."""
    geometry = reader.read(config)
    weights = weights_estimate.estimate(config, geometry, weights_dtype=dtype)
    if weights is None:
        return "not known"
    whole = weights.bytes.value
    assert weights.parameters is not None
    assert weights.parameters.value > 0
    assert whole > 0
    assert 0 <= weights.replicated_bytes <= whole
    assert 0 <= weights.expert_bytes + weights.encoder_bytes + weights.embedding_bytes + weights.head_bytes <= whole
    assert weights.draft_bytes >= 0
    assert sum(weights.by_format.values()) == whole
    return "counted"


def main(count: int, seed: int) -> int:
    """Run `count` tries."""
    configs = load()
    outcomes: Counter[str] = Counter()
    slowest = 0.0
    for number in range(count):
        rng = random.Random(f"{seed} {number}")  # noqa: S311 - not for secrets
        started = time.perf_counter()
        outcomes[attempt(rng.choice(configs), rng)] += 1
        slowest = max(slowest, time.perf_counter() - started)
        assert slowest < SLOW, f"try {number} of seed {seed} took {slowest:.2f} s"
    print(dict(outcomes.most_common()), f"slowest {slowest:.3f} s")  # noqa: T201  # a report
    return 0


if __name__ == "__main__":
    numbers = [int(argument) for argument in sys.argv[1:]]
    sys.exit(main(*(numbers + [20_000, 1][len(numbers) :])))
