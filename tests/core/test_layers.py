from typing import cast

import pytest

from kvdesk.core.growth import Growth
from kvdesk.core.layers import (
    CachePart,
    Chunked,
    Compressed,
    Cross,
    Full,
    Indexer,
    Mla,
    NoCache,
    RollingState,
    Shared,
    Sliding,
)
from kvdesk.core.number_formats import FORMATS

BF16, FP8 = FORMATS["bf16"], FORMATS["fp8"]


def at(part: CachePart, tokens: int, fmt: str = "bf16") -> int:
    return part.growth(FORMATS[fmt]).at(tokens)


def test_full_attention() -> None:
    # T x kv_heads x (key_dim + value_dim) x b = 1000 x 8 x 256 x 2
    assert at(Full(kv_heads=8, key_dim=128, value_dim=128), 1000) == 4_096_000


def test_keys_and_values_of_different_width() -> None:
    # MiMo-V2-Flash: K 192, V 128, 4 KV heads: 4 x 320 x 2 = 2,560 B per token
    assert at(Full(kv_heads=4, key_dim=192, value_dim=128), 1) == 2560


def test_sliding_and_chunked_stop_at_their_length() -> None:
    # min(T, window) x 16 x 256 x 2
    assert at(Sliding(kv_heads=16, key_dim=128, value_dim=128, window=1024), 5000) == 1024 * 8192
    assert at(Chunked(kv_heads=8, key_dim=128, value_dim=128, chunk=8192), 10_000) == 8192 * 4096


def test_cross_attention_is_fixed() -> None:
    # Whisper large-v3: 1,500 x 20 heads x 128 x 2 B, whatever the decoder holds
    cross = Cross(kv_heads=20, key_dim=64, value_dim=64, encoder_tokens=1500)
    assert at(cross, 1) == at(cross, 400) == 7_680_000


def test_latents() -> None:
    # DeepSeek-V3: (512 + 64) x 2 = 1,152 B; as an fp8_ds_mla record 656 B; V4's window of 128 records of 584 B
    assert at(Mla(latent_dim=512, rope_dim=64), 1) == 1152
    assert at(Mla(latent_dim=512, rope_dim=64), 1, "fp8_ds_mla") == 656
    assert at(Mla(latent_dim=448, rope_dim=64, window=128), 5000, "fp8_ds_mla") == 128 * 584


def test_compressed_latents() -> None:
    # one record of 584 B for every 4 tokens: floor(1003 / 4) = 250
    assert at(Compressed(ratio=4, latent_dim=448, rope_dim=64), 1003, "fp8_ds_mla") == 250 * 584


def test_indexer_keys_keep_their_own_format() -> None:
    # DeepSeek-V3.2: 128 + 4 = 132 B at any format; MiniMax-M3: 128 elements in the cache's format
    assert at(Indexer(key_dim=128), 10) == at(Indexer(key_dim=128), 10, "fp8") == 1320
    assert at(Indexer(key_dim=128, own_format=False), 10) == 2560
    assert at(Indexer(key_dim=128, ratio=4), 11) == 264


def test_a_rolling_state_is_kept_whole() -> None:
    # 8 tokens x 2,048 elements x 4 B
    assert at(RollingState(window=8, width=2048), 1) == 65_536


@pytest.mark.parametrize("part", [Shared(), NoCache()])
def test_parts_that_keep_nothing(part: CachePart) -> None:
    assert at(part, 131_072) == 0
    assert part.on_rank(8) == part


@pytest.mark.parametrize(
    "part",
    [
        Mla(latent_dim=512, rope_dim=64),
        Compressed(ratio=4, latent_dim=448, rope_dim=64),
        Indexer(key_dim=128),
        RollingState(window=8, width=2048),
    ],
)
def test_latents_are_whole_on_every_rank(part: CachePart) -> None:
    assert part.on_rank(8) == part


@pytest.mark.parametrize(("tp", "heads"), [(1, 8), (2, 4), (8, 1), (16, 1), (3, 2)])
def test_heads_are_divided_and_then_copied(tp: int, heads: int) -> None:
    # vLLM: max(1, total // tp)
    for part in (
        Full(kv_heads=8, key_dim=128, value_dim=128),
        Sliding(kv_heads=8, key_dim=128, value_dim=128, window=5),
        Chunked(kv_heads=8, key_dim=128, value_dim=128, chunk=5),
        Cross(kv_heads=8, key_dim=128, value_dim=128, encoder_tokens=5),
    ):
        assert cast("Full", part.on_rank(tp)).kv_heads == heads


def test_a_sum_of_layers() -> None:
    # DeepSeek-V3.2, 61 layers: 61 x (1,152 + 132) = 78,324 B per token; fp8_ds_mla: 61 x (656 + 132) = 48,068
    parts: list[CachePart] = [Mla(latent_dim=512, rope_dim=64), Indexer(key_dim=128)] * 61
    assert Growth.of(p.growth(BF16) for p in parts).at(1) == 78_324
    assert Growth.of(p.growth(FORMATS["fp8_ds_mla"]) for p in parts).at(1) == 48_068
