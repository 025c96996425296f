"""Headers of safetensors files, from hands that cannot be trusted."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvdesk.core.errors import KvdeskError, SourceError
from kvdesk.hub import safetensors
from tests.support.fake_hub import safetensors as written

GOOD, SIZE = written({"a.weight": ("BF16", (3, 4), 24), "b": ("F8_E4M3", (5,), 5), "c": ("NEW", (9,), 2)})


def parse(entry: object) -> None:
    data = json.dumps({"x": entry}).encode()
    safetensors.parse_header(data, 8 + len(data) + 100, "m.safetensors")


def test_a_header() -> None:
    length = safetensors.header_length(GOOD, SIZE, "m")
    tensors = safetensors.parse_header(GOOD[8 : 8 + length], SIZE, "m")
    assert [(t.name, t.dtype, t.shape, t.bytes) for t in tensors] == [
        ("a.weight", "BF16", (3, 4), 24),
        ("b", "F8_E4M3", (5,), 5),
        # A format that is not known has the bytes of its place.
        ("c", "NEW", (9,), 2),
    ]
    assert tensors[0].elements == 12


@pytest.mark.parametrize(
    ("prefix", "size"),
    [(b"", 100), (b"\1\0", 100), (b"\xff" * 8, None), ((200).to_bytes(8, "little"), 100), (b"\0" * 8, 100)],
)
def test_lengths_that_cannot_be(prefix: bytes, size: int | None) -> None:
    with pytest.raises(SourceError) as caught:
        safetensors.header_length(prefix, size, "m")
    assert caught.value.code == "malformed-checkpoint"


@pytest.mark.parametrize(
    "entry",
    [
        7,
        {},
        {"dtype": "F32", "shape": [1], "data_offsets": [0]},
        {"dtype": "F32", "shape": [1], "data_offsets": [4, 0]},
        {"dtype": "F32", "shape": [1], "data_offsets": [0, 400]},
        {"dtype": "F32", "shape": [2], "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": [-1], "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": [True], "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": [1.0], "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": [1 << 63], "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": [1] * 40, "data_offsets": [0, 4]},
        {"dtype": "F32", "shape": {}, "data_offsets": [0, 4]},
        {"dtype": 32, "shape": [1], "data_offsets": [0, 4]},
    ],
)
def test_entries_that_are_no_tensors(entry: object) -> None:
    with pytest.raises(SourceError) as caught:
        parse(entry)
    assert caught.value.code == "malformed-checkpoint"


@pytest.mark.parametrize(
    "data", [b"", b"{", b"[]", b"7", b"[" * 100_000, b'{"a": ' * 100_000, b"\xff\xfe", b"9" * 9999]
)
def test_bytes_that_are_no_header(data: bytes) -> None:
    with pytest.raises(SourceError):
        safetensors.parse_header(data, None, "m")


@given(st.integers(0, len(GOOD)), st.binary(max_size=10))
def test_any_damage_is_reported(place: int, change: bytes) -> None:
    data = GOOD[:place] + change + GOOD[place + len(change) :]
    try:
        length = safetensors.header_length(data, SIZE, "m")
        safetensors.parse_header(data[8 : 8 + length], SIZE, "m")
    except KvdeskError:
        return


def test_an_index() -> None:
    data = b'{"metadata": {"total_size": 7}, "weight_map": {"a": "x.safetensors", "b": "x.safetensors", "c": 3}}'
    assert safetensors.index_files(data, "index") == {"x.safetensors"}
    for bad in (b"", b"[]", b"{}", b'{"weight_map": []}', b"[" * 100_000):
        with pytest.raises(SourceError):
            safetensors.index_files(bad, "index")
