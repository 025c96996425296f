"""A short run of the mutations in tests/fuzz; the long one is `python tests/fuzz/reader_mutations.py 100000`."""

import random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kvdesk.core.errors import KvdeskError
from kvdesk.hub import config_file, reader
from tests.fuzz.mutations import mutate
from tests.fuzz.reader_mutations import attempt, complete, load

CONFIGS: list[dict[str, Any]] = load()
DECIDING = ("text_config", "model_type", "quantization_config", "architectures", "layer_types")
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=20,
)


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_a_broken_config_is_sized_honestly_or_refused(seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - not for secrets
    attempt(rng.choice(CONFIGS), rng)


@settings(max_examples=200, deadline=None)
@given(config=st.dictionaries(st.text(max_size=20), JSON, max_size=8))
def test_any_object_is_sized_or_refused(config: dict[str, Any]) -> None:
    with pytest.raises(KvdeskError):
        reader.read(config)


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**32), key=st.sampled_from(DECIDING), value=JSON)
def test_the_deciding_objects_may_hold_anything(seed: int, key: str, value: object) -> None:
    rng = random.Random(seed)  # noqa: S311 - not for secrets
    config = {**mutate(rng.choice(CONFIGS), rng).config, key: value}
    try:
        reader.read(config)
    except KvdeskError as error:
        complete(error)


@settings(max_examples=200, deadline=None)
@given(data=st.binary(max_size=200))
def test_any_bytes_are_parsed_or_refused(data: bytes) -> None:
    try:
        code = "" if isinstance(config_file.parse(data), dict) else "not an object"
    except KvdeskError as error:
        code = complete(error)
    assert code in {"", "malformed-config"}
