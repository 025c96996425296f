"""Headers of GGUF files, and their keys under the names of a config.json."""

import struct
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kvdesk.app import lookup
from kvdesk.core.errors import KvdeskError, RefusalError, SourceError
from kvdesk.hub import gguf, gguf_config
from tests.support.gguf_file import Value
from tests.support.gguf_file import gguf as written

# The keys that llama.cpp's converter writes for Llama 3.1 8B.
LLAMA: dict[str, Value] = {
    "general.architecture": "llama",
    "llama.block_count": 32,
    "llama.context_length": 131072,
    "llama.embedding_length": 4096,
    "llama.feed_forward_length": 14336,
    "llama.attention.head_count": 32,
    "llama.attention.head_count_kv": 8,
    "llama.rope.freq_base": 500000.0,
    "llama.vocab_size": 128256,
}


def read(data: bytes) -> gguf.Header:
    return gguf.read_header(lambda first, count: data[first : first + count], "m.gguf")


def config(values: dict[str, Value]) -> dict[str, object]:
    return dict(gguf_config.to_config(read(written(values))))


def test_llama() -> None:
    assert config(LLAMA) == {
        "model_type": "llama",
        "torch_dtype": "float16",
        "num_hidden_layers": 32,
        "hidden_size": 4096,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "intermediate_size": 14336,
        "max_position_embeddings": 131072,
        "vocab_size": 128256,
    }


def test_reading_stops_at_the_tokens() -> None:
    words: dict[str, Value] = {"tokenizer.ggml.model": "gpt2", "tokenizer.ggml.tokens": ["a"] * 10_000}
    data = written({key: value for key, value in LLAMA.items() if key != "llama.vocab_size"} | words)
    short = data[:-80_000]
    header = gguf.read_header(lambda first, count: short[first : first + count], "m.gguf")
    assert gguf_config.to_config(header)["vocab_size"] == 10_000


def test_a_tokenizer_that_comes_first_is_passed_over() -> None:
    numbers: dict[str, Value] = {"tokenizer.ggml.token_type": [1] * 5_000, "tokenizer.ggml.tokens": ["word"] * 5_000}
    assert config(numbers | LLAMA) == config(LLAMA)


def test_experts_make_it_mixtral() -> None:
    found = config(LLAMA | {"llama.expert_count": 8, "llama.expert_used_count": 2})
    assert found["model_type"] == "mixtral"
    assert found["num_experts"] == 8


def test_windows_and_draft_layers() -> None:
    values = {key.replace("llama", "gemma3"): value for key, value in LLAMA.items()}
    values |= {"general.architecture": "gemma3", "gemma3.attention.sliding_window": 1024}
    assert config(values)["sliding_window"] == 1024
    values = {key.replace("llama", "glm4moe"): value for key, value in LLAMA.items()}
    values |= {"general.architecture": "glm4moe", "glm4moe.nextn_predict_layers": 1}
    assert config(values)["num_hidden_layers"] == 31


def test_phi_without_a_window_has_none() -> None:
    values = {key.replace("llama", "phi3"): value for key, value in LLAMA.items()} | {"general.architecture": "phi3"}
    assert config(values)["sliding_window"] is None


DEEPSEEK: dict[str, Value] = {key.replace("llama", "deepseek2"): value for key, value in LLAMA.items()} | {
    "general.architecture": "deepseek2",
    "deepseek2.attention.head_count": 128,
    "deepseek2.attention.head_count_kv": 1,
    "deepseek2.attention.key_length": 576,
    "deepseek2.attention.value_length": 512,
    "deepseek2.attention.kv_lora_rank": 512,
    "deepseek2.attention.q_lora_rank": 1536,
    "deepseek2.rope.dimension_count": 64,
}


def test_latents() -> None:
    found = config(DEEPSEEK | {"deepseek2.attention.key_length_mla": 192, "deepseek2.attention.value_length_mla": 128})
    names = ("kv_lora_rank", "qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim", "num_key_value_heads")
    assert [found[name] for name in names] == [512, 64, 128, 128, 128]


def test_latents_of_old_converters_are_refused() -> None:
    with pytest.raises(RefusalError):
        config(DEEPSEEK)


def test_delta_layers() -> None:
    values = {key.replace("llama", "qwen3next"): value for key, value in LLAMA.items()}
    values |= {
        "general.architecture": "qwen3next",
        "qwen3next.ssm.conv_kernel": 4,
        "qwen3next.ssm.state_size": 128,
        "qwen3next.ssm.group_count": 16,
        "qwen3next.ssm.time_step_rank": 32,
        "qwen3next.ssm.inner_size": 4096,
    }
    found = config(values)
    assert found["linear_value_head_dim"] == 128
    assert found["linear_num_key_heads"] == 16


@pytest.mark.parametrize(
    "change",
    [
        {"general.architecture": "novel"},
        {"general.architecture": 7},
        {"llama.attention.head_count_kv": [8, 8, 0]},
        {"llama.attention.head_count_kv": "eight"},
        {"llama.attention.key_length": 128, "llama.attention.value_length": 64},
        {"llama.block_count": 1.5},
    ],
)
def test_what_is_not_known_is_refused(change: dict[str, Value]) -> None:
    with pytest.raises(RefusalError) as caught:
        config(LLAMA | change)
    assert caught.value.code == "unknown-architecture"


def test_a_missing_key_is_named() -> None:
    with pytest.raises(RefusalError) as caught:
        config({key: value for key, value in LLAMA.items() if key != "llama.embedding_length"})
    assert "llama.embedding_length" in caught.value.detail


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"GGU",
        b"NOPE" + b"\0" * 40,
        b"GGUF" + struct.pack("<I", 1) + b"\0" * 40,
        b"GGUF" + struct.pack(">I", 3) + b"\0" * 40,
        b"GGUF" + struct.pack("<IQQ", 3, 0, 1 << 40),
        b"GGUF" + struct.pack("<IQQ", 3, 0, 1),
        b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1 << 50),
        b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1) + b"k" + struct.pack("<I", 99),
        b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1) + b"k" + struct.pack("<IIQ", 9, 9, 3),
        b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1) + b"k" + struct.pack("<IIQ", 9, 4, 1 << 60),
        b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1) + b"k" + struct.pack("<IIQ", 9, 12, 1 << 24),
        written(LLAMA)[:-3],
    ],
)
def test_damaged_files(data: bytes) -> None:
    with pytest.raises(SourceError) as caught:
        read(data)
    assert caught.value.code == "malformed-checkpoint"


@given(st.integers(0, 400), st.binary(max_size=12))
def test_any_damage_is_reported(place: int, change: bytes) -> None:
    data = written(LLAMA)
    try:
        gguf_config.to_config(read(data[:place] + change + data[place + len(change) :]))
    except KvdeskError:
        return


def test_a_local_file_is_a_model(tmp_path: Path) -> None:
    path = tmp_path / "llama-Q8_0.gguf"
    path.write_bytes(written(LLAMA) + b"\0" * 1000)
    model = lookup.load(str(path))
    assert model.origin == "file"
    assert model.config["num_key_value_heads"] == 8
    assert model.weights is not None
    assert model.weights.bytes.value == path.stat().st_size


def test_all_parts_of_a_split_file_count(tmp_path: Path) -> None:
    (tmp_path / "m-Q8_0-00001-of-00002.gguf").write_bytes(written(LLAMA))
    (tmp_path / "m-Q8_0-00002-of-00002.gguf").write_bytes(b"\0" * 1000)
    model = lookup.load(str(tmp_path / "m-Q8_0-00001-of-00002.gguf"))
    assert model.weights is not None
    assert model.weights.bytes.value == len(written(LLAMA)) + 1000
