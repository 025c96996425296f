"""Less common recurrent and mixed layers: bytes by hand from the class defaults of transformers 5.24.0."""

from typing import Any

import pytest

from kvdesk.core.errors import RefusalError
from kvdesk.core.number_formats import get
from kvdesk.hub import reader


def logical(config: dict[str, Any], tokens: int) -> int:
    return reader.read(config).logical(get("bf16")).at(tokens)


def test_olmo_hybrid() -> None:
    # 30 heads x 128; key heads of 0.75 x 3840 / 30 = 96, values twice that; full attention on every fourth layer
    state = (3 * (2 * 30 * 96 + 30 * 192) + 30 * 192 * 96) * 2
    assert logical({"model_type": "olmo_hybrid", "num_hidden_layers": 8}, 10) == 6 * state + 2 * 10 * 30 * 256 * 2
    assert logical({"model_type": "olmo_hybrid", "num_hidden_layers": 2}, 10) == state + 10 * 30 * 256 * 2


def test_lara_mini() -> None:
    # linear, sliding (512), linear, full, sliding: 8 and 16 heads of 128, 4 KV heads of 128
    state = (3 * (2 * 8 * 128 + 16 * 128) + 16 * 128 * 128) * 2
    config: dict[str, Any] = {"model_type": "lara_mini", "num_hidden_layers": 5}
    assert logical(config, 1000) == 2 * state + (2 * 512 + 1000) * 4 * 256 * 2


def test_qwen4_exp_keeps_index_keys_beside_its_full_layers() -> None:
    config: dict[str, Any] = {
        "model_type": "qwen4_exp_text",
        "num_hidden_layers": 4,
        "indexer_kv_heads": 1,
        "indexer_head_dim": 128,
    }
    # 16 and 32 heads of 128; 2 KV heads of 256 and one index key of 128 elements
    state = (3 * (2 * 16 * 128 + 32 * 128) + 32 * 128 * 128) * 2
    assert logical(config, 10) == 3 * state + 10 * (2 * 512 + 128) * 2
    with pytest.raises(RefusalError, match="ple_layer_ids"):
        reader.read({**config, "ple_layer_ids": [1]})
    with pytest.raises(RefusalError, match="layer_types"):
        reader.read({**config, "layer_types": ["odd"] * 4})


def test_lfm3() -> None:
    # conv, conv, full, conv, sliding (256), conv: 6 columns of 2048; 4 KV heads of 128
    config: dict[str, Any] = {"model_type": "lfm3", "num_hidden_layers": 6}
    assert logical(config, 1000) == 4 * 6 * 2048 * 2 + (1000 + 256) * 4 * 256 * 2
    with pytest.raises(RefusalError, match="layer_types"):
        reader.read({**config, "layer_types": ["odd"] * 6})
    assert logical({"model_type": "lfm2", "num_hidden_layers": 2}, 10) == 2 * 10 * 8 * 160 * 2  # all attention


def test_inkling() -> None:
    # every sixth layer full: 8 KV heads of 128; the rest 16 of 128 in 512 tokens; four fp32 convolutions of 3 columns
    full, sliding = 8 * 128, 16 * 128
    states = 5 * 3 * (2 * sliding + 2 * 6144) * 4 + 3 * (2 * full + 2 * 6144) * 4
    config: dict[str, Any] = {"model_type": "inkling_text", "num_hidden_layers": 6}
    # Its class renames model_max_length to max_position_embeddings.
    longest = reader.read({**config, "max_position_embeddings": 9000}).max_context
    assert longest is not None
    assert longest.value == 9000
    assert logical(config, 1000) == states + 5 * 512 * sliding * 2 * 2 + 1000 * full * 2 * 2
    assert logical({**config, "local_layer_ids": []}, 1) == 6 * (3 * (2 * full + 2 * 6144) * 4 + full * 2 * 2)
    with pytest.raises(RefusalError, match="layer_types"):
        reader.read({**config, "layer_types": ["odd"] * 6})


def test_inkling2() -> None:
    # Measured on transformers 5.24 on the meta device with the class defaults, at 17 and 20,000 tokens
    assert logical({"model_type": "inkling2_text"}, 17) == 9_830_400
    assert logical({"model_type": "inkling2_text"}, 20_000) == 829_620_224


def test_every_pass_of_inkling2_loop_has_a_cache() -> None:
    # Measured likewise: 24 layers, of which 12 run three times, keep 48 caches
    config: dict[str, Any] = {"model_type": "inkling2_loop_text"}
    assert logical(config, 17) == 7_176_192
    assert logical(config, 20_000) == 826_966_016
    assert logical({**config, "loop_num_passes": 1}, 17) == 7_176_192 // 2
    with pytest.raises(RefusalError, match="loop_layer_index_end"):
        reader.read({**config, "loop_layer_index_end": 3})
    with pytest.raises(RefusalError, match="loop_num_passes"):
        reader.read({**config, "loop_num_passes": 4000})


def test_ling3_saved_by_transformers() -> None:
    # Measured likewise: saving turns head_dim into the rotary width and keeps the delta layers' own as linear_head_dim
    config: dict[str, Any] = {"model_type": "bailing_hybrid"}
    saved: dict[str, Any] = {**config, "head_dim": 64, "linear_head_dim": 128, "linear_num_heads": 32}
    assert logical(config, 17) == logical(saved, 17) == 76_117_888
    assert logical(saved, 20_000) == 237_260_800


def test_zaya() -> None:
    # 2 KV and 8 query heads of 128; 2 columns of both, and half of the values of one token
    states = (2 * (8 + 2) * 128 + 2 * 128 // 2) * 2
    config: dict[str, Any] = {"model_type": "zaya", "num_hidden_layers": 2}
    assert logical(config, 10) == 2 * (states + 10 * 2 * 256 * 2)
    mixed: dict[str, Any] = {**config, "layer_types": ["hybrid", "hybrid_sliding"], "sliding_window": 4}
    assert logical(mixed, 10) == 2 * states + (10 + 4) * 2 * 256 * 2


def test_hrm_text_keeps_every_cycle() -> None:
    # 2 x (3 + 1) passes over 3 layers of 12 heads of 128
    config: dict[str, Any] = {"model_type": "hrm_text", "num_hidden_layers": 3}
    assert logical(config, 10) == 3 * 2 * 4 * 10 * 12 * 256 * 2


def test_loop_coder() -> None:
    config: dict[str, Any] = {
        "model_type": "iquestloopcoder",
        "num_hidden_layers": 2,
        "hidden_size": 64,
        "num_attention_heads": 4,
        "loop_num": 3,
        "loop_window_size": 8,
    }
    assert logical(config, 100) == 2 * (100 + 2 * 8) * 4 * 32 * 2


def test_dory_of_the_first_release_counts_its_mlps() -> None:
    config: dict[str, Any] = {
        "model_type": "dory",
        "num_hidden_layers": 8,
        "n_input_layers": 2,
        "n_output_layers": 2,
        "n_recurrent_layers": 4,
        "layer_types": ["full_attention", "mlp"] * 4,
    }
    # 4 attention layers, of which the middle 2 run twice: 4 KV heads of 256
    assert logical(config, 10) == 6 * 10 * 4 * 512 * 2
    with pytest.raises(RefusalError, match="layer_types"):
        reader.read({**config, "layer_types": ["mlp", "full_attention"] * 4})
    with pytest.raises(RefusalError, match="n_recurrent_layers"):
        reader.read({**config, "n_recurrent_layers": 2})


def test_dots3_note() -> None:
    # full on 0, 1, 5: 512 + 64 and an index key of 132 B; the rest 1024 + 64 in 512 tokens
    config: dict[str, Any] = {"model_type": "dots3_note_text", "num_hidden_layers": 6}
    assert logical(config, 1000) == 1000 * 3 * (1152 + 132) + 512 * 3 * 1088 * 2
    own: dict[str, Any] = {
        **config,
        "swa_kv_lora_rank": 256,
        "swa_qk_rope_head_dim": 32,
        "sliding_window_size": 100,
        "use_dsa": False,
    }
    assert logical(own, 1000) == 1000 * 3 * 1152 + 100 * 3 * 288 * 2
    single: dict[str, Any] = {**config, "per_layer_config": {"2": {"kv_lora_rank": 128, "qk_rope_head_dim": 16}}}
    assert logical(single, 1000) == 1000 * 3 * (1152 + 132) + 512 * 3 * 144 * 2
    with pytest.raises(RefusalError, match="layer_types"):
        reader.read({**config, "layer_types": ["odd"] * 6})


def test_recurrent_gemma() -> None:
    # recurrent, recurrent, attention: lru_width 2560 in fp32, 3 columns in bf16; 10 heads of 256 in 2048 tokens
    config: dict[str, Any] = {"model_type": "recurrent_gemma", "num_hidden_layers": 4}
    assert logical(config, 5000) == 3 * (3 * 2560 * 2 + 2560 * 4) + 2048 * 10 * 512 * 2
    with pytest.raises(RefusalError, match="block_types"):
        reader.read({**config, "block_types": ["odd"]})


def test_plamo2() -> None:
    # 4 layers, Mamba but on every second; 4 heads x 8 wide and 16 states in fp32; windows of 100, but layer 3 full
    config: dict[str, Any] = {
        "model_type": "plamo2",
        "hidden_size": 64,
        "hidden_size_per_head": 8,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "num_hidden_layers": 4,
        "mamba_step": 2,
        "mamba_num_heads": 4,
        "mamba_d_state": 16,
        "mamba_d_conv": 4,
        "attention_window_size": 100,
        "full_attention_idx": [3],
    }
    state = 3 * 32 * 2 + 4 * 8 * 16 * 4
    assert logical(config, 1000) == 2 * state + (100 + 1000) * 2 * 16 * 2


def test_rwkv_4() -> None:
    # two shifted inputs in bf16, three fp32 vectors of the attention's width
    assert logical({"model_type": "rwkv", "num_hidden_layers": 2, "hidden_size": 100}, 9) == 2 * (400 + 3 * 100 * 4)


def test_ring_linear() -> None:
    # groups of 3: layers 2 and 5 are full, and 6, past the last whole group
    config: dict[str, Any] = {
        "model_type": "bailing_moe_linear",
        "num_hidden_layers": 7,
        "layer_group_size": 3,
        "hidden_size": 64,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "head_dim": 16,
    }
    state = 4 * 16 * 16 * 2
    assert logical(config, 10) == 4 * state + 3 * 10 * 2 * 32 * 2
    assert logical({**config, "kv_lora_rank": 32, "qk_rope_head_dim": 8}, 10) == 4 * state + 3 * 10 * 40 * 2


def test_ling_3() -> None:
    # delta layers but on every sixth: 32 heads of 128 in fp32, 3 columns; latents of 512 + 64
    state = 3 * 3 * 32 * 128 * 2 + 32 * 128 * 128 * 4
    assert logical({"model_type": "bailing_hybrid", "num_hidden_layers": 6}, 10) == 5 * state + 10 * 1152


def test_kimi_linear_s_own_pattern() -> None:
    # full on layers 4 and 8, counted from 0
    state = 3 * 3 * 32 * 128 * 2 + 32 * 128 * 128 * 4
    config: dict[str, Any] = {"model_type": "kimi_linear", "num_hidden_layers": 9}
    assert logical(config, 10) == 7 * state + 2 * 10 * 1152
    assert logical({**config, "linear_attn_config": {"num_heads": 32}}, 10) == 7 * state + 2 * 10 * 1152
    with pytest.raises(RefusalError, match="layer_types"):
        reader.read({**config, "layer_types": ["odd"] * 9})


def test_glm_5_next() -> None:
    config: dict[str, Any] = {
        "model_type": "glm5_next_text",
        "num_hidden_layers": 8,
        "kv_lora_rank": 512,
        "qk_rope_head_dim": 64,
        "index_head_dim": 128,
        "index_topk_pattern": "FFFFSSSS",
        "linear_attn_config": {"num_heads": 4, "head_dim": 8, "short_conv_kernel_size": 4},
    }
    state = 3 * 3 * 4 * 8 * 2 + 4 * 8 * 8 * 4
    assert logical(config, 10) == 6 * state + 10 * (2 * 1152 + 132)
    with pytest.raises(RefusalError, match="layer_types"):
        reader.read({**config, "layer_types": ["odd"] * 8})


def test_zamba() -> None:
    # Mamba, Mamba, hybrid, then one hybrid of every six; heads of 2 x 3712 / 16 = 464; inner width 7424, 16 states
    config: dict[str, Any] = {"model_type": "zamba", "num_hidden_layers": 3}
    state = (3 * 7424 + 7424 * 16) * 2
    assert logical(config, 10) == 3 * state + 10 * 16 * 928 * 2
    with pytest.raises(RefusalError, match="layers_block_type"):
        reader.read({**config, "layers_block_type": ["odd"] * 3})
    with pytest.raises(RefusalError, match="layers_block_type"):
        reader.read({"model_type": "zamba2", "num_hidden_layers": 3})


def test_minimax_s_own_pattern_and_sparse_layers() -> None:
    # every second layer is softmax: 32 heads of 128, 8 KV heads (transformers 5.24.0 models/minimax)
    config: dict[str, Any] = {"model_type": "minimax", "num_hidden_layers": 2}
    assert logical(config, 10) == 32 * 128 * 128 * 2 + 10 * 8 * 256 * 2
    sparse: dict[str, Any] = {
        "model_type": "minimax_m3_vl_text",
        "num_hidden_layers": 2,
        "num_key_value_heads": 4,
        "head_dim": 64,
    }
    flags: dict[str, Any] = {"sparse_attention_freq": [0, 1], "sparse_index_dim": 128}
    assert logical({**sparse, "sparse_attention_config": flags}, 10) == 10 * (2 * 4 * 128 + 128) * 2
    assert logical(sparse, 10) == 10 * 2 * 4 * 128 * 2
    with pytest.raises(RefusalError, match="sparse_attention_freq"):
        reader.read({**sparse, "sparse_attention_config": {"sparse_attention_freq": [1]}})
    with pytest.raises(RefusalError, match="layer_types"):
        reader.read({**sparse, "layer_types": ["odd"] * 2})


def test_mamba_1_and_an_expansion_that_is_not_whole() -> None:
    config: dict[str, Any] = {"model_type": "mamba", "num_hidden_layers": 1, "hidden_size": 64, "expand": 1.5}
    assert logical(config, 9) == (3 * 96 + 96 * 16) * 2
    assert logical({**config, "intermediate_size": 200}, 9) == (3 * 200 + 200 * 16) * 2
    with pytest.raises(RefusalError, match="expand"):
        reader.read({**config, "expand": 99.5})
    with pytest.raises(RefusalError, match="num_heads"):
        reader.read({"model_type": "mamba2", "num_heads": 7})
