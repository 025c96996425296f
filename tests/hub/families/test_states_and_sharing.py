"""Recurrent states, hybrids, shared caches and encoder-decoders: bytes by hand."""

from pathlib import Path
from typing import Any

import pytest

from kvdesk.core.errors import RefusalError
from kvdesk.core.geometry import Geometry
from kvdesk.core.number_formats import get
from kvdesk.hub import config_file, reader

CONFIGS = Path(__file__).parents[2] / "fixtures" / "configs"
SMALL: dict[str, Any] = {
    "hidden_size": 1024,
    "num_hidden_layers": 4,
    "num_attention_heads": 16,
    "num_key_value_heads": 4,
    "head_dim": 64,
}
TOKEN = 4 * (64 + 64) * 2
"""Bytes of one token in one full layer of `SMALL`."""


def load(name: str) -> Geometry:
    return reader.read(config_file.parse((CONFIGS / f"{name}.json").read_bytes()))


def logical(config: dict[str, Any], tokens: int) -> int:
    return reader.read(config).logical(get("bf16")).at(tokens)


class TestHybrids:
    def test_jamba(self) -> None:
        # AI21-Jamba-1.5-Mini: 28 Mamba-1 layers of 8192 x 16 and 3 columns, 4 attention layers of 8 heads; 2 B each
        growth = load("ai21labs__AI21-Jamba-1.5-Mini").logical(get("bf16"))
        assert growth.fixed == 28 * (3 * 8192 + 8192 * 16) * 2
        assert growth.at(1) - growth.fixed == 4 * 8 * 256 * 2

    def test_falcon_h1_keeps_both_in_every_layer(self) -> None:
        # 24 heads x 64 = 1536 wide, 128 states, 1 group; the file gives no mamba_d_ssm
        growth = load("tiiuae__Falcon-H1-0.5B-Base").logical(get("bf16"))
        assert growth.fixed == 36 * (3 * (1536 + 2 * 128) + 24 * 64 * 128) * 2
        assert growth.at(1) - growth.fixed == 36 * 2 * 128 * 2

    def test_nemotron_h_56b(self) -> None:
        # 54 Mamba-2 layers of 256 heads x 64, 256 states, 8 groups, fp32; 10 attention layers of 8 heads x 128
        growth = load("nvidia__Nemotron-H-56B-Base-8K").logical(get("bf16"))
        assert growth.fixed == 54 * (3 * (16384 + 2 * 8 * 256) * 2 + 256 * 64 * 256 * 4)
        assert growth.at(1) - growth.fixed == 10 * 8 * 256 * 2

    def test_granite_may_be_all_attention(self) -> None:
        config: dict[str, Any] = {
            "model_type": "granitemoehybrid",
            **SMALL,
            "layer_types": ["attention"] * 4,
            "mamba_n_heads": 7,
        }
        assert logical(config, 10) == 4 * 10 * TOKEN

    def test_granite_mixed(self) -> None:
        config: dict[str, Any] = {
            "model_type": "granitemoehybrid",
            **SMALL,
            "layer_types": ["mamba", "attention", "mamba", "mamba"],
            "mamba_n_heads": 32,
            "mamba_d_state": 128,
            "mamba_n_groups": 1,
            "mamba_d_conv": 4,
            "mamba_expand": 2,
        }
        assert logical(config, 10) == 10 * TOKEN + 3 * (3 * (2048 + 256) + 2048 * 128) * 2

    def test_bamba(self) -> None:
        config: dict[str, Any] = {
            "model_type": "bamba",
            **SMALL,
            "attn_layer_indices": [3],
            "mamba_n_heads": 32,
            "mamba_d_state": 128,
        }
        assert logical(config, 10) == 10 * TOKEN + 3 * (3 * (2048 + 256) + 2048 * 128) * 2
        with pytest.raises(RefusalError, match="attn_layer_indices"):
            reader.read({**config, "attn_layer_indices": [9]})

    def test_zamba2_heads_are_twice_as_wide(self) -> None:
        # Zyphra/Zamba2-7B-instruct: vLLM reads head size 224 = 2 x 3584 / 32
        config: dict[str, Any] = {
            "model_type": "zamba2",
            "hidden_size": 3584,
            "num_attention_heads": 32,
            "num_hidden_layers": 3,
            "layers_block_type": ["mamba", "hybrid", "mamba"],
            "mamba_expand": 2,
            "n_mamba_heads": 112,
            "mamba_d_state": 64,
            "mamba_ngroups": 2,
            "mamba_d_conv": 4,
        }
        state = (3 * (7168 + 2 * 2 * 64) + 7168 * 64) * 2
        assert logical(config, 10) == 10 * 32 * 448 * 2 + 3 * state

    def test_lfm2(self) -> None:
        config: dict[str, Any] = {"model_type": "lfm2", **SMALL, "full_attn_idxs": [2], "conv_L_cache": 3}
        assert logical(config, 10) == 10 * TOKEN + 3 * 2 * 1024 * 2

    def test_minimax_text_01(self) -> None:
        # lightning layers keep heads x d x d; attn_type_list 0 is lightning, 1 softmax
        config: dict[str, Any] = {"model_type": "minimax_text_01", **SMALL, "attn_type_list": [0, 0, 0, 1]}
        assert logical(config, 10) == 10 * TOKEN + 3 * 16 * 64 * 64 * 2
        with pytest.raises(RefusalError, match="attn_type_list"):
            reader.read({**config, "attn_type_list": [0, 1]})

    def test_a_state_format_of_its_own(self) -> None:
        config: dict[str, Any] = {
            "model_type": "qwen3_next",
            "num_hidden_layers": 1,
            "layer_types": ["linear_attention"],
        }
        # class defaults: 16 and 32 heads of 128, kernel 4
        conv = 3 * (2 * 16 * 128 + 32 * 128) * 2
        assert logical(config, 1) == conv + 32 * 128 * 128 * 2
        assert logical({**config, "mamba_ssm_dtype": "float32"}, 1) == conv + 32 * 128 * 128 * 4
        with pytest.raises(RefusalError, match="mamba_ssm_dtype"):
            reader.read({**config, "mamba_ssm_dtype": "float48"})


def test_rwkv6() -> None:
    # 24 layers: two shifted inputs of 2048 in bf16, 32 heads x 64 x 64 in fp32
    assert load("RWKV__rwkv-6-world-1b6").logical(get("bf16")).at(5000) == 24 * (2 * 2048 * 2 + 32 * 64 * 64 * 4)


class TestSharing:
    def test_gemma_3n_s_last_layers_keep_nothing(self) -> None:
        # google/gemma-3n-E2B: 30 layers, the last 10 share; every fifth is full, windows of 512, 2 heads x 256
        config: dict[str, Any] = {"model_type": "gemma3n_text", "num_hidden_layers": 30, "num_kv_shared_layers": 10}
        token = 2 * 512 * 2
        assert logical(config, 10_000) == (4 * 10_000 + 16 * 512) * token

    def test_gemma_4_by_single_layers(self) -> None:
        """What transformers 5 writes back: the full layers' sizes under their numbers."""
        config: dict[str, Any] = {
            "model_type": "gemma4_text",
            "num_hidden_layers": 6,
            "num_key_value_heads": 8,
            "head_dim": 256,
            "sliding_window": 512,
            "per_layer_config": {"05": {"head_dim": 512, "num_key_value_heads": 2}},
        }
        assert logical(config, 1000) == 5 * 512 * 8 * 512 * 2 + 1000 * 2 * 1024 * 2

    def test_hunyuan_large_keeps_every_other_layer(self) -> None:
        config: dict[str, Any] = {"model_type": "hunyuan", **SMALL, "use_cla": True, "cla_share_factor": 2}
        assert logical(config, 10) == 2 * 10 * TOKEN

    def test_phi_4_mini_flash(self) -> None:
        # 8 layers: Mamba, window, Mamba, window, Mamba, full, then two that read them
        config: dict[str, Any] = {
            "model_type": "phi4flash",
            **SMALL,
            "num_hidden_layers": 8,
            "sliding_window": 512,
            "mamba_expand": 2,
            "mamba_d_state": 16,
            "mamba_d_conv": 4,
        }
        states = 3 * (3 * 2048 + 2048 * 16) * 2
        assert logical(config, 1000) == (2 * 512 + 1000) * TOKEN + states

    def test_dory_keeps_a_cache_per_loop(self) -> None:
        # 8 layers, 2 before and 2 after a section of 4 that runs twice; windows of 1,024 but on every fourth layer
        config: dict[str, Any] = {
            "model_type": "dory",
            **SMALL,
            "num_hidden_layers": 8,
            "n_input_layers": 2,
            "n_output_layers": 2,
        }
        assert len(reader.read(config).layers) == 12
        assert len(reader.read({**config, "recurrent_kv_cache_mode": "last_loop"}).layers) == 8


class TestEncoderDecoders:
    @pytest.mark.parametrize(
        ("name", "layers", "heads", "dim", "encoder"),
        [
            ("openai__whisper-large-v3", 32, 20, 64, 1500),
            ("openai__whisper-tiny", 4, 6, 64, 1500),
            ("facebook__bart-base", 6, 12, 64, 1024),
            ("google-t5__t5-small", 6, 8, 64, 512),
            ("sshleifer__tiny-marian-en-de", 2, 1, 2, 512),
        ],
    )
    def test_own_and_cross_keys(self, name: str, layers: int, heads: int, dim: int, encoder: int) -> None:
        geometry = load(name)
        growth = geometry.logical(get("bf16"))
        assert geometry.encoder_tokens == encoder
        assert growth.fixed == layers * encoder * heads * 2 * dim * 2
        assert growth.at(1) - growth.fixed == layers * heads * 2 * dim * 2
        assert geometry.with_encoder_tokens(10).logical(get("bf16")).fixed == layers * 10 * heads * 2 * dim * 2

    def test_llama_3_2_vision(self) -> None:
        """80 layers of text; 20 keep one image of 4 tiles x (40 x 40 + 1) tokens and nothing of the text."""
        growth = load("meta-llama__Llama-3.2-90B-Vision-Instruct").logical(get("bf16"))
        assert growth.at(1) - growth.fixed == 80 * 8 * 256 * 2
        assert growth.fixed == 20 * 4 * 1601 * 8 * 256 * 2

    def test_t5gemma(self) -> None:
        # 26 layers of 4 heads x 256, every other slides at 4,096; the encoder sees 8,192
        growth = load("google__t5gemma-ml-ml-prefixlm").logical(get("bf16"))
        token = 4 * 512 * 2
        assert growth.fixed == 26 * 8192 * token
        assert growth.at(10_000) - growth.fixed == 13 * (10_000 + 4096) * token
