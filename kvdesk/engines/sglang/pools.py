"""Pools of tokens and of state slots.

Sources: SGLang 0.5.23 `mem_cache/kv_cache_configurator.py` (cells, ratios, slots, alignment), `configs/model_config.py`
(which architectures split windows), `mem_cache/memory_pool.py` (records of sparse MLA).

Worked examples (54.5 GiB = 58,518,929,408 B for the cache, page size 1):

- gpt-oss-120b, bf16: full and window layers each 18 x 8 x 128 x 2 = 36,864 B per token; one token costs
  36,864 + 0.8 x 36,864 = 66,355.2 B: 881,904 full tokens and int(0.8 x 881,904) = 705,523 window tokens.
- Gemma 3 27B is not on the list: all 62 layers hold every token.
"""

from collections.abc import Iterable
from fractions import Fraction

from kvdesk.core.errors import RefusalError
from kvdesk.core.geometry import Geometry, Layer
from kvdesk.core.growth import Growth, Term
from kvdesk.core.layers import CachePart
from kvdesk.core.number_formats import NumberFormat
from kvdesk.core.values import dataclass

WINDOWED = ("sliding", "chunked")
TOKENS = ("full", "mla", "indexer")


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """Bytes on one GPU: of one token in all full layers, in all window layers, and of one state slot.

    `window` is the longest window in tokens, 0 without window layers of their own pool.
    """

    full: int
    windowed: int = 0
    window: int = 0
    state: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """What the engine's options say about pools; ratios are exact."""

    page: int
    window_ratio: Fraction
    state_ratio: Fraction
    state_slots: int | None
    slots_per_request: int
    max_total_tokens: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pools:
    """Capacities: tokens of the full pool, tokens of the window pool, state slots (None where there is none)."""

    tokens: int
    window_tokens: int | None = None
    state_slots: int | None = None


def cells(geometry: Geometry, fmt: NumberFormat, tp: int, stage: slice, *, split_windows: bool) -> Cells:
    """The cells of the pipeline stage that holds the layers `stage`.

    Raises `RefusalError` (`not-profiled`) for kinds of cache whose pools are not known here.
    """
    parts = [part.on_rank(tp) for layer in geometry.layers[stage] for part in layer]
    _refuse_unknown(parts)
    windowed = [part for part in parts if part.kind in WINDOWED] if split_windows else []
    held = [part for part in parts if part.kind in TOKENS or (part.kind in WINDOWED and not split_windows)]
    return Cells(
        full=_per_token(held, fmt),
        windowed=_per_token(windowed, fmt),
        window=max((_reach(part) for part in windowed), default=0),
        state=sum(part.growth(fmt).fixed for part in parts if part.kind == "state"),
    )


def with_draft(found: Cells, layers: Iterable[Layer], drafts: Iterable[Layer]) -> Cells:
    """The cells with draft layers: x (1 + drafts / layers), rounded up to whole bytes."""
    main, extra = len(tuple(layers)), len(tuple(drafts))
    return Cells(
        full=-(-found.full * (main + extra) // main),
        windowed=-(-found.windowed * (main + extra) // main),
        window=found.window,
        state=found.state,
    )


def pools(cell: Cells, size: int, options: Options) -> Pools:
    """What `size` bytes hold.

    States take their part first; the rest is divided by the bytes of one token, pages rounded down.
    """
    slots, left = _state_slots(cell, size, options)
    if not cell.full and not cell.windowed:
        return Pools(tokens=0, state_slots=slots)
    if cell.windowed and not cell.full:
        tokens = _aligned(left // cell.windowed, options)
        return Pools(tokens=tokens, window_tokens=tokens, state_slots=slots)
    cost = cell.full + options.window_ratio * cell.windowed
    tokens = _aligned(int(left / cost), options)
    if not cell.windowed:
        return Pools(tokens=tokens, state_slots=slots)
    window_tokens = int(options.window_ratio * tokens) // options.page * options.page
    return Pools(tokens=tokens, window_tokens=window_tokens, state_slots=slots)


def allocated(cell: Cells, options: Options) -> Growth:
    """Bytes that one running sequence takes of the pools: whole pages, its window and a page, its state slots."""
    page = options.page
    terms = [Term(unit=cell.full * page, step=page, up=True)]
    if cell.windowed:
        held = -(-cell.window // page) * page + page
        terms.append(Term(unit=cell.windowed * page, step=page, up=True, cap=held))
    if cell.state:
        terms.append(Term(fixed=cell.state * options.slots_per_request))
    return Growth.of(terms)


def window_need(cell: Cells, options: Options) -> Growth:
    """Tokens of the window pool that one sequence holds."""
    page = options.page
    return Growth.of([Term(unit=page, step=page, up=True, cap=-(-cell.window // page) * page + page)])


def _state_slots(cell: Cells, size: int, options: Options) -> tuple[int | None, int]:
    """Slots and the bytes left for tokens. The pool keeps one slot more than it hands out."""
    if not cell.state:
        return None, size
    if options.state_slots is not None:
        return options.state_slots, max(0, size - cell.state * (options.state_slots + 1))
    budget = size * options.state_ratio / (1 + options.state_ratio)
    slots = max(0, int((budget - cell.state) // cell.state))
    return slots, max(0, size - cell.state * (slots + 1))


def _aligned(tokens: int, options: Options) -> int:
    if options.max_total_tokens is not None:
        tokens = min(tokens, options.max_total_tokens)
    return max(0, tokens) // options.page * options.page


def _per_token(parts: Iterable[CachePart], fmt: NumberFormat) -> int:
    return sum(part.growth(fmt).unit for part in parts)


def _reach(part: CachePart) -> int:
    window = getattr(part, "window", None) or getattr(part, "chunk", None)
    return window if isinstance(window, int) else 0


def _refuse_unknown(parts: Iterable[CachePart]) -> None:
    for part in parts:
        windowed_latent = part.kind == "mla" and getattr(part, "window", None) is not None
        ratio = getattr(part, "ratio", 1)
        known = part.kind in (*TOKENS, *WINDOWED, "state", "shared", "none")
        if not known or windowed_latent or ratio != 1:
            raise RefusalError(
                "not-profiled",
                f"How SGLang pools a cache of kind “{part.kind}” of this model is not in kvdesk's profile.",
                "",
                "Use --engine vllm or plain, or give the measured pool with --pool-bytes and --engine plain.",
            )
