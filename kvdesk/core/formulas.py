"""The formula of each kind of cache part in symbols and with its numbers put in, for readers who recompute by hand.

T is the number of tokens, b(n) the bytes of a vector of n numbers in the cache's format (scales included).
"""

from collections.abc import Callable, Iterable

from kvdesk.core.layers import (
    Attention,
    CachePart,
    Chunked,
    Compressed,
    Cross,
    Full,
    Indexer,
    Mla,
    RollingState,
    Sliding,
)
from kvdesk.core.number_formats import NumberFormat
from kvdesk.core.states import State
from kvdesk.core.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class PartLine:
    """Equal parts of a model: `count` of one kind, symbols, numbers put in, and bytes of one sequence of T tokens.

    `substituted` holds only numbers and operators, so that typing it into a calculator gives `value`.
    """

    kind: str
    count: int
    label: str
    formula: str
    substituted: str
    value: int


def part_line(part: CachePart, count: int, fmt: NumberFormat, tokens: int) -> PartLine:
    """The line of `count` equal parts at `tokens` tokens in the format `fmt`."""
    write: Callable[..., _Text] = _state if isinstance(part, State) else _WRITERS.get(type(part), _nothing)
    label, formula, substituted = write(part, fmt, tokens)
    return PartLine(
        kind=part.kind,
        count=count,
        label=label,
        formula=f"layers × {formula}" if formula != "0" else "0",
        substituted=f"{count:,} × {substituted}" if substituted != "0" else "0",
        value=count * part.growth(fmt).at(tokens),
    )


def lines(parts: Iterable[tuple[CachePart, int]], fmt: NumberFormat, tokens: int) -> tuple[PartLine, ...]:
    """A line for each kind of part, as `Geometry.counted` gives them."""
    return tuple(part_line(part, count, fmt, tokens) for part, count in parts)


_Text = tuple[str, str, str]


def _heads(part: Attention, fmt: NumberFormat) -> str:
    return f"{part.kv_heads:,} × ({fmt.vector(part.key_dim):,} + {fmt.vector(part.value_dim):,})"


def _full(part: Full, fmt: NumberFormat, tokens: int) -> _Text:
    return "full attention", "T × KV heads × (b(key) + b(value))", f"{tokens:,} × {_heads(part, fmt)}"


def _sliding(part: Sliding, fmt: NumberFormat, tokens: int) -> _Text:
    return (
        f"sliding window of {part.window:,}",
        "min(T, window) × KV heads × (b(key) + b(value))",
        f"min({tokens:,}; {part.window:,}) × {_heads(part, fmt)}",
    )


def _chunked(part: Chunked, fmt: NumberFormat, tokens: int) -> _Text:
    return (
        f"chunks of {part.chunk:,}",
        "min(T, chunk) × KV heads × (b(key) + b(value))",
        f"min({tokens:,}; {part.chunk:,}) × {_heads(part, fmt)}",
    )


def _cross(part: Cross, fmt: NumberFormat, _tokens: int) -> _Text:
    return (
        "cross-attention",
        "encoder tokens × KV heads × (b(key) + b(value))",
        f"{part.encoder_tokens:,} × {_heads(part, fmt)}",
    )


def _mla(part: Mla, fmt: NumberFormat, tokens: int) -> _Text:
    size = fmt.latent(part.latent_dim, part.rope_dim)
    if part.window is None:
        return "latent (MLA)", "T × b(latent + rope)", f"{tokens:,} × {size:,}"
    return (
        f"latent (MLA), window of {part.window:,}",
        "min(T, window) × b(latent + rope)",
        f"min({tokens:,}; {part.window:,}) × {size:,}",
    )


def _compressed(part: Compressed, fmt: NumberFormat, tokens: int) -> _Text:
    return (
        f"compressed latent, 1 in {part.ratio}",
        "floor(T / ratio) × b(latent + rope)",
        f"floor({tokens:,} / {part.ratio}) × {fmt.latent(part.latent_dim, part.rope_dim):,}",
    )


def _indexer(part: Indexer, fmt: NumberFormat, tokens: int) -> _Text:
    size = part.growth(fmt).unit
    if part.ratio == 1:
        return "indexer keys", "T × bytes per key", f"{tokens:,} × {size:,}"
    return (
        f"indexer keys, 1 in {part.ratio}",
        "floor(T / ratio) × bytes per key",
        f"floor({tokens:,} / {part.ratio}) × {size:,}",
    )


def _rolling(part: RollingState, _fmt: NumberFormat, _tokens: int) -> _Text:
    return (
        f"rolling state of {part.window:,} tokens",
        "window × b(width)",
        f"{part.window:,} × {part.format.vector(part.width):,}",
    )


def _state(part: State, _fmt: NumberFormat, _tokens: int) -> _Text:
    return (
        f"{part.family.replace('_', ' ')} state",
        "(convolution + recurrent state)",
        f"({part.conv_bytes:,} + {part.recurrent_bytes:,})",
    )


def _nothing(part: CachePart, _fmt: NumberFormat, _tokens: int) -> _Text:
    return "no cache" if part.kind == "none" else f"{part.kind}: nothing of its own", "0", "0"


# Each writer takes its own kind of part, which the key of its row guarantees.
_WRITERS: dict[type, Callable[..., _Text]] = {
    Full: _full,
    Sliding: _sliding,
    Chunked: _chunked,
    Cross: _cross,
    Mla: _mla,
    Compressed: _compressed,
    Indexer: _indexer,
    RollingState: _rolling,
}
