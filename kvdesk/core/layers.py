"""What one layer keeps for one sequence: a small frozen class for each kind of cache.

A decoder layer is a tuple of these parts: most have one, DeepSeek-V3.2 has a latent and an indexer, Falcon-H1 keys
and a state, an MLP-only layer none. Each part answers `growth(fmt)`: how its logical bytes grow with the tokens held,
in the number format `fmt` of the cache, and `on_rank(tp)`: what one tensor-parallel rank keeps of it.

Widths and dims are elements of one head, windows and chunks are tokens. Facts and sources of each kind are in the
class docstrings; "vLLM" means 0.33.0.
"""

from typing import ClassVar, Protocol

from kvdesk.core.growth import Term
from kvdesk.core.number_formats import FORMATS, NumberFormat
from kvdesk.core.values import dataclass, replace


class CachePart(Protocol):
    """One kind of thing that a layer keeps."""

    kind: ClassVar[str]

    def growth(self, fmt: NumberFormat) -> Term:
        """Logical bytes of one sequence as a function of its tokens, one copy, no blocks."""
        ...

    def on_rank(self, tp: int) -> "CachePart":
        """The part that the fullest of `tp` tensor-parallel ranks keeps."""
        ...


def heads_on_rank(heads: int, tp: int) -> int:
    """KV heads on each of `tp` ranks: never below one, since heads are copied past their count.

    Source: vLLM `config/model.py` `get_num_kv_heads`: max(1, total // tp).
    """
    return max(1, heads // tp)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attention:
    """Keys and values of `kv_heads` heads; base of the kinds that differ only in how many tokens they hold."""

    kv_heads: int
    key_dim: int
    value_dim: int

    def token_bytes(self, fmt: NumberFormat) -> int:
        """Bytes of one token: kv_heads x (key_dim + value_dim) x b."""
        return self.kv_heads * fmt.pair(self.key_dim, self.value_dim)


@dataclass(frozen=True, slots=True, kw_only=True)
class Full(Attention):
    """Full attention (MHA, GQA, MQA): every token, T x kv_heads x (key_dim + value_dim) x b."""

    kind: ClassVar[str] = "full"

    def growth(self, fmt: NumberFormat) -> Term:
        """Grows for ever."""
        return Term(unit=self.token_bytes(fmt))

    def on_rank(self, tp: int) -> "Full":
        """Heads divided, at least one."""
        return replace(self, kv_heads=heads_on_rank(self.kv_heads, tp))


@dataclass(frozen=True, slots=True, kw_only=True)
class Sliding(Attention):
    """Sliding-window attention: min(T, window) tokens."""

    kind: ClassVar[str] = "sliding"
    window: int

    def growth(self, fmt: NumberFormat) -> Term:
        """Grows up to the window."""
        return Term(unit=self.token_bytes(fmt), cap=self.window)

    def on_rank(self, tp: int) -> "Sliding":
        """Heads divided, at least one."""
        return replace(self, kv_heads=heads_on_rank(self.kv_heads, tp))


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunked(Attention):
    """Chunked local attention (Llama 4): the tokens of the present chunk, min(T, chunk) at its fullest."""

    kind: ClassVar[str] = "chunked"
    chunk: int

    def growth(self, fmt: NumberFormat) -> Term:
        """Grows up to the chunk."""
        return Term(unit=self.token_bytes(fmt), cap=self.chunk)

    def on_rank(self, tp: int) -> "Chunked":
        """Heads divided, at least one."""
        return replace(self, kv_heads=heads_on_rank(self.kv_heads, tp))


@dataclass(frozen=True, slots=True, kw_only=True)
class Cross(Attention):
    """Cross-attention: keys and values of the encoder's `encoder_tokens` tokens, whatever the decoder holds."""

    kind: ClassVar[str] = "cross"
    encoder_tokens: int

    def growth(self, fmt: NumberFormat) -> Term:
        """Fixed."""
        return Term(fixed=self.encoder_tokens * self.token_bytes(fmt))

    def on_rank(self, tp: int) -> "Cross":
        """Heads divided, at least one."""
        return replace(self, kv_heads=heads_on_rank(self.kv_heads, tp))


@dataclass(frozen=True, slots=True, kw_only=True)
class Mla:
    """Multi-head latent attention: one latent of kv_lora_rank elements and one rotary key for all heads.

    T x (latent_dim + rope_dim) x b, or T records where the format is a record layout. Every tensor-parallel rank keeps
    all of it (vLLM: one KV head, `max_tp_shards` 1). With `window`, only the last `window` tokens (DeepSeek-V4).
    """

    kind: ClassVar[str] = "mla"
    latent_dim: int
    rope_dim: int
    window: int | None = None

    def growth(self, fmt: NumberFormat) -> Term:
        """Grows for ever, or up to the window."""
        return Term(unit=fmt.latent(self.latent_dim, self.rope_dim), cap=self.window)

    def on_rank(self, tp: int) -> "Mla":
        """A whole copy on every rank."""
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class Compressed:
    """A compressed latent stream (DeepSeek-V4): one latent for every `ratio` tokens; a whole copy on every rank."""

    kind: ClassVar[str] = "compressed"
    ratio: int
    latent_dim: int
    rope_dim: int

    def growth(self, fmt: NumberFormat) -> Term:
        """floor(T / ratio) latents."""
        return Term(unit=fmt.latent(self.latent_dim, self.rope_dim), step=self.ratio)

    def on_rank(self, tp: int) -> "Compressed":
        """A whole copy on every rank."""
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexer:
    """Keys of a sparse-attention indexer: one per token (or per `ratio` tokens), in its own format.

    By default key_dim bytes and one 4-byte scale per 128 elements whatever the cache's format (DeepSeek-V3.2: 132 B,
    vLLM `model_executor/models/deepseek_v2.py`). With `own_format` False the key is kept in the cache's format
    (MiniMax-M3: 128 elements, vLLM `models/minimax_m3`). A whole copy on every rank.
    """

    kind: ClassVar[str] = "indexer"
    key_dim: int
    ratio: int = 1
    own_format: bool = True

    def growth(self, fmt: NumberFormat) -> Term:
        """floor(T / ratio) keys."""
        size = self.key_dim + -(-self.key_dim // 128) * 4 if self.own_format else fmt.vector(self.key_dim)
        return Term(unit=size, step=self.ratio)

    def on_rank(self, tp: int) -> "Indexer":
        """A whole copy on every rank."""
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class RollingState:
    """A ring of the last `window` tokens' vectors of `width` elements, in its own format.

    DeepSeek-V4 keeps the inputs of its compressors so, in fp32 (vLLM `models/deepseek_v4`). A whole copy on every rank.
    """

    kind: ClassVar[str] = "state"
    window: int
    width: int
    format: NumberFormat = FORMATS["fp32"]

    def growth(self, fmt: NumberFormat) -> Term:
        """Counted as full from the first token, since engines keep whole rings."""
        return Term(fixed=self.window * self.format.vector(self.width))

    def on_rank(self, tp: int) -> "RollingState":
        """A whole copy on every rank."""
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class Shared:
    """Attention that reads the cache of an earlier layer (Gemma 3n and 4, cross-layer attention): keeps nothing."""

    kind: ClassVar[str] = "shared"

    def growth(self, fmt: NumberFormat) -> Term:
        """Nothing."""
        return Term()

    def on_rank(self, tp: int) -> "Shared":
        """Nothing everywhere."""
        return self


@dataclass(frozen=True, slots=True, kw_only=True)
class NoCache:
    """A layer without any cache: MLP-only, MoE-only, or attention that was removed or replaced."""

    kind: ClassVar[str] = "none"

    def growth(self, fmt: NumberFormat) -> Term:
        """Nothing."""
        return Term()

    def on_rank(self, tp: int) -> "NoCache":
        """Nothing everywhere."""
        return self
