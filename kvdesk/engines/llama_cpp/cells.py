"""Cells and bytes of llama.cpp's caches.

Sources at 0c1e57098: `src/llama-kv-cache.cpp` (rows, cells), `src/llama-kv-cache-iswa.cpp` (windows),
`src/llama-hparams.cpp` (recurrent states), `src/llama-context.cpp` (padding, sequences).

Worked examples: Llama 3.1 8B at 131,072 cells takes 16,384 MiB in f16, 8,704 in q8_0, 6,144 in q5_1, 4,608 in q4_0.
Gemma 3 27B at 131,072: 10 full layers 10,240 MiB; 52 window layers hold pad256(1,024 + 512) = 1,536 cells for one
sequence (624 MiB), pad256(4 x 1,024 + 512) = 4,608 cells for four unified ones (1,872 MiB).
"""

from kvdesk.core.errors import RefusalError
from kvdesk.core.geometry import Layer
from kvdesk.core.growth import Growth, Term
from kvdesk.core.layers import Attention, CachePart, Compressed, Indexer, Mla, RollingState
from kvdesk.core.number_formats import FORMATS, NumberFormat
from kvdesk.core.states import State
from kvdesk.core.values import dataclass
from kvdesk.engines.llama_cpp.constants import PADDING

F32 = FORMATS["fp32"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """How the context is laid out.

    `slots` sequences at most; `unified` when they share one stream of cells; `ubatch` tokens of one pass; `swa_full`
    gives window layers every cell. `keys` and `values` are the formats of K and V.
    """

    slots: int
    unified: bool
    ubatch: int
    swa_full: bool
    keys: NumberFormat
    values: NumberFormat


def padded(cells: int) -> int:
    """Rounded up to 256."""
    return -(-cells // PADDING) * PADDING


def context_cells(total: int, slots: int, *, unified: bool) -> tuple[int, int]:
    """Cells of one stream and the number of streams of a context of `total` cells.

    >>> context_cells(10_000, 4, unified=True), context_cells(10_000, 4, unified=False)
    ((10240, 1), (2560, 4))
    """
    whole = padded(total)
    return (whole, 1) if unified else (padded(-(-whole // slots)), slots)


def cache(layers: tuple[Layer, ...], layout: Layout) -> Growth:
    """Bytes of the whole cache of `layers` for `layout.slots` sequences, as a function of the cells of one stream.

    Raises `RefusalError` for kinds that are not profiled, and for formats whose blocks do not divide a row.
    """
    counts: dict[CachePart, int] = {}
    for layer in layers:
        for part in layer:
            counts[part] = counts.get(part, 0) + 1
    return Growth.of(_term(part, layout).times(count) for part, count in counts.items())


def window_cells(window: int, layout: Layout) -> int | None:
    """The most cells that a window layer holds in one stream; None where it holds all."""
    if layout.swa_full:
        return None
    return padded(window * (layout.slots if layout.unified else 1) + layout.ubatch)


def _term(part: CachePart, layout: Layout) -> Term:
    streams = 1 if layout.unified else layout.slots
    if isinstance(part, (State, RollingState)):
        return Term(fixed=layout.slots * _state_bytes(part))
    if part.kind in ("shared", "none"):
        return Term()
    if isinstance(part, Attention) and part.kind in ("full", "sliding", "chunked"):
        window = getattr(part, "window", None) or getattr(part, "chunk", None)
        return _cells(_row(part, layout) * streams, cap=None if window is None else window_cells(window, layout))
    if isinstance(part, Mla):
        row = layout.keys.vector(part.latent_dim + part.rope_dim)
        if part.window is None:
            return _cells(row * streams)
        return _cells(row * layout.slots, cap=padded(part.window + layout.ubatch))
    if isinstance(part, Indexer):
        row = layout.keys.vector(part.key_dim)
        return _cells(row * (streams if part.ratio == 1 else layout.slots), ratio=part.ratio)
    if isinstance(part, Compressed):
        return _cells(layout.keys.vector(part.latent_dim + part.rope_dim) * layout.slots, ratio=part.ratio)
    raise RefusalError(
        "not-profiled",
        f"How llama.cpp keeps a cache of kind “{part.kind}” is not in kvdesk's profile.",
        "",
        "Use --engine plain or vllm for this model.",
    )


def _cells(row: int, *, cap: int | None = None, ratio: int = 1) -> Term:
    """Cells in whole paddings: pad256(n), pad256(min(n, cap)), pad256(ceil(n / ratio)).

    DeepSeek-V4's compressed caches (ratio above 1) and its raw window are kept for each sequence, unified or not.
    """
    return Term(unit=row * PADDING, step=PADDING * ratio, cap=cap, up=True)


def _row(part: Attention, layout: Layout) -> int:
    """Bytes of one token: all heads' keys are one row, all heads' values another."""
    keys, values = part.kv_heads * part.key_dim, part.kv_heads * part.value_dim
    for fmt, elements in ((layout.keys, keys), (layout.values, values)):
        if elements % fmt.block:
            raise RefusalError(
                "unsupported-kv-dtype",
                f"A row of {elements:,} elements is no whole number of {fmt.name} blocks of {fmt.block}.",
                "llama.cpp refuses such a cache type for this model.",
                "Choose f16 or bf16.",
            )
    return layout.keys.vector(keys) + layout.values.vector(values)


def _state_bytes(part: State | RollingState) -> int:
    """Recurrent and convolution states are kept in F32, whatever the model's format."""
    if isinstance(part, RollingState):
        return part.window * F32.vector(part.width)
    return F32.vector(_product(part.conv_shape)) + F32.vector(_product(part.recurrent_shape))


def _product(shape: tuple[int, ...]) -> int:
    result = 1 if shape else 0
    for size in shape:
        result *= size
    return result
