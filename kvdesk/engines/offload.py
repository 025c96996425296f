"""Host and disk tiers: how many more tokens a CPU or NVMe tier of a given size holds, in its own chunks.

A tier keeps prefixes that left the GPU; it makes later requests faster and does not let more sequences run at once.

Sources:

- LMCache at 000620e37 `lmcache/v1/config.py` (chunk_size 256, save_unfull_chunk False), `lmcache/v1/storage_backend/
  local_cpu_backend.py` (max_local_cpu_size in GiB for each rank; with MLA only the first rank keeps a copy).
- vLLM 0.33.0 `vllm/config/cache.py` (kv_offloading_size in GiB over all tensor-parallel ranks, blocks of the engine).
- SGLang 0.5.23 `arg_groups/fields/memory.py` (hicache_size in GB for each rank, pages; else hicache_ratio 2.0).

Worked example (Llama 3.1 8B, bf16, LMCache): a chunk of 256 tokens is 256 x 131,072 B = 32 MiB; 100 GiB hold 3,200
chunks, 819,200 tokens. At TP 8 each rank keeps an eighth of a chunk, so 100 GiB for each rank hold eight times as many.
"""

from collections.abc import Mapping

from kvdesk.core.errors import RefusalError, UsageError
from kvdesk.core.geometry import Geometry
from kvdesk.core.layout import Layout
from kvdesk.core.number_formats import NumberFormat
from kvdesk.core.values import dataclass

_KEPT = ("full", "sliding", "chunked", "mla", "indexer", "shared", "none")


@dataclass(frozen=True, slots=True, kw_only=True)
class Store:
    """A way to offload: tokens of one chunk (None: the engine's block), and whether a size is meant for each rank."""

    name: str
    title: str
    chunk: int | None
    per_rank: bool
    source: str


STORES: Mapping[str, Store] = {
    store.name: store
    for store in (
        Store(name="lmcache", title="LMCache", chunk=256, per_rank=True, source="LMCache config.py chunk_size 256"),
        Store(
            name="vllm", title="vLLM native", chunk=None, per_rank=False, source="vLLM 0.33.0 kv_offloading_size, total"
        ),
        Store(
            name="hicache",
            title="SGLang HiCache",
            chunk=None,
            per_rank=True,
            source="SGLang 0.5.23 hicache_size, per rank",
        ),
    )
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tier:
    """What one tier of `size` bytes (as the store is given it) holds.

    `chunk_bytes` are those of one chunk on one rank, `ranks` those that keep a part or a copy, `total_bytes` what the
    tier takes of host memory or disk on all of them. `tokens` are whole chunks, in addition to the GPU's pool.
    `sequences` are whole prompts of `context` tokens, of which only whole chunks are kept.
    """

    store: Store
    size: int
    chunk: int
    chunk_bytes: int
    ranks: int
    total_bytes: int
    chunks: int
    tokens: int
    sequences: int


def tier(
    name: str, size: int, geometry: Geometry, fmt: NumberFormat, layout: Layout, *, context: int, block: int = 16
) -> Tier:
    """The tokens that `size` bytes hold under the store `name`; `block` are the engine's tokens per block.

    Windows count in full, as connectors promote them. Raises `UsageError` (`unknown-store`, `bad-size`) and
    `RefusalError` (`not-offloaded`) for states and other parts that are not kept by token.
    """
    store = _store(name)
    if size < 0:
        raise UsageError("bad-size", "The size of a tier cannot be negative.")
    chunk = store.chunk or block
    per_token = _token_bytes(geometry, fmt, layout)
    # A latent is the same on every rank: one of them keeps it (LMCache), or each its own copy.
    once = geometry.is_latent and store.name == "lmcache"
    ranks = layout.pp if once else layout.tp * layout.pp
    chunk_bytes = -(-per_token * chunk // layout.pp)
    each = size if store.per_rank else size // ranks
    chunks = each // chunk_bytes if chunk_bytes else 0
    kept = context // chunk
    return Tier(
        store=store,
        size=size,
        chunk=chunk,
        chunk_bytes=chunk_bytes,
        ranks=ranks,
        total_bytes=each * ranks,
        chunks=chunks,
        tokens=chunks * chunk,
        sequences=chunks // kept if kept else 0,
    )


def _store(name: str) -> Store:
    found = STORES.get(name.strip().lower())
    if found is None:
        raise UsageError(
            "unknown-store", f"“{name[:40]}” is no store that kvdesk knows.", "", f"Choose one of {', '.join(STORES)}."
        )
    return found


def _token_bytes(geometry: Geometry, fmt: NumberFormat, layout: Layout) -> int:
    """Bytes of one token in all layers on one tensor-parallel rank."""
    total = 0
    for part, count in geometry.counted():
        if part.kind not in _KEPT or getattr(part, "ratio", 1) != 1:
            raise RefusalError(
                "not-offloaded",
                f"A cache of kind “{part.kind}” is not kept token by token, so a tier cannot hold it in chunks.",
                "",
                "Size the tier for a model without recurrent states or compressed streams.",
            )
        total += part.on_rank(layout.tp).growth(fmt).unit * count
    return total
