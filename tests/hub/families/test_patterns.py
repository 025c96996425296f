"""Which layers slide where a config does not list them, from the pattern strings of transformers' classes (5.24.0).

S slides, F is full, C is chunked; each string is the first layers of the class's `__post_init__` written out.
"""

from typing import Any

import pytest

from kvdesk.core.errors import RefusalError
from kvdesk.core.geometry import Layer
from kvdesk.core.number_formats import get
from kvdesk.hub import reader

LETTER = {"full": "F", "sliding": "S", "chunked": "C", "shared": "-"}


def letters(layers: tuple[Layer, ...]) -> str:
    return "".join(LETTER[layer[0].kind] for layer in layers)


@pytest.mark.parametrize(
    ("model_type", "keys", "expected"),
    [
        ("afmoe", {}, "SSSFSSSFSSSF"),
        ("afmoe", {"global_attn_every_n_layers": 3}, "SSFSSFSSFSSF"),
        ("beam", {"num_hidden_layers": 8}, "SSSSSFSF"),
        ("cohere2", {}, "SSSFSSSFSSSF"),
        ("cohere2_moe", {"first_k_dense_replace": 2}, "FFSSSFSSSFSS"),
        ("cohere_compass_text", {}, "FFFFFFFFFFFF"),
        ("cwm", {}, "FSSSFSSSFSSS"),
        ("exaone4", {}, "SSSFSSSFSSSF"),
        ("exaone4", {"sliding_window": None}, "FFFFFFFFFFFF"),
        ("exaone4", {"sliding_window_pattern": "LLG"}, "SSFSSFSSFSSF"),
        ("flint", {}, "FFSSSFSSSFSF"),
        ("gemma2", {}, "SFSFSFSFSFSF"),
        ("gemma3_text", {}, "SSSSSFSSSSSF"),
        ("gemma3_text", {"sliding_window_pattern": 3}, "SSFSSFSSFSSF"),
        ("gemma3n_text", {"num_kv_shared_layers": 2}, "SSSSFSSSSF--"),
        ("gemma4_text", {"num_hidden_layers": 8}, "SSSSSFSF"),
        ("gpt_oss", {}, "SFSFSFSFSFSF"),
        ("granite_swa", {}, "FSSSFSSSFSSS"),
        ("kolibri1", {}, "SSSSFSSSSFSS"),
        ("laguna", {}, "FFFFFFFFFFFF"),
        ("llama4_text", {}, "CCCFCCCFCCCF"),
        ("llama4_text", {"no_rope_layers": [0, 1] * 6}, "FCFCFCFCFCFC"),
        ("llama4_text", {"attention_chunk_size": None}, "FFFFFFFFFFFF"),
        ("ministral", {}, "SSSSSSSSSSSS"),
        ("ministral", {"sliding_window": None}, "FFFFFFFFFFFF"),
        ("modernbert-decoder", {}, "FSSFSSFSSFSS"),
        ("muse_spark_text", {}, "SSSFSSSFSSSF"),
        ("olmo3", {}, "SSSFSSSFSSSF"),
        ("plamo3", {"hidden_size": 64, "num_attention_heads": 4, "window_size": 8}, "SSSSSSSFSSSS"),
        ("smollm3", {}, "FFFFFFFFFFFF"),
        ("smollm3", {"use_sliding_window": True, "sliding_window": 64}, "FFFSFFFSFFFS"),
        ("qwen2", {"use_sliding_window": True, "max_window_layers": 8}, "FFFFFFFFSSSS"),
        ("qwen2", {"max_window_layers": 8}, "FFFFFFFFFFFF"),
        ("qwen2_moe", {"use_sliding_window": True, "max_window_layers": 4}, "SFSFFFFFFFFF"),
        ("qwen3_moe", {"use_sliding_window": True}, "SSSSSSSSSSSS"),
        ("dots1", {"sliding_window": 64, "max_window_layers": 10}, "FFFFFFFFFFSS"),
        ("mistral", {}, "SSSSSSSSSSSS"),
        ("mistral", {"sliding_window": None}, "FFFFFFFFFFFF"),
        ("mimo_v2_flash", {}, "FSSSSFSSSSSF"),
        (
            "smallthinker",
            {
                "hidden_size": 64,
                "num_attention_heads": 4,
                "sliding_window_layout": [0, 1, 1] * 4,
                "sliding_window_size": 8,
            },
            "FSSFSSFSSFSS",
        ),
    ],
)
def test_first_layers(model_type: str, keys: dict[str, Any], expected: str) -> None:
    geometry = reader.read({"model_type": model_type, "num_hidden_layers": 12, **keys})
    assert letters(geometry.layers) == expected


@pytest.mark.parametrize(
    ("config", "words"),
    [
        ({"model_type": "gemma3_text", "sliding_window_pattern": 0}, "sliding_window_pattern"),
        ({"model_type": "exaone4", "sliding_window_pattern": "LLX"}, "sliding_window_pattern"),
        ({"model_type": "gpt_oss", "num_hidden_layers": 4, "layer_types": ["full_attention"]}, "layer_types"),
        ({"model_type": "llama4_text", "num_hidden_layers": 4, "no_rope_layers": [1]}, "no_rope_layers"),
        (
            {"model_type": "smollm3", "use_sliding_window": True, "sliding_window": 8, "no_rope_layers": [1]},
            "no_rope_layers",
        ),
        ({"model_type": "spark2_5", "num_hidden_layers": 2, "num_attention_heads": 2, "hidden_size": 8}, "layer_types"),
        (
            {
                "model_type": "smallthinker",
                "num_hidden_layers": 2,
                "num_attention_heads": 2,
                "hidden_size": 8,
                "sliding_window_layout": [1],
                "sliding_window_size": 8,
            },
            "sliding_window_layout",
        ),
        (
            {"model_type": "mimo_v2_flash", "num_hidden_layers": 4, "hybrid_layer_pattern": [1, 0]},
            "hybrid_layer_pattern",
        ),
        ({"model_type": "mimo_v2_flash", "num_hidden_layers": 1, "layer_types": ["odd"]}, "layer_types"),
    ],
)
def test_patterns_that_make_no_sense_are_refused(config: dict[str, Any], words: str) -> None:
    with pytest.raises(RefusalError, match=words):
        reader.read(config)


def test_a_window_of_null_keeps_everything_and_is_told() -> None:
    config: dict[str, Any] = {
        "model_type": "gpt_oss",
        "layer_types": ["sliding_attention"] * 36,
        "sliding_window": None,
    }
    geometry = reader.read(config)
    assert letters(geometry.layers) == "F" * 36
    assert [finding.code for finding in geometry.findings] == ["no-window"]
    chunked: dict[str, Any] = {
        "model_type": "llama4_text",
        "layer_types": ["chunked_attention"] * 48,
        "attention_chunk_size": None,
    }
    assert letters(reader.read(chunked).layers) == "F" * 48


def test_listed_windows_with_the_switch_off_count_as_full() -> None:
    config: dict[str, Any] = {
        "model_type": "qwen3",
        "num_hidden_layers": 2,
        "layer_types": ["sliding_attention", "full_attention"],
    }
    geometry = reader.read(config)
    assert letters(geometry.layers) == "FF"
    assert "window-off" in [finding.code for finding in geometry.findings]


def test_embedding_gemma_halves_its_window() -> None:
    # transformers 5.24.0 models/gemma3: 512 -> 512 // 2 + 1 = 257 where attention is bidirectional
    config: dict[str, Any] = {
        "model_type": "gemma3_text",
        "num_hidden_layers": 6,
        "sliding_window": 512,
        "use_bidirectional_attention": True,
    }
    growth = reader.read(config).logical(get("bf16"))
    assert growth.at(1000) == (5 * 257 + 1000) * 4 * 512 * 2


def test_a_pattern_shorter_than_the_model_is_continued_with_a_warning() -> None:
    config: dict[str, Any] = {
        "model_type": "mimo_v2_flash",
        "num_hidden_layers": 7,
        "hybrid_layer_pattern": [0, 1, 1, 1],
    }
    geometry = reader.read(config)
    assert letters(geometry.layers) == "FSSSSFS"
    assert "pattern-length" in [finding.code for finding in geometry.findings]


def test_gemma_4_s_last_layer_is_full_and_may_not_all_share() -> None:
    config: dict[str, Any] = {
        "model_type": "gemma4_text",
        "num_hidden_layers": 2,
        "layer_types": ["full_attention", "sliding_attention"],
    }
    assert letters(reader.read(config).layers) == "FF"
    with pytest.raises(RefusalError, match="num_kv_shared_layers"):
        reader.read({**config, "num_kv_shared_layers": 2})


def test_window_of_modernbert_decoder_is_half_its_local_attention() -> None:
    config: dict[str, Any] = {"model_type": "modernbert-decoder", "num_hidden_layers": 2, "local_attention": 100}
    # 12 heads of 64 (class defaults): one full layer, one of 50 tokens
    assert reader.read(config).logical(get("bf16")).at(1000) == (1000 + 50) * 12 * 128 * 2
