"""Latents, indexers and compressed streams: bytes by hand."""

from pathlib import Path
from typing import Any

import pytest

from kvdesk.core.errors import RefusalError
from kvdesk.core.number_formats import get
from kvdesk.hub import config_file, reader

CONFIGS = Path(__file__).parents[2] / "fixtures" / "configs"
DSA: dict[str, Any] = {
    "model_type": "glm_moe_dsa",
    "num_hidden_layers": 6,
    "kv_lora_rank": 512,
    "qk_rope_head_dim": 64,
    "index_head_dim": 128,
}


def load(name: str) -> config_file.ConfigObject:
    return config_file.parse((CONFIGS / f"{name}.json").read_bytes())


@pytest.mark.parametrize(
    ("fmt", "record"),
    # vLLM 0.33.0: 2-byte latents, one-byte latents, records of 656 B; 132 B of indexer in any format
    [("bf16", 1152), ("fp8", 576), ("fp8_ds_mla", 656), ("nvfp4_ds_mla", 352)],
)
def test_deepseek_v32_in_every_format(fmt: str, record: int) -> None:
    assert reader.read(load("deepseek-ai__DeepSeek-V3.2")).logical(get(fmt)).at(1) == 61 * (record + 132)


def test_kimi_k2_of_its_own_code() -> None:
    assert reader.read(load("moonshotai__Kimi-K2-Instruct")).logical(get("bf16")).at(1000) == 1000 * 61 * 576 * 2


@pytest.mark.parametrize(
    ("keys", "owners"),
    [
        ({}, 6),
        ({"indexer_types": ["full", "shared", "shared", "full", "shared", "shared"]}, 2),
        ({"index_topk_pattern": "FSSFSS"}, 2),
        ({"index_topk_pattern": ["full", "shared", "shared", "full", "full", "shared"]}, 3),
        # layers 0, 1 and 5: max(i - 1, 0) divisible by 4 (transformers 5.24.0 models/glm_moe_dsa)
        ({"index_topk_freq": 4, "index_skip_topk_offset": 2}, 3),
    ],
)
def test_only_layers_that_own_an_indexer_keep_its_keys(keys: dict[str, Any], owners: int) -> None:
    assert reader.read({**DSA, **keys}).logical(get("bf16")).at(1) == 6 * 1152 + owners * 132


@pytest.mark.parametrize(
    "keys",
    [
        {"indexer_types": ["full"] * 3},
        {"indexer_types": ["full", "sometimes", "full", "full", "full", "full"]},
        {"index_topk_pattern": "FS"},
        {"layer_types": ["mystery"] * 6},
    ],
)
def test_what_is_not_understood_is_refused(keys: dict[str, Any]) -> None:
    with pytest.raises(RefusalError):
        reader.read({**DSA, **keys})


def test_deepseek_v4_flash() -> None:
    """43 layers: 2 window only, 21 of ratio 4, 20 of ratio 128; 584 B records, 132 B index keys.

    Past the window a million tokens cost about 3,850 B each (vLLM 0.33.0 models/deepseek_v4). The compressors' inputs
    are fp32: 8 x 2048 and 8 x 512 elements at ratio 4, 128 x 1024 at ratio 128.
    """
    growth = reader.read(load("deepseek-ai__DeepSeek-V4-Flash")).logical(get("fp8_ds_mla"))
    assert growth.fixed == 21 * (8 * 2048 + 8 * 512) * 4 + 20 * 128 * 1024 * 4
    assert growth.at(12_800) - growth.fixed == 43 * 128 * 584 + 21 * 3200 * (584 + 132) + 20 * 100 * 584
    assert (growth.at(12_800 + 1280) - growth.at(12_800)) / 1280 == pytest.approx(3850, abs=1)


def test_deepseek_v4_files_with_and_without_the_draft_layer_s_ratio() -> None:
    for name in (
        "deepseek-ai__DeepSeek-V4-Flash",
        "RedHatAI__DeepSeek-V4-Flash-NVFP4-FP8",
        "sgl-project__DeepSeek-V4-Flash-FP8",
    ):
        geometry = reader.read(load(name))
        assert len(geometry.layers) == 43
        assert [part.kind for part in geometry.draft_layers[0]] == ["mla"]


def test_longcat_has_two_latents_per_layer() -> None:
    # meituan-longcat/LongCat-Flash-Chat: 28 layers, 512 + 64
    config: dict[str, Any] = {
        "model_type": "longcat_flash",
        "num_layers": 28,
        "kv_lora_rank": 512,
        "qk_rope_head_dim": 64,
    }
    assert reader.read(config).logical(get("bf16")).at(1) == 56 * 576 * 2


def test_kimi_k3() -> None:
    """24 latents, and 69 delta states of 96 heads x 128 x 128 in fp32: 428.55 MiB for each request."""
    full = [*(4 * n for n in range(1, 24)), 93]
    config: dict[str, Any] = {
        "model_type": "kimi_linear",
        "num_hidden_layers": 93,
        "kv_lora_rank": 512,
        "qk_rope_head_dim": 64,
        "linear_attn_config": {
            "full_attn_layers": full,
            "kda_layers": [n for n in range(1, 94) if n not in full],
            "num_heads": 96,
            "head_dim": 128,
            "short_conv_kernel_size": 4,
        },
    }
    # The published file has a text model's type at its root and the text model inside.
    growth = reader.read({"model_type": "kimi_k3", "text_config": config}).logical(get("bf16"))
    assert growth == reader.read(config).logical(get("bf16"))
    assert growth.fixed == 69 * (96 * 128 * 128 * 4 + 3 * 3 * 96 * 128 * 2)
    assert round(growth.fixed / 2**20, 2) == 428.55
    assert growth.at(1) - growth.fixed == 24 * 1152
    broken: dict[str, Any] = {**config, "linear_attn_config": {**config["linear_attn_config"], "kda_layers": [1, 2]}}
    with pytest.raises(RefusalError, match="kda_layers"):
        reader.read(broken)


def test_mistral_large_4_reads_an_earlier_layer_s_latents() -> None:
    config: dict[str, Any] = {
        "model_type": "mistral_large4_text",
        "num_hidden_layers": 4,
        "kv_source_layers": [0, 0, 2, 2],
        "indexer_types": ["full", "shared", "full", "full"],
    }
    # class defaults 512 + 64 and 128 (transformers 5.24.0 models/mistral_large4)
    assert reader.read(config).logical(get("bf16")).at(1) == 2 * 1152 + 3 * 132


def test_mistral_large_4_keeps_no_rotary_part_without_rotary_embedding() -> None:
    # Measured on transformers 5.24 on the meta device: 54 layers of 576 elements, every fourth (18) of 512; 72 indexers
    growth = reader.read({"model_type": "mistral_large4"}).logical(get("bf16"))
    assert growth.at(17) == 17 * (54 * 1152 + 18 * 1024 + 72 * 132)
    small: dict[str, Any] = {"model_type": "mistral_large4_text", "num_hidden_layers": 2, "no_rope_layers": [0, 1]}
    assert reader.read(small).logical(get("bf16")).at(1) == 1024 + 1152 + 2 * 132
    with pytest.raises(RefusalError, match="no_rope_layers"):
        reader.read({**small, "no_rope_layers": [1]})
