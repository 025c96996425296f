"""The header of a GGUF file: its metadata, read without the tensors. Pure, and wary of its input.

Format: https://github.com/ggml-org/ggml/blob/master/docs/gguf.md. The metadata ends with the tokenizer, whose lists can
take tens of megabytes; reading stops at its tokens, of which only the number matters here.
"""

import struct
from collections.abc import Callable, Mapping

from kvdesk.core.errors import SourceError
from kvdesk.core.values import dataclass

Read = Callable[[int, int], bytes]
"""`read(first, count)`: up to `count` bytes from byte `first` on, fewer only at the end of the file."""

MAGIC = b"GGUF"
MOST_KEYS = 65_536
LONGEST_KEY = 65_535
LONGEST_TEXT = 1 << 24
LONGEST_LIST = 1 << 24
KEPT_LIST = 4096
"""Elements; of longer lists only the length is kept."""
LONGEST_HEADER = 1 << 27
_FIRST_READ = 1 << 18
_TOKENS = "tokenizer.ggml.tokens"

Value = int | float | bool | str | tuple[int | float | bool | str, ...]

_SCALARS: Mapping[int, str] = {
    0: "<B", 1: "<b", 2: "<H", 3: "<h", 4: "<I", 5: "<i", 6: "<f", 7: "<?", 10: "<Q", 11: "<q", 12: "<d",
}  # fmt: skip
_TEXT, _LIST = 8, 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """Metadata by key, lengths of the lists that were not kept, and the number of tensors."""

    values: Mapping[str, Value]
    lengths: Mapping[str, int]
    tensors: int


class _Cursor:
    """A place in the file, reading ahead in growing steps."""

    def __init__(self, read: Read, name: str) -> None:
        self._read = read
        self._name = name
        self._data = b""
        self._start = 0
        self.at = 0
        self._step = _FIRST_READ

    def take(self, count: int) -> bytes:
        """The next `count` bytes."""
        if self.at + count > LONGEST_HEADER:
            raise self.malformed("Its header is too long.")
        if self.at + count > self._start + len(self._data):
            self._fill(count)
        begin = self.at - self._start
        self.at += count
        return self._data[begin : begin + count]

    def skip(self, count: int) -> None:
        """Move on by `count` bytes, which need not be read."""
        self.at += count
        if self.at > LONGEST_HEADER:
            raise self.malformed("Its header is too long.")

    def _fill(self, count: int) -> None:
        kept = self._data[self.at - self._start :] if self.at < self._start + len(self._data) else b""
        more = self._read(self.at + len(kept), max(count - len(kept), self._step))
        self._data, self._start = kept + more, self.at
        self._step = min(self._step * 2, 1 << 24)
        if len(self._data) < count:
            raise self.malformed("It ends in the middle of its header.")

    def integer(self, form: str) -> int:
        """The next integer of that `struct` format."""
        value: int = struct.unpack(form, self.take(struct.calcsize(form)))[0]
        return value

    def text(self, longest: int) -> str:
        """The next string: its length in eight bytes, then UTF-8."""
        length = self.integer("<Q")
        if length > longest:
            raise self.malformed(f"It holds a text of {length:,} bytes.")
        return self.take(length).decode("utf-8", "replace")

    def malformed(self, why: str) -> SourceError:
        return SourceError(
            "malformed-checkpoint",
            f"{self._name[:120]} could not be read as GGUF.",
            why,
            "Download it again, or give the model's config.json.",
        )


def read_header(read: Read, name: str) -> Header:
    """The metadata of a GGUF file, up to the tokenizer's tokens; raises `SourceError` (`malformed-checkpoint`)."""
    cursor = _Cursor(read, name)
    if cursor.take(4) != MAGIC:
        raise cursor.malformed("It does not begin with “GGUF”.")
    version = cursor.integer("<I")
    if version not in {2, 3}:
        raise cursor.malformed(f"Its version {version if version < 1 << 16 else '(big-endian)'} is not known.")
    tensors, keys = cursor.integer("<Q"), cursor.integer("<Q")
    if keys > MOST_KEYS:
        raise cursor.malformed(f"It claims {keys:,} keys.")
    values: dict[str, Value] = {}
    lengths: dict[str, int] = {}
    for _ in range(keys):
        key = cursor.text(LONGEST_KEY)
        kind = cursor.integer("<I")
        if kind == _LIST:
            element, length = cursor.integer("<I"), cursor.integer("<Q")
            lengths[key] = length
            if key == _TOKENS and _has_geometry(values):
                break
            kept = _list(cursor, element, length)
            if kept is not None:
                values[key] = kept
        else:
            values[key] = _scalar(cursor, kind)
    return Header(values=values, lengths=lengths, tensors=tensors)


def _has_geometry(values: Mapping[str, Value]) -> bool:
    """Whether the keys of the architecture have come; some converters write the tokenizer first."""
    prefix = f"{values.get('general.architecture', '')}."
    return f"{prefix}block_count" in values and f"{prefix}attention.head_count" in values


def _scalar(cursor: _Cursor, kind: int) -> int | float | bool | str:
    if kind == _TEXT:
        return cursor.text(LONGEST_TEXT)
    form = _SCALARS.get(kind)
    if form is None:
        raise cursor.malformed(f"It holds a value of the unknown type {kind}.")
    value: int | float | bool = struct.unpack(form, cursor.take(struct.calcsize(form)))[0]
    return value


def _list(cursor: _Cursor, element: int, length: int) -> tuple[int | float | bool | str, ...] | None:
    """A list's elements; None for one that is too long to be kept, which is passed over."""
    if length > LONGEST_LIST or (element != _TEXT and element not in _SCALARS):
        raise cursor.malformed(f"It holds a list of {length:,} elements of type {element}.")
    if length <= KEPT_LIST:
        return tuple(_scalar(cursor, element) for _ in range(length))
    if element == _TEXT:
        for _ in range(length):
            size = cursor.integer("<Q")
            if size > LONGEST_TEXT:
                raise cursor.malformed(f"It holds a text of {size:,} bytes.")
            cursor.skip(size)
    else:
        cursor.skip(length * struct.calcsize(_SCALARS[element]))
    return None
