"""Uniform decoders with head keys of their own: bytes of one token by hand."""

from pathlib import Path
from typing import Any

import pytest

from kvdesk.core.errors import RefusalError
from kvdesk.core.number_formats import get
from kvdesk.hub import config_file, reader

CONFIGS = Path(__file__).parents[2] / "fixtures" / "configs"


def per_token(config: dict[str, Any]) -> int:
    return reader.read(config).logical(get("bf16")).at(1)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        # layers x KV heads x 2 x head_dim x 2 B; heads as vLLM 0.33.0's models of the same names read them
        ("THUDM__chatglm2-6b", 28 * 2 * 2 * 128 * 2),  # chatglm.py: multi_query_group_num 2, kv_channels 128
        ("THUDM__glm-4-9b", 40 * 2 * 2 * 128 * 2),
        ("Qwen__Qwen-14B-Chat", 40 * 40 * 2 * 128 * 2),  # qwen.py: MHA, kv_channels 128
        ("Qwen__Qwen-72B-Chat", 80 * 64 * 2 * 128 * 2),
        ("baichuan-inc__Baichuan2-7B-Chat", 32 * 32 * 2 * 128 * 2),  # baichuan.py: MHA
        ("xverse__XVERSE-7B", 32 * 32 * 2 * 128 * 2),
        ("internlm__internlm2-7b", 32 * 8 * 2 * 128 * 2),
        ("tiiuae__falcon-40b", 60 * 8 * 2 * 64 * 2),  # falcon.py: 8 heads, not transformers' 128
        ("mosaicml__mpt-7b", 32 * 32 * 2 * 128 * 2),
        ("WizardLM__WizardCoder-15B-V1.0", 40 * 1 * 2 * 128 * 2),
        ("microsoft__Phi-3-small-8k-instruct", 32 * 8 * 2 * 128 * 2),
        ("allenai__Molmo-7B-D-0924", 28 * 4 * 2 * 128 * 2),
        ("deepseek-ai__deepseek-vl2-tiny", 12 * 10 * 2 * 128 * 2),  # use_mla false: plain attention
        ("deepseek-ai__Janus-1.3B", 24 * 16 * 2 * 128 * 2),
        ("nvidia__Llama-3.1-Nemotron-Nano-VL-8B-V1", 32 * 8 * 2 * 128 * 2),
        ("OpenAssistant__oasst-rm-2.1-pythia-1.4b-epoch-2.5", 24 * 16 * 2 * 128 * 2),
    ],
)
def test_real_configs(name: str, expected: int) -> None:
    assert per_token(config_file.parse((CONFIGS / f"{name}.json").read_bytes())) == expected


def test_refined_web() -> None:
    # tiiuae/falcon-7b's first config: model_type RefinedWebModel, one shared head of 4544 / 71 = 64
    config: dict[str, Any] = {
        "model_type": "RefinedWebModel",
        "hidden_size": 4544,
        "n_head": 71,
        "n_layer": 32,
        "multi_query": True,
    }
    assert per_token(config) == 32 * 1 * 2 * 64 * 2
    # falcon-40b's first config: n_head_kv 8
    wide: dict[str, Any] = {
        "model_type": "RefinedWeb",
        "hidden_size": 8192,
        "n_head": 128,
        "n_head_kv": 8,
        "n_layer": 60,
    }
    assert per_token(wide) == 60 * 8 * 2 * 64 * 2


def test_dbrx() -> None:
    # databricks/dbrx-instruct: attn_config.kv_n_heads 8, 6144 / 48 = 128
    config: dict[str, Any] = {
        "model_type": "dbrx",
        "d_model": 6144,
        "n_heads": 48,
        "n_layers": 40,
        "attn_config": {"kv_n_heads": 8},
    }
    assert per_token(config) == 40 * 8 * 2 * 128 * 2


def test_open_elm() -> None:
    # apple/OpenELM-270M: heads grow from 3 to 5 KV heads over 16 layers
    kv = [3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5]
    config: dict[str, Any] = {
        "model_type": "openelm",
        "num_transformer_layers": 16,
        "head_dim": 64,
        "model_dim": 1280,
        "num_kv_heads": kv,
        "num_query_heads": [4 * n for n in kv],
    }
    assert per_token(config) == sum(kv) * 2 * 64 * 2
    with pytest.raises(RefusalError, match="num_kv_heads"):
        per_token({**config, "num_kv_heads": kv[:3]})


def test_nemotron_nas() -> None:
    """Three layers: 64 heads in groups of 8, no attention at all, linear in its place; one more with a window."""

    def block(**attention: object) -> dict[str, Any]:
        return {"attention": {"no_op": False, "replace_with_linear": False, "n_heads_in_group": None, **attention}}

    config: dict[str, Any] = {
        "model_type": "nemotron-nas",
        "hidden_size": 8192,
        "num_attention_heads": 64,
        "num_hidden_layers": 4,
        "num_key_value_heads": None,
        "block_configs": [
            block(n_heads_in_group=8),
            block(no_op=True),
            block(replace_with_linear=True),
            block(n_heads_in_group=16, window_length=4096),
        ],
    }
    growth = reader.read(config).logical(get("bf16"))
    assert growth.at(1) == (8 + 4) * 2 * 128 * 2
    assert growth.at(10_000) == 10_000 * 8 * 512 + 4096 * 4 * 512
    with pytest.raises(RefusalError, match="block_configs"):
        reader.read({**config, "num_hidden_layers": 5})


def test_step() -> None:
    """Sliding layers with their own head width."""
    config: dict[str, Any] = {
        "model_type": "step3p5",
        "hidden_size": 4096,
        "num_attention_heads": 64,
        "num_attention_groups": 8,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "num_hidden_layers": 4,
        "sliding_window": 512,
        "layer_types": [
            "full_attention",
            "sliding_attention",
            "sliding_attention",
            "sliding_attention",
            "full_attention",
        ],
        "attention_other_setting": {"num_attention_heads": 96, "num_attention_groups": 4, "head_dim": 64},
        "num_nextn_predict_layers": 1,
    }
    geometry = reader.read(config)
    growth = geometry.logical(get("bf16"))
    assert growth.at(1000) == 1000 * 8 * 256 * 2 + 512 * 3 * 4 * 128 * 2
    assert len(geometry.draft_layers) == 1


def test_mimo_takes_its_own_keys_over_twice_the_heads() -> None:
    # vLLM 0.33.0 model_executor/models/mimo_v2.py reads swa_num_key_value_heads, swa_head_dim, swa_v_head_dim
    config: dict[str, Any] = {
        "model_type": "mimo_v2_flash",
        "num_hidden_layers": 2,
        "num_attention_heads": 64,
        "num_key_value_heads": 4,
        "head_dim": 192,
        "v_head_dim": 128,
        "hidden_size": 4096,
        "hybrid_layer_pattern": [0, 1],
        "sliding_window_size": 128,
    }
    assert per_token(config) == (4 + 8) * (192 + 128) * 2
    own: dict[str, Any] = {**config, "swa_num_key_value_heads": 16, "swa_head_dim": 64, "swa_v_head_dim": 32}
    assert per_token(own) == 4 * (192 + 128) * 2 + 16 * (64 + 32) * 2
    assert reader.read(own).logical(get("bf16")).at(1000) == 1000 * 4 * 320 * 2 + 129 * 16 * 96 * 2


def test_qwen3_asr_reads_its_thinker() -> None:
    """Its language model stands in thinker_config.text_config (vLLM `transformers_utils/configs/qwen3_asr.py`)."""
    text = {"model_type": "qwen3_asr_text", "num_hidden_layers": 12, "num_key_value_heads": 4, "head_dim": 64}
    config: dict[str, Any] = {
        "model_type": "qwen3_asr",
        "thinker_config": {"model_type": "qwen3_asr_thinker", "text_config": text},
    }
    assert per_token(config) == 12 * 4 * 2 * 64 * 2
