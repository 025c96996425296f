"""What families do where keys are left out, contradict each other, or are not known."""

from typing import Any, ClassVar

import pytest

from kvdesk.core.errors import RefusalError
from kvdesk.core.number_formats import get
from kvdesk.hub import reader

SMALL: dict[str, Any] = {
    "hidden_size": 1024,
    "num_hidden_layers": 4,
    "num_attention_heads": 16,
    "num_key_value_heads": 4,
}


def logical(config: dict[str, Any], tokens: int) -> int:
    return reader.read(config).logical(get("bf16")).at(tokens)


def test_hy_4_s_own_pattern_of_indexers() -> None:
    # layers 0, 1, 5 and 9 of 10 own one; class defaults 512 + 64 and 128 (transformers 5.24.0 models/hy_v4)
    assert logical({"model_type": "hy_v4", "num_hidden_layers": 10}, 1) == 10 * 1152 + 4 * 132


def test_t5_without_decoder_layers_takes_the_encoder_s() -> None:
    config: dict[str, Any] = {"model_type": "t5", "num_layers": 3, "num_heads": 2, "d_kv": 8, "d_model": 16}
    assert logical(config, 10) == 3 * (10 + 512) * 2 * 16 * 2


def test_t5gemma_2_s_encoder_is_nested() -> None:
    # 26 layers of 4 KV heads x 256 by default; the encoder's text model sees 131,072 (transformers 5.24.0)
    geometry = reader.read({"model_type": "t5gemma2", "encoder": {"text_config": {"max_position_embeddings": 100}}})
    assert geometry.encoder_tokens == 100
    assert geometry.logical(get("bf16")).fixed == 26 * 100 * 4 * 512 * 2


def test_mllama_s_own_pattern_and_missing_vision() -> None:
    # 40 layers, 8 of them cross-attention; (448 / 14)^2 + 1 tokens in 4 tiles (transformers 5.24.0 models/mllama)
    growth = reader.read({"model_type": "mllama"}).logical(get("bf16"))
    assert growth.fixed == 8 * 4 * 1025 * 8 * 256 * 2
    assert growth.at(1) - growth.fixed == 32 * 8 * 256 * 2
    with pytest.raises(RefusalError, match="vision_config"):
        reader.read({"model_type": "mllama", "vision_config": 3})


def test_falcon_h1_by_its_inner_width() -> None:
    config: dict[str, Any] = {
        "model_type": "falcon_h1",
        **SMALL,
        "mamba_d_ssm": 2048,
        "mamba_n_heads": 32,
        "mamba_d_state": 128,
        "mamba_n_groups": 1,
    }
    state = (3 * (2048 + 256) + 2048 * 128) * 2
    assert logical(config, 10) == 4 * (10 * 4 * 128 * 2 + state)


def test_zamba2_s_own_pattern() -> None:
    # 54 layers, 9 of them hybrid (transformers 5.24.0 models/zamba2)
    layers = reader.read({"model_type": "zamba2"}).layers
    assert sum(layer[0].kind == "full" for layer in layers) == 9


class TestNas:
    CONFIG: ClassVar[dict[str, Any]] = {
        "model_type": "deci",
        "hidden_size": 64,
        "num_attention_heads": 8,
        "num_hidden_layers": 1,
    }

    def test_deci_lists_kv_heads(self) -> None:
        assert logical({**self.CONFIG, "num_key_value_heads_per_layer": [1, 2, 4]}, 1) == 7 * 16 * 2

    def test_puzzle_names_kv_heads(self) -> None:
        assert logical({**self.CONFIG, "block_configs": [{"attention": {"num_key_value_heads": 2}}]}, 1) == 2 * 16 * 2

    @pytest.mark.parametrize("block", [{}, {"attention": {"n_heads_in_group": 3}}, {"attention": {}}])
    def test_what_makes_no_sense(self, block: dict[str, Any]) -> None:
        with pytest.raises(RefusalError, match=r"attention|n_heads_in_group"):
            reader.read({**self.CONFIG, "block_configs": [block]})


class TestNemotronH:
    def test_the_default_of_the_class_is_not_a_model(self) -> None:
        with pytest.raises(RefusalError, match="layers_block_type"):
            reader.read({"model_type": "nemotron_h"})

    def test_letters_that_are_not_known(self) -> None:
        with pytest.raises(RefusalError, match="“Q”"):
            reader.read({"model_type": "nemotron_h", "hybrid_override_pattern": "M*Q"})

    def test_a_pattern_without_end(self) -> None:
        with pytest.raises(RefusalError, match="layers_block_type"):
            reader.read({"model_type": "nemotron_h", "hybrid_override_pattern": "M" * 5000})

    def test_an_older_key_of_its_head_width(self) -> None:
        config: dict[str, Any] = {"model_type": "nemotron_h", "hybrid_override_pattern": "*", "attention_head_dim": 64}
        assert logical(config, 1) == 8 * 128 * 2

    def test_its_draft_pattern(self) -> None:
        config: dict[str, Any] = {
            "model_type": "nemotron_h",
            "hybrid_override_pattern": "M*",
            "num_nextn_predict_layers": 1,
        }
        assert len(reader.read({**config, "mtp_hybrid_override_pattern": "*E*"}).draft_layers) == 3
        assert [layer[0].kind for layer in reader.read(config).draft_layers] == ["full", "none"]


def test_hunyuan_s_own_key_of_its_head_width() -> None:
    assert logical({"model_type": "hunyuan", **SMALL, "attention_head_dim": 32}, 1) == 4 * 4 * 64 * 2


def test_phi_4_flash_lists_its_windows() -> None:
    keys: dict[str, Any] = {"mamba_expand": 2, "mamba_d_state": 16, "mamba_d_conv": 4}
    config: dict[str, Any] = {"model_type": "phi4flash", **SMALL, **keys, "sliding_window": [None, 100, None, None]}
    # Mamba, a window of 100, Mamba, full
    assert logical(config, 1000) == (100 + 1000) * 4 * 128 * 2 + 2 * (3 * 2048 + 2048 * 16) * 2
    with pytest.raises(RefusalError, match="sliding_window"):
        reader.read({**config, "sliding_window": [100]})


def test_dbrx_s_class_has_one_kv_head() -> None:
    # transformers 5.24.0 models/dbrx: DbrxAttentionConfig, kv_n_heads 1; 24 layers of 2048 / 16
    assert logical({"model_type": "dbrx"}, 1) == 24 * 1 * 256 * 2


def test_gpt_neo_keeps_all_tokens_of_its_local_layers() -> None:
    config: dict[str, Any] = {
        "model_type": "gpt_neo",
        "num_layers": 2,
        "num_heads": 2,
        "hidden_size": 16,
        "window_size": 4,
    }
    geometry = reader.read(config)
    assert geometry.logical(get("bf16")).at(100) == 100 * 2 * 2 * 16 * 2
    assert not geometry.findings


def test_open_elm_without_its_lists() -> None:
    with pytest.raises(RefusalError, match="num_kv_heads"):
        reader.read({"model_type": "openelm", "num_transformer_layers": 2, "head_dim": 8, "model_dim": 16})


def test_step_by_single_layers() -> None:
    config: dict[str, Any] = {
        "model_type": "step3p5",
        **SMALL,
        "head_dim": 64,
        "sliding_window": 100,
        "layer_types": ["full_attention", *["sliding_attention"] * 3],
        "per_layer_config": {"1": {"num_attention_heads": 24, "num_key_value_heads": 2}},
    }
    assert logical(config, 1000) == 1000 * 4 * 128 * 2 + 3 * 100 * 2 * 128 * 2


def test_unlimited_ocr_counts_its_whole_prompt() -> None:
    # 12 layers of 10 heads of 128 (transformers 5.24.0 models/unlimited_ocr)
    listed = ["reference_sliding_attention"] * 12
    assert logical({"model_type": "unlimited_ocr_text", "layer_types": listed}, 10) == 12 * 10 * 10 * 256 * 2


def test_mistral_large_4_s_sources_must_name_every_layer() -> None:
    with pytest.raises(RefusalError, match="kv_source_layers"):
        reader.read({"model_type": "mistral_large4_text", "num_hidden_layers": 3, "kv_source_layers": [0]})


def test_deepseek_v4_by_kind_and_by_rate() -> None:
    """One window-only layer, one of each compression, at rates of 8 and 64."""
    config: dict[str, Any] = {
        "model_type": "deepseek_v4",
        "num_hidden_layers": 3,
        "layer_types": ["sliding_attention", "compressed_sparse_attention", "heavily_compressed_attention"],
        "compress_rates": {"compressed_sparse_attention": 8, "heavily_compressed_attention": 64},
    }
    growth = reader.read(config).logical(get("bf16"))
    assert growth.at(2560) - growth.fixed == 3 * 128 * 1024 + 320 * (1024 + 132) + 40 * 1024
    assert growth.fixed == 16 * (2048 + 512) * 4 + 64 * 1024 * 4
    assert reader.read({"model_type": "deepseek_v4", "num_hidden_layers": 4}).layers[3][2].kind == "indexer"
    wrong: tuple[dict[str, Any], ...] = (
        {"compress_ratios": [0, 4]},
        {"compress_ratios": [0, 4, 7]},
        {"layer_types": ["odd"] * 3},
    )
    for keys in wrong:
        with pytest.raises(RefusalError, match=r"compress_ratios|layer_types"):
            reader.read({"model_type": "deepseek_v4", "num_hidden_layers": 3, **keys})


def test_mimo_by_listed_kinds() -> None:
    config: dict[str, Any] = {
        "model_type": "mimo_v2_flash",
        "num_hidden_layers": 2,
        "layer_types": ["full_attention"] * 2,
    }
    # 4 KV heads of 192 and 128 (class defaults)
    assert logical(config, 10) == 2 * 10 * 4 * 320 * 2


def test_minimax_01_needs_its_list() -> None:
    config: dict[str, Any] = {"model_type": "minimax_text_01", **SMALL}
    with pytest.raises(RefusalError, match="attn_type_list"):
        reader.read(config)
    with pytest.raises(RefusalError, match="layer_types"):
        reader.read({**config, "layer_types": ["odd"] * 4})


def test_olmo_hybrid_by_listed_kinds() -> None:
    with pytest.raises(RefusalError, match="layer_types"):
        reader.read({"model_type": "olmo_hybrid", "num_hidden_layers": 1, "layer_types": ["odd"]})


def test_unknown_encoder_decoders_are_refused() -> None:
    with pytest.raises(RefusalError, match="is_encoder_decoder"):
        reader.read({"model_type": "never_seen", **SMALL, "is_encoder_decoder": True})


def test_language_models_nested_without_end() -> None:
    config: dict[str, Any] = {"a": 1}
    for _ in range(6):
        config = {"model_type": "outer", "text_config": config}
    with pytest.raises(RefusalError) as caught:
        reader.read(config)
    assert caught.value.code == "no-decoder"


def test_encoders_inside_multimodal_configs_are_refused() -> None:
    with pytest.raises(RefusalError) as caught:
        reader.read({"model_type": "outer", "text_config": {"model_type": "bert"}})
    assert caught.value.code == "encoder-only"
