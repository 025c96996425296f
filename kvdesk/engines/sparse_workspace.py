"""What vLLM keeps for the prefill of sparse attention: buffers that grow with `max_model_len`, not with the batch.

They are allocated in the profiling run and stay (`v1/worker/workspace.py`), so they lie beside the activation peak.
Sources, vLLM 0.19.1 to 0.33.0: `v1/attention/backends/mla/flashmla_sparse.py` `get_prefill_workspace_size` (factor
times max_model_len latents in 16 bits; the indexer's keys share the place and are sized to be a little less,
`mla/indexer.py` `get_max_prefill_buffer_size`); `config/vllm.py` (the factor is 5, and 2 past 262,144 tokens since
0.33); `models/deepseek_v4/nvidia/flashmla.py` (4 requests: latents of the smallest ratio, the window and a batch).

By hand, DeepSeek-V3.2 at 163,840 tokens: 5 x 163,840 x 576 x 2 = 943,718,400 B; GLM-5.2 at 819,200 tokens before 0.33:
5 x 819,200 x 576 x 2 = 4,718,592,000 B, which a log of four GB200 agrees with.
"""

from kvdesk.core.budget import BudgetLine
from kvdesk.core.geometry import Geometry
from kvdesk.core.layers import CachePart, Compressed, Indexer, Mla
from kvdesk.core.sourced import Origin, Source

FIRST = (0, 12)
"""Before, DeepSeek-V3.2's first releases allocated what a batch needed."""
FIRST_WITH_SMALL_FACTOR = (0, 33)
LONG = 262_144
REQUESTS = 4
"""DeepSeek-V4: requests whose latents are gathered at once (`PREFILL_CHUNK_SIZE`)."""


def line(geometry: Geometry, version: tuple[int, ...], max_model_len: int, tokens: int) -> BudgetLine | None:
    """The buffers in bytes for a batch of `tokens`; None for models without sparse latent attention."""
    parts = [part for layer in geometry.layers for part in layer]
    ratios = [part for part in parts if isinstance(part, Compressed)]
    latents = [part for part in parts if isinstance(part, Mla)]
    if version < FIRST or not max_model_len or not latents:
        return None
    if ratios:
        return _compressed(parts, ratios, max_model_len, tokens)
    if not any(isinstance(part, Indexer) for part in parts):
        return None
    factor = 2 if version >= FIRST_WITH_SMALL_FACTOR and max_model_len > LONG else 5
    width = max(part.latent_dim + part.rope_dim for part in latents)
    return _line(
        2 * factor * max_model_len * width,
        "2 × factor × max_model_len × latent width",
        f"2 × {factor} × {max_model_len:,} × {width:,}",
    )


def _compressed(parts: list[CachePart], ratios: list[Compressed], max_model_len: int, tokens: int) -> BudgetLine:
    densest = min(ratios, key=lambda part: part.ratio)
    width = densest.latent_dim + densest.rope_dim
    window = max((part.window or 0 for part in parts if isinstance(part, Mla)), default=0)
    states = -(-max_model_len // densest.ratio)
    return _line(
        2 * REQUESTS * (states + window + tokens) * width,
        "2 × 4 × (⌈max_model_len / ratio⌉ + window + batched tokens) × latent width",
        f"2 × 4 × (⌈{max_model_len:,} / {densest.ratio:,}⌉ + {window:,} + {tokens:,}) × {width:,}",
    )


def _line(size: int, formula: str, numbers: str) -> BudgetLine:
    return BudgetLine(
        key="reserve.sparse",
        symbol="R_spa",
        label="Buffers of sparse attention",
        value=size,
        unit="B",
        formula=f"R_spa = {formula}",
        substituted=numbers,
        source=Source(Origin.PROFILE, "vLLM 0.33.0 v1/attention/backends/mla; backends other than FlashMLA keep less"),
        low=0,
        high=size,
    )
