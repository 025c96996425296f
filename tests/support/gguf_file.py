"""Small GGUF files, written by the format's description."""

import struct
from collections.abc import Mapping, Sequence

Value = int | float | bool | str | Sequence[int] | Sequence[str]


def gguf(values: Mapping[str, Value], version: int = 3, tensors: int = 0) -> bytes:
    """A header with these keys, in order; whole numbers are uint32, lists of them int32."""
    parts = [b"GGUF", struct.pack("<IQQ", version, tensors, len(values))]
    for key, value in values.items():
        parts += [_text(key), _value(value)]
    return b"".join(parts)


def _text(text: str) -> bytes:
    data = text.encode()
    return struct.pack("<Q", len(data)) + data


def _value(value: Value) -> bytes:
    if isinstance(value, bool):
        return struct.pack("<I?", 7, value)
    if isinstance(value, int):
        return struct.pack("<II", 4, value)
    if isinstance(value, float):
        return struct.pack("<If", 6, value)
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    kind = 8 if value and isinstance(value[0], str) else 5
    items = b"".join(_text(item) if isinstance(item, str) else struct.pack("<i", item) for item in value)
    return struct.pack("<IIQ", 9, kind, len(value)) + items
