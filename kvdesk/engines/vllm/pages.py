"""The cache spec of each part of a layer: what one block of it takes, and how many blocks one sequence needs.

Source: vLLM 0.33.0 `v1/kv_cache_interface.py` and the `get_kv_cache_spec` of the layers. A page holds `block` tokens
of one layer. DeepSeek-V4 by hand: a window block of 64 tokens x 584 B = 37,376 B, rounded up to a multiple of 576 =
37,440 B; a ratio-4 latent of 256 tokens has 64 states x 584 B, the same; ratio 128 has 2 x 584 = 1,168 -> 1,728 B;
indexer 64 x 132 = 8,448 -> 8,640 B; compressor states in fp32, 4 x 2,048 x 4 B = 32,768 -> 32,832 B.
"""

from collections.abc import Iterator

from kvdesk.core.errors import RefusalError
from kvdesk.core.growth import Term
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
from kvdesk.engines.vllm.block_size import Blocks

V4_WINDOW_BLOCK = 64
"""Tokens per block of DeepSeek-V4's windows (`v1/attention/backends/mla/sparse_swa.py`)."""
V4_PAGE_STEP = 576
"""Bytes that DeepSeek-V4's record pages are multiples of (`models/deepseek_v4/attention.py`)."""
V4_STATE_BLOCKS = {8: 4, 128: 8}
"""Tokens per block of the compressors' states by their window (`models/deepseek_v4/compressor.py`)."""

FULL, LATENT, SLIDING, LATENT_WINDOW, CHUNKED, STATE, CROSS = (
    "full",
    "latent",
    "sliding",
    "latent window",
    "chunked",
    "state",
    "cross",
)
TOKEN_KINDS = (FULL, LATENT)
"""Kinds that keep every token; vLLM may put them into one group with pages of different sizes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spec:
    """One layer's cache as vLLM plans it, on one rank.

    `page` is in bytes for one block of `block` tokens, padding included. `window` is the sliding window or chunk in
    tokens. `held` are the blocks that a sequence holds whatever its length (states, an encoder's tokens). `shards`
    divides the tokens of a sequence over ranks (decode context parallelism). `shape` tells apart what has the same
    page.
    """

    kind: str
    block: int
    page: int
    window: int | None = None
    held: int = 0
    shards: int = 1
    shape: tuple[int | str, ...] = ()

    def blocks(self, in_flight: int) -> Term:
        """Blocks of one sequence as a function of its tokens, with `in_flight` tokens being computed at once."""
        if self.held:
            return Term(fixed=self.held)
        if self.kind in TOKEN_KINDS:
            return Term(unit=1, step=self.block * self.shards, up=True)
        window = self.window or 1
        if self.kind == CHUNKED:
            return Term(unit=1, step=self.block, cap=window + in_flight, up=True)
        # One more, since a window need not start at the start of a block.
        return Term(fixed=1, unit=1, step=self.block, cap=window - 1 + in_flight, up=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """What the specs depend on beside the part itself."""

    blocks: Blocks
    tp: int
    dcp: int
    encoder_tokens: int
    lookahead: int = 0
    """Tokens that windows keep beside their own, for several draft modules."""
    index_format: NumberFormat
    """Format of MiniMax-M3's index keys: the model's own (`models/minimax_m3/common/indexer.py`)."""


def specs(layer: tuple[CachePart, ...], fmt: NumberFormat, layout: Layout) -> Iterator[Spec]:
    """The specs of one layer whose cache is kept in `fmt`."""
    for part in layer:
        spec = _spec(part.on_rank(layout.tp), fmt, layout)
        if spec is not None:
            yield spec


def _spec(part: CachePart, fmt: NumberFormat, layout: Layout) -> Spec | None:
    block = layout.blocks.tokens
    if isinstance(part, Attention):
        return _attention(part, fmt, layout)
    if isinstance(part, Mla):
        size = fmt.latent(part.latent_dim, part.rope_dim)
        if part.window is None:
            return Spec(kind=LATENT, block=block, page=block * size, shards=layout.dcp, shape=(size,))
        page = _up(V4_WINDOW_BLOCK * size, V4_PAGE_STEP)
        kept = part.window + layout.lookahead
        return Spec(kind=LATENT_WINDOW, block=V4_WINDOW_BLOCK, page=page, window=kept, shape=(size,))
    if isinstance(part, Compressed):
        size = fmt.latent(part.latent_dim, part.rope_dim)
        page = _up(block // part.ratio * size, V4_PAGE_STEP)
        return Spec(kind=LATENT, block=block, page=page, shards=layout.dcp, shape=(size, part.ratio))
    if isinstance(part, Indexer):
        size = part.growth(layout.index_format).unit
        page = block // part.ratio * size
        if part.ratio > 1:
            page = _up(page, V4_PAGE_STEP)
        return Spec(kind=LATENT, block=block, page=page, shards=layout.dcp, shape=("index", size, part.ratio))
    if isinstance(part, RollingState):
        return _rolling(part, layout.lookahead)
    if isinstance(part, State):
        return _state(part, layout)
    return None


def _attention(part: Attention, fmt: NumberFormat, layout: Layout) -> Spec:
    block, size = layout.blocks.tokens, part.token_bytes(fmt)
    shape = (part.kv_heads, part.key_dim, part.value_dim, fmt.name)
    if isinstance(part, Sliding):
        page = block * size
        shared = layout.blocks.skipped_page
        if shared:
            # Windows take the largest block that the page shared with unquantised layers holds.
            kernel = layout.blocks.backend.kernel
            block = max(kernel, shared // size // kernel * kernel)
        kept = part.window + layout.lookahead
        return Spec(kind=SLIDING, block=block, page=max(block * size, shared or page), window=kept, shape=shape)
    page = block * size
    if isinstance(part, Chunked):
        return Spec(kind=CHUNKED, block=block, page=page, window=part.chunk, shape=shape)
    if isinstance(part, Cross):
        # The budget of a step (`scheduler_config.max_num_encoder_input_tokens`), but never less than one input.
        tokens = max(layout.encoder_tokens, part.encoder_tokens, 1)
        return Spec(kind=CROSS, block=block, page=page, held=-(-tokens // block), shape=shape)
    if isinstance(part, Full):
        return Spec(kind=FULL, block=block, page=page, shards=layout.dcp, shape=shape)
    raise RefusalError("unknown-layer", f"How vLLM keeps a layer of the kind {type(part).__name__} is not known.")


def _rolling(part: RollingState, lookahead: int) -> Spec:
    block = V4_STATE_BLOCKS.get(part.window)
    if block is None:
        raise RefusalError(
            "unknown-layer",
            f"How vLLM keeps a compressor's state of {part.window} tokens is not known.",
            "",
            "Use the textbook.",
        )
    page = _up(block * part.format.vector(part.width), V4_PAGE_STEP)
    return Spec(
        kind=LATENT_WINDOW, block=block, page=page, window=part.window + lookahead, shape=(part.width, part.format.name)
    )


def _state(part: State, layout: Layout) -> Spec:
    """A state takes a page however many tokens it stands for; its block matters only for prefixes."""
    page = max(part.state_bytes, layout.blocks.state_page)
    return Spec(
        kind=STATE,
        block=layout.blocks.tokens if layout.blocks.aligned else 1,
        page=page,
        held=layout.blocks.state_blocks,
        shape=(part.family, *part.conv_shape, *part.recurrent_shape, part.recurrent_format.name),
    )


def _up(size: int, step: int) -> int:
    return -(-size // step) * step
