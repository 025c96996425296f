"""A short run of the mutations; the long one is `python tests/fuzz/weights_mutations.py 20000`."""

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.fuzz.reader_mutations import load
from tests.fuzz.weights_mutations import attempt

CONFIGS: list[dict[str, Any]] = load()


@settings(max_examples=300, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_a_broken_config_is_counted_or_not_known_or_refused(seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - not for secrets
    assert attempt(rng.choice(CONFIGS), rng)
