"""Pools of blocks.

Sources: TensorRT-LLM `resource_manager.py` at 001541ba (`get_cache_bytes_per_token`, whole heads per rank; pools of
windows), `_util.py` at 00043967 (`configure_kv_cache_capacity`).

Worked example (Llama 3.1 8B, bf16): 131,072 B per token; 54.18 GiB hold 443,842 tokens, 13,870 blocks of 32.

Without `max_attention_window` every layer holds every token. With it, layer i takes the entry i mod its length; layers
of one window share a pool, the memory is split equally over pools, and a window that one sequence could not fill is
made smaller.
"""

from kvdesk.core.errors import RefusalError
from kvdesk.core.geometry import Layer
from kvdesk.core.growth import Growth, Term
from kvdesk.core.layers import CachePart
from kvdesk.core.number_formats import NumberFormat
from kvdesk.core.values import dataclass

_TOKENS = ("full", "sliding", "chunked", "mla", "indexer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pool:
    """Blocks of the layers that share one window; `window` None holds every token.

    `per_token` are bytes of one token in all its layers on one GPU.
    """

    window: int | None
    per_token: int
    blocks: int
    block: int

    @property
    def tokens(self) -> int:
        """Tokens that the blocks hold."""
        return self.blocks * self.block

    def need(self) -> Growth:
        """Blocks that one sequence takes."""
        return Growth.of([Term(unit=1, step=self.block, up=True, cap=self.window)])

    def need_bytes(self) -> Term:
        """The same in bytes."""
        return Term(unit=self.per_token * self.block, step=self.block, up=True, cap=self.window)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rank:
    """The layers of one GPU: bytes of one token by window, and of one sequence's states."""

    by_window: dict[int | None, int]
    state: int


def rank(layers: tuple[Layer, ...], fmt: NumberFormat, tp: int, windows: tuple[int, ...], first: int) -> Rank:
    """What the layers of one pipeline stage keep; `first` is the number of its first layer.

    Raises `RefusalError` (`not-profiled`) for kinds whose pools are not known here.
    """
    by_window: dict[int | None, int] = {}
    state = 0
    for number, layer in enumerate(layers, first):
        window = windows[number % len(windows)] if windows else None
        for part in layer:
            term = _known(part.on_rank(tp)).growth(fmt)
            state += term.fixed
            if term.unit:
                by_window[window] = by_window.get(window, 0) + term.unit
    return Rank(by_window=by_window, state=state)


def pools(found: Rank, size: int, block: int, *, most_tokens: int | None, context: int) -> tuple[Pool, ...]:
    """`size` bytes split equally over the windows, in whole blocks; windows past the context hold every token."""
    merged: dict[int | None, int] = {}
    for window, per_token in found.by_window.items():
        key = None if window is None or window >= context else window
        merged[key] = merged.get(key, 0) + per_token
    share = size // len(merged) if merged else 0
    result = []
    for window, per_token in merged.items():
        tokens = share // per_token
        if most_tokens is not None:
            tokens = min(tokens, most_tokens)
        blocks = tokens // block
        held = window if window is None else min(window, max(block, blocks * block))
        result.append(Pool(window=held, per_token=per_token, blocks=blocks, block=block))
    return tuple(result)


def _known(part: CachePart) -> CachePart:
    latent_window = part.kind == "mla" and getattr(part, "window", None) is not None
    if part.kind not in (*_TOKENS, "state", "shared", "none") or latent_window or getattr(part, "ratio", 1) != 1:
        raise RefusalError(
            "not-profiled",
            f"How TensorRT-LLM pools a cache of kind “{part.kind}” is not in kvdesk's profile.",
            "",
            "Use --engine vllm or plain for this model.",
        )
    return part
