"""Models that only their checkpoints' own code knows: each count written out from its `modeling_*.py`."""

from pathlib import Path

import pytest

from kvdesk.core.json_value import JsonValue
from kvdesk.hub import config_file
from kvdesk.hub.config_view import open_view
from kvdesk.hub.parameters import count

CONFIGS = Path(__file__).parents[2] / "fixtures" / "configs"


def attention(hidden: int, kv: int, *, bias: int = 0) -> int:
    """Queries and output of the hidden size, keys and values of `kv` elements, and biases."""
    return 2 * hidden * hidden + 2 * hidden * kv + bias


def llama_like(vocab: int, hidden: int, layers: int, kv: int, width: int, *, bias: int = 0) -> int:
    layer = attention(hidden, kv, bias=bias) + 3 * hidden * width + 2 * hidden
    return 2 * vocab * hidden + layers * layer + hidden


def vit(hidden: int, width: int, layers: int) -> int:
    """Layers with biases everywhere and two LayerNorms."""
    return layers * (4 * hidden * (hidden + 1) + 2 * hidden * width + width + hidden + 4 * hidden)


QWEN_14B = llama_like(152_064, 5120, 40, 5120, 27_392 // 2, bias=3 * 5120)
INTERNLM2_7B = llama_like(92_544, 4096, 32, 1024, 14_336)
BAICHUAN2_7B = llama_like(125_696, 4096, 32, 4096, 11_008)
CHATGLM3_6B = llama_like(65_024, 4096, 28, 256, 13_696, bias=4096 + 2 * 256)
PHI_3_SMALL = (
    100_352 * 4096
    + 32 * (attention(4096, 1024, bias=2 * 4096 + 2 * 1024) + 3 * 4096 * 14_336 + 2 * 14_336 + 4096 + 4 * 4096)
    + 2 * 4096
)
CLIP_336 = 3 * 14 * 14 * 1024 + (577 + 1) * 1024 + vit(1024, 4096, 24) + 4 * 1024
PHI_3_VISION = llama_like(32_064, 3072, 32, 3072, 8192) + CLIP_336 + 4096 * 3072 + 3072 + 3072 * 3072 + 3072 + 2 * 4096
SIGLIP_980 = (3 * 14 * 14 + 1) * 1152 + 70 * 70 * 1152 + vit(1152, 4304, 27) + 2 * 1152
RESAMPLER = 64 * 3584 + 1152 * 3584 + 4 * 3584 * (3584 + 1) + 3 * 2 * 3584 + 3584 * 3584
MINICPM_V_2_6 = llama_like(151_666, 3584, 28, 512, 18_944, bias=3584 + 2 * 512) + SIGLIP_980 + RESAMPLER
INTERNVIT_300M = (3 * 14 * 14 + 1) * 1024 + (32 * 32 + 2) * 1024 + vit(1024, 4096, 24) + 24 * 2 * 1024
INTERNVL2_4B = (
    llama_like(32_020, 3072, 32, 3072, 8192) + INTERNVIT_300M + 2 * 4096 + 4096 * 3072 + 3072 + 3072 * 3072 + 3072
)


@pytest.mark.parametrize(
    ("config", "expected"),
    [
        ("Qwen__Qwen-14B-Chat", QWEN_14B),
        ("internlm__internlm2-7b", INTERNLM2_7B),
        ("baichuan-inc__Baichuan2-7B-Chat", BAICHUAN2_7B),
        ("THUDM__chatglm3-6b-32k", CHATGLM3_6B),
        ("microsoft__Phi-3-small-8k-instruct", PHI_3_SMALL),
        ("microsoft__Phi-3-vision-128k-instruct", PHI_3_VISION),
        ("openbmb__MiniCPM-V-2_6", MINICPM_V_2_6),
        ("OpenGVLab__InternVL2-4B", INTERNVL2_4B),
    ],
)
def test_own_code(config: str, expected: int) -> None:
    counted = count(open_view(config_file.parse((CONFIGS / f"{config}.json").read_bytes())))
    assert counted is not None
    assert counted.total == expected


@pytest.mark.parametrize(
    "config",
    [
        "lmms-lab__llava-onevision-qwen2-7b-ov",
        "nvidia__Llama-3.1-Nemotron-Nano-VL-8B-V1",
        "allenai__Molmo-7B-D-0924",
        "THUDM__glm-4v-9b",
        "deepseek-ai__deepseek-vl2-tiny",
    ],
)
def test_an_encoder_that_is_not_known_withholds_the_count(config: str) -> None:
    assert count(open_view(config_file.parse((CONFIGS / f"{config}.json").read_bytes()))) is None


def test_dbrx() -> None:
    """DBRX by its published sizes: 16 experts of 10,752, 8 KV heads of 128."""
    config: dict[str, JsonValue] = {
        "model_type": "dbrx",
        "d_model": 6144,
        "n_heads": 48,
        "n_layers": 40,
        "vocab_size": 100_352,
        "attn_config": {"kv_n_heads": 8},
        "ffn_config": {"ffn_hidden_size": 10_752, "moe_num_experts": 16, "moe_top_k": 4},
    }
    expert = 3 * 6144 * 10_752
    layer = attention(6144, 1024) + 16 * expert + 16 * 6144 + 2 * 6144
    counted = count(open_view(config))
    assert counted is not None
    assert counted.total == 2 * 100_352 * 6144 + 40 * layer + 6144
    assert counted.active == counted.total - 40 * 12 * expert


def test_step() -> None:
    """Step 3.5: more query heads where it slides, listed layers with experts."""
    config: dict[str, JsonValue] = {
        "model_type": "step3p5",
        "num_hidden_layers": 4,
        "layer_types": ["full_attention", "sliding_attention", "sliding_attention", "sliding_attention"],
        "attention_other_setting": {"num_attention_heads": 96, "num_attention_groups": 8, "head_dim": 128},
        "sliding_window": 512,
        "moe_layers_enum": "1,3",
        "tie_word_embeddings": False,
    }
    full, wide = 64 * 128, 96 * 128
    keys = 2 * 4096 * 8 * 128
    attentions = (2 * 4096 * full + keys + 4096 * 64) + 3 * (2 * 4096 * wide + keys + 4096 * 96) + 4 * 2 * 128
    sparse = 288 * 3 * 4096 * 1280 + 288 * 4096 + 3 * 4096 * 1280
    dense = 3 * 4096 * 11_264
    counted = count(open_view(config))
    assert counted is not None
    assert counted.total == 2 * 128_815 * 4096 + attentions + 2 * sparse + 2 * dense + 4 * 2 * 4096 + 4096
