"""Tiers in their own chunks, worked by hand."""

import pytest

from kvdesk.core.errors import RefusalError, UsageError
from kvdesk.core.geometry import Geometry
from kvdesk.core.layout import Layout
from kvdesk.core.number_formats import FORMATS
from kvdesk.core.units import GIB
from kvdesk.engines.offload import Tier, tier
from tests.engines.samples import DEEPSEEK_V3, GPT_OSS_20B, LLAMA_8B, QWEN3_NEXT

BF16 = FORMATS["bf16"]


def of(name: str, size: int, model: Geometry, layout: Layout | None = None, block: int = 16) -> Tier:
    return tier(name, size, model, BF16, layout or Layout(), context=8192, block=block)


def test_lmcache_chunks_of_256() -> None:
    # 256 x 131,072 B = 32 MiB; 100 GiB / 32 MiB = 3,200 chunks; a prompt of 8,192 is 32 of them.
    found = of("lmcache", 100 * GIB, LLAMA_8B)
    assert (found.chunk_bytes, found.chunks, found.tokens, found.sequences) == (32 << 20, 3200, 819_200, 100)


def test_each_rank_has_its_own_memory() -> None:
    found = of("lmcache", 100 * GIB, LLAMA_8B, Layout(tp=8))
    assert (found.tokens, found.total_bytes) == (8 * 819_200, 800 * GIB)


def test_heads_that_are_copied_are_stored_on_each_rank() -> None:
    # 8 KV heads at TP 16: one head a rank, as at TP 8.
    assert of("lmcache", GIB, LLAMA_8B, Layout(tp=16)).tokens == of("lmcache", GIB, LLAMA_8B, Layout(tp=8)).tokens


def test_latents_are_kept_once() -> None:
    # 256 x 70,272 B = 17,989,632 B on the first of eight ranks
    found = of("lmcache", 100 * GIB, DEEPSEEK_V3, Layout(tp=8))
    assert (found.ranks, found.total_bytes) == (1, 100 * GIB)
    assert found.chunks == 100 * GIB // 17_989_632


def test_vllm_s_size_is_of_all_ranks() -> None:
    # 100 GiB over 4 ranks: 25 GiB each; blocks of 16 x 32,768 B
    found = of("vllm", 100 * GIB, LLAMA_8B, Layout(tp=4))
    assert found.chunks == 25 * GIB // (16 * 32_768)


def test_windows_are_kept_in_full() -> None:
    # 24 layers x 8 x 128 x 2 B = 49,152 B
    assert of("hicache", GIB, GPT_OSS_20B, block=1).tokens == GIB // 49_152


def test_half_chunks_are_not_kept() -> None:
    found = tier("lmcache", 32 << 20, LLAMA_8B, BF16, Layout(), context=300)
    assert (found.tokens, found.sequences) == (256, 1)
    assert tier("lmcache", 32 << 20, LLAMA_8B, BF16, Layout(), context=255).sequences == 0


def test_states_are_refused() -> None:
    with pytest.raises(RefusalError):
        of("lmcache", GIB, QWEN3_NEXT)


@pytest.mark.parametrize(("name", "size"), [("redis", GIB), ("lmcache", -1)])
def test_unknown_stores_and_negative_sizes(name: str, size: int) -> None:
    with pytest.raises(UsageError):
        of(name, size, LLAMA_8B)
