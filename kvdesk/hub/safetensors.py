"""The header of a safetensors file: names, formats, shapes and places of its tensors. Pure and wary of its input.

Format: https://github.com/huggingface/safetensors#format - eight bytes N, little-endian; N bytes of JSON; the tensors.
"""

import json
import math
from collections.abc import Iterable, Mapping

from kvdesk.core.errors import SourceError
from kvdesk.core.json_value import JsonValue
from kvdesk.core.values import dataclass

PREFIX = 8
"""Bytes before the header that hold its length."""
LONGEST = 100 * 2**20
"""Bytes of a header; the safetensors library's own limit is 100,000,000."""
MOST_DIMENSIONS = 32

BITS: Mapping[str, int] = {
    "BOOL": 8, "U8": 8, "I8": 8, "F8_E4M3": 8, "F8_E5M2": 8, "F8_E8M0": 8, "F8_E4M3FNUZ": 8, "F8_E5M2FNUZ": 8,
    "I16": 16, "U16": 16, "F16": 16, "BF16": 16, "I32": 32, "U32": 32, "F32": 32, "I64": 64, "U64": 64, "F64": 64,
    "F4": 4, "F6_E2M3": 6, "F6_E3M2": 6, "C64": 64,
}  # fmt: skip
"""Bits per element by the name of the format; others are taken at the bytes their offsets give."""


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor: its name, number format, shape and bytes."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    bytes: int

    @property
    def elements(self) -> int:
        """Stored elements, of whatever width."""
        return math.prod(self.shape)


def header_length(prefix: bytes, file_size: int | None, name: str) -> int:
    """Bytes of JSON that the first eight bytes announce; raises `SourceError` (`malformed-checkpoint`)."""
    if len(prefix) < PREFIX:
        raise _malformed(name, "It is shorter than eight bytes.")
    length = int.from_bytes(prefix[:PREFIX], "little")
    if length > LONGEST:
        raise _malformed(name, f"Its header claims {length:,} bytes; more than {LONGEST:,} is not read.")
    if length < 2 or (file_size is not None and length + PREFIX > file_size):
        raise _malformed(name, "Its header does not fit into the file.")
    return length


def parse_header(data: bytes, file_size: int | None, name: str) -> tuple[Tensor, ...]:
    """The tensors of a header's JSON, without the eight bytes before it.

    `file_size` bounds the places of tensors where it is known. Raises `SourceError` (`malformed-checkpoint`).
    """
    try:
        header: JsonValue = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _malformed(name, "Its header is not JSON.") from error
    if not isinstance(header, dict):
        raise _malformed(name, "Its header is not an object.")
    room = None if file_size is None else file_size - PREFIX - len(data)
    return tuple(_tensor(key, value, room, name) for key, value in header.items() if key != "__metadata__")


def _tensor(key: str, value: JsonValue, room: int | None, name: str) -> Tensor:
    entry = value if isinstance(value, dict) else {}
    dtype, shape, place = entry.get("dtype"), _sizes(entry.get("shape")), _sizes(entry.get("data_offsets"))
    if not isinstance(dtype, str) or shape is None or place is None or len(place) != 2 or len(shape) > MOST_DIMENSIONS:
        raise _malformed(name, f"Its entry “{key[:80]}” is not that of a tensor.")
    begin, end = place
    if end < begin or (room is not None and end > room):
        raise _malformed(name, f"Its tensor “{key[:80]}” lies outside the file.")
    tensor = Tensor(key, dtype, shape, end - begin)
    bits = BITS.get(dtype)
    if bits is not None and tensor.elements * bits != tensor.bytes * 8:
        raise _malformed(name, f"The bytes of its tensor “{key[:80]}” do not match its shape.")
    return tensor


def _sizes(value: JsonValue) -> tuple[int, ...] | None:
    """A list of whole numbers from 0 to 2^63, None for anything else."""
    if not isinstance(value, list):
        return None
    sizes = tuple(
        item for item in value if isinstance(item, int) and not isinstance(item, bool) and 0 <= item < 1 << 63
    )
    return sizes if len(sizes) == len(value) else None


def index_files(data: bytes, name: str) -> frozenset[str]:
    """The files that a `model.safetensors.index.json` names; raises `SourceError` (`malformed-checkpoint`)."""
    try:
        index: JsonValue = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise _malformed(name, "It is not JSON.") from error
    places = index.get("weight_map") if isinstance(index, dict) else None
    if not isinstance(places, dict):
        raise _malformed(name, "It has no weight_map.")
    return frozenset(_texts(places.values()))


def _texts(values: Iterable[JsonValue]) -> Iterable[str]:
    return (value for value in values if isinstance(value, str))


def _malformed(name: str, why: str) -> SourceError:
    return SourceError(
        "malformed-checkpoint",
        f"{name[:120]} could not be read.",
        why,
        "Give the size of the weights with --weights-bytes.",
    )
