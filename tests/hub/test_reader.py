"""The reader as a whole: refusals by name, sources, overrides, number formats, leftover keys."""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from kvdesk.core.errors import ExitStatus, RefusalError, UsageError
from kvdesk.core.findings import Severity
from kvdesk.core.geometry import Geometry
from kvdesk.core.json_value import JsonValue
from kvdesk.core.number_formats import get
from kvdesk.core.sourced import Origin
from kvdesk.hub import config_file, reader, refused
from kvdesk.hub.families import registry

CONFIGS = Path(__file__).parents[1] / "fixtures" / "configs"
UNIFORM: dict[str, Any] = {
    "hidden_size": 4096,
    "num_hidden_layers": 32,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
}


def load(name: str) -> config_file.ConfigObject:
    return config_file.parse((CONFIGS / f"{name}.json").read_bytes())


def per_token(geometry: Geometry, fmt: str = "bf16") -> int:
    growth = geometry.logical(get(fmt))
    return growth.at(2) - growth.at(1)


def codes(geometry: Geometry) -> list[str]:
    return [finding.code for finding in geometry.findings]


@pytest.mark.parametrize("path", sorted(CONFIGS.glob("*.json")), ids=lambda path: path.stem)
def test_every_real_config_is_sized_or_refused_by_name(path: Path) -> None:
    config = config_file.parse(path.read_bytes())
    if config.get("model_type") in (None, *refused.ENCODERS):
        with pytest.raises(RefusalError, match=r"encoder-only|adapter"):
            reader.read(config)
    else:
        geometry = reader.read(config)
        assert geometry.layers
        assert geometry.max_context is not None or geometry.model_type in {"mamba2", "falcon_mamba"}


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("google-bert__bert-base-uncased", "encoder-only", "bert"),
        ("sentence-transformers__all-MiniLM-L6-v2", "encoder-only", "bert"),
        ("sentence-transformers__all-mpnet-base-v2", "encoder-only", "mpnet"),
        ("BAAI__bge-small-en-v1.5", "encoder-only", "bert"),
        ("ibm-granite__granite-embedding-125m-english", "encoder-only", "roberta"),
        ("jinaai__jina-embeddings-v3", "encoder-only", "XLMRobertaModel"),
        ("Gayaz2000__Unsloth-DPOTrainer.adapter_config", "adapter", "unsloth/Llama-3.2-1B-Instruct"),
    ],
)
def test_models_without_a_cache_are_named(name: str, code: str, words: str) -> None:
    with pytest.raises(RefusalError) as caught:
        reader.read(load(name))
    assert caught.value.code == code
    assert words in caught.value.title
    assert caught.value.exit_status is ExitStatus.REFUSED
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("config", "code"),
    [
        ({"_class_name": "UNet2DConditionModel", "_diffusers_version": "0.30"}, "diffusion"),
        ({"model_type": "llada", **UNIFORM}, "diffusion"),
        ({"model_type": "clip_vision_model"}, "no-decoder"),
        ({"model_type": "xlstm"}, "unknown-architecture"),
        ({"model_type": "never_seen"}, "unknown-architecture"),
        ({}, "unknown-architecture"),
        ({"model_type": ["llama"], **UNIFORM, "sparse_window": 8}, "unknown-architecture"),
        (
            {"model_type": "gpt_oss", **UNIFORM, "layer_types": ["sliding_attention", "quantum"] * 16},
            "unknown-layer-kind",
        ),
        ({"model_type": "llama", **UNIFORM, "per_layer_config": {"0": {"head_dim": 64}}}, "unknown-layer-kind"),
        ({"model_type": "llama", **UNIFORM, "torch_dtype": "posit16"}, "unknown-number-format"),
        ({"model_type": "llama", **UNIFORM, "num_attention_heads": "32"}, "bad-value"),
        ({"model_type": "llama", **UNIFORM, "hidden_size": 8}, "bad-value"),
    ],
)
def test_other_refusals(config: dict[str, Any], code: str) -> None:
    with pytest.raises(RefusalError) as caught:
        reader.read(config)
    assert caught.value.code == code


def test_an_unknown_model_type_with_plain_keys_is_sized_with_a_warning() -> None:
    geometry = reader.read({"model_type": "never_seen", **UNIFORM})
    assert per_token(geometry) == 32 * 8 * (128 + 128) * 2
    (finding,) = (finding for finding in geometry.findings if finding.code == "unknown-model-type")
    assert finding.severity is Severity.WARNING
    assert "never_seen" in finding.text


@pytest.mark.parametrize(
    "key",
    [
        "sliding_window",
        "attention_window_size",
        "sparse_attention_config",
        "compress_ratios",
        "kv_share_factor",
        "num_kv_shared_layers",
        "latent_dim",
        "kv_lora_rank",
        "ssm_state_size",
        "attention_chunk_size",
        "index_head_dim",
        "kvCompressRate",
        "slidingWindow",
        "mtp_depth",
        "index_topk",
        "mamba_ssm_dtype",
        "num_latent_tokens",
        "sink_token_length",
        "layer_types",
        "attention_types",
        "linear_attn_config",
    ],
)
def test_an_unknown_model_type_with_any_other_key_is_refused_by_that_key(key: str) -> None:
    with pytest.raises(RefusalError, match=key):
        reader.read({"model_type": "never_seen", **UNIFORM, key: ["linear"] if "types" in key else 512})


def test_what_a_refused_config_advises_works() -> None:
    config: dict[str, JsonValue] = {"model_type": "never_seen", **UNIFORM, "sliding_pattern": 3}
    with pytest.raises(RefusalError) as caught:
        reader.read(config)
    assert "--set sliding_pattern=null" in caught.value.remedy
    taken_out = reader.read(config, overrides={"sliding_pattern": None})
    assert per_token(taken_out) == 32 * 8 * (128 + 128) * 2


def test_a_window_that_the_architecture_ignores_does_not_slide_but_is_told() -> None:
    geometry = reader.read({"model_type": "llama", **UNIFORM, "sliding_window": 4096})
    assert geometry.logical(get("bf16")).at(10_000) == 10_000 * 131_072
    (finding,) = (finding for finding in geometry.findings if finding.code == "unused-key")
    assert "“sliding_window”" in finding.text


def test_every_fact_has_a_source() -> None:
    # gemma-3-4b gives no head counts: 8 heads, 4 KV heads of 256 are the class's own (transformers 5.24.0)
    facts = reader.read(load("google__gemma-3-4b-it"), where="google/gemma-3-4b-it@r1").facts
    assert facts["text_config.num_key_value_heads"].value == 4
    assert facts["text_config.num_key_value_heads"].source.origin is Origin.CLASS_DEFAULT
    assert "gemma3_text, transformers 5.24" in facts["text_config.num_key_value_heads"].source.detail
    assert facts["text_config.hidden_size"].source.origin is Origin.CONFIG
    assert "google/gemma-3-4b-it@r1" in facts["text_config.hidden_size"].source.detail
    assert facts["text_config.layer_types"].source.origin is Origin.DERIVED


class TestOverrides:
    def test_a_nested_value_is_replaced_and_the_old_one_told(self) -> None:
        config = load("google__gemma-3-27b-it")
        geometry = reader.read(config, overrides={"text_config.num_key_value_heads": 8})
        assert per_token(geometry) == 62 * 8 * (128 + 128) * 2
        fact = geometry.facts["text_config.num_key_value_heads"]
        assert fact.source.origin is Origin.USER
        assert "was 16" in fact.source.detail
        assert isinstance(config["text_config"], dict)
        assert config["text_config"]["num_key_value_heads"] == 16, "the config itself is not touched"

    def test_a_geometry_can_be_entered_by_hand(self) -> None:
        overrides: dict[str, Any] = {**UNIFORM, "head_dim": 64, "model_type": "manual"}
        assert per_token(reader.read({"weird": True}, overrides=overrides)) == 32 * 8 * (64 + 64) * 2

    def test_bad_values_are_refused_by_name(self) -> None:
        with pytest.raises(RefusalError, match="num_hidden_layers"):
            reader.read({"model_type": "llama", **UNIFORM}, overrides={"num_hidden_layers": -3})

    def test_a_path_through_a_number_is_a_usage_error(self) -> None:
        with pytest.raises(UsageError, match="hidden_size"):
            reader.read({"model_type": "llama", **UNIFORM}, overrides={"hidden_size.x": 1})


class TestNumberFormats:
    @pytest.mark.parametrize(
        ("given", "expected"),
        [
            ("bfloat16", "bf16"),
            ("float16", "fp16"),
            ("torch.float16", "fp16"),
            # vLLM 0.33.0 config/model.py _resolve_auto_dtype: 32-bit models run in 16 bits
            ("float32", "bf16"),
            (None, "bf16"),
            ("auto", "bf16"),
        ],
    )
    def test_model_dtype(self, given: str | None, expected: str) -> None:
        assert reader.read({"model_type": "llama", **UNIFORM, "torch_dtype": given}).model_dtype.value == expected

    @pytest.mark.parametrize(
        ("quantization", "expected"),
        [
            ({"quant_method": "compressed-tensors", "kv_cache_scheme": {"num_bits": 8, "type": "float"}}, "fp8"),
            ({"quant_method": "compressed-tensors", "kv_cache_scheme": "FP8"}, "fp8"),
            ({"quant_method": "compressed-tensors", "kv_cache_scheme": None}, None),
            ({"quant_method": "modelopt", "kv_cache_quant_algo": "NVFP4"}, "nvfp4"),
            ({"quant_method": "fp8"}, None),
            ({"quant_method": "modelopt", "quant_algo": "NVFP4"}, None),
        ],
    )
    def test_the_cache_format_is_only_what_the_checkpoint_asks_for(
        self, quantization: dict[str, Any], expected: str | None
    ) -> None:
        geometry = reader.read({"model_type": "llama", **UNIFORM, "quantization_config": quantization})
        found = geometry.checkpoint_kv_dtype
        assert (found.value if found else None) == expected
        assert geometry.quantization == quantization["quant_method"]

    def test_the_side_file_of_nvidia(self) -> None:
        side = json.dumps({"quantization": {"quant_algo": "NVFP4", "kv_cache_quant_algo": "FP8"}}).encode()
        geometry = reader.read({"model_type": "llama", **UNIFORM}, side_files={"hf_quant_config.json": side})
        assert geometry.checkpoint_kv_dtype is not None
        assert geometry.checkpoint_kv_dtype.value == "fp8"
        assert geometry.checkpoint_kv_dtype.source.origin is Origin.SIDE_FILE
        assert geometry.quantization == "modelopt NVFP4"

    @pytest.mark.parametrize("value", ["TERNARY", {"num_bits": 3, "type": "int"}, {"num_bits": "x"}, 8, ["fp8"]])
    def test_a_format_of_the_config_that_is_not_known_is_refused_by_its_key(self, value: object) -> None:
        quantization: dict[str, Any] = {"quant_method": "x", "kv_cache_scheme": value}
        with pytest.raises(RefusalError, match=r"quantization_config\.kv_cache_scheme"):
            reader.read({"model_type": "llama", **UNIFORM, "quantization_config": quantization})

    def test_a_format_of_the_side_file_that_is_not_known_counts_as_the_model_s(self) -> None:
        side = b'{"quantization": {"kv_cache_quant_algo": "TERNARY"}}'
        geometry = reader.read({"model_type": "llama", **UNIFORM}, side_files={"hf_quant_config.json": side})
        assert geometry.checkpoint_kv_dtype is None
        assert "unknown-kv-format" in codes(geometry)

    def test_a_broken_side_file_is_a_warning(self) -> None:
        geometry = reader.read({"model_type": "llama", **UNIFORM}, side_files={"hf_quant_config.json": b"{"})
        assert "side-file" in codes(geometry)


class TestContext:
    @pytest.mark.parametrize(
        ("keys", "expected"),
        [
            ({"max_position_embeddings": 8192}, 8192),
            ({"max_position_embeddings": 8192, "model_max_length": 131072}, 131072),  # Command R
            ({"seq_length": 2048, "max_position_embeddings": 8192}, 2048),
            # vLLM 0.33.0 config/model.py _get_and_verify_max_len: YaRN's factor is in the given length already
            (
                {
                    "max_position_embeddings": 40960,
                    "rope_scaling": {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768},
                },
                40960,
            ),
            ({"max_position_embeddings": 4096, "rope_scaling": {"type": "linear", "factor": 8.0}}, 32768),
            ({"max_position_embeddings": 131072, "rope_scaling": {"rope_type": "llama3", "factor": 8.0}}, 131072),
            ({"max_position_embeddings": 4096, "rope_scaling": {"type": "linear", "factor": "x"}}, 4096),
            ({"max_position_embeddings": 4096, "rope_scaling": {"type": "linear", "factor": 0.5}}, 4096),
        ],
    )
    def test_the_longest_context(self, keys: dict[str, Any], expected: int) -> None:
        found = reader.read({"model_type": "never_seen", **UNIFORM, **keys}).max_context
        assert found is not None
        assert found.value == expected


def test_mlx_checkpoints_name_their_quantisation_by_its_keys() -> None:
    bits: dict[str, JsonValue] = {"group_size": 64, "bits": 4}
    assert reader.read({"model_type": "llama", "quantization": bits}).quantization == "mlx"
    assert reader.read({"model_type": "llama", "quantization_config": bits}).quantization == "mlx"
    assert reader.read({"model_type": "llama", "quantization_config": {"x": 1}}).quantization == "unknown"


def test_keys_beside_the_text_model_are_told_if_they_speak_of_its_cache() -> None:
    config: dict[str, Any] = {"model_type": "outer", "text_config": {"model_type": "llama"}}
    geometry = reader.read({**config, "kv_cache_compression": 4, "window_size": 3})
    (finding,) = (finding for finding in geometry.findings if finding.code == "unused-key")
    assert "kv_cache_compression" in finding.text
    assert "window_size" not in finding.text


def test_duplicates_of_the_file_reach_the_geometry() -> None:
    data = json.dumps({"model_type": "llama", **UNIFORM})[:-1] + ', "num_key_value_heads": 32}'
    assert "duplicate-key" in codes(reader.read(config_file.parse(data.encode())))


def test_reward_models_and_bare_backbones_are_told() -> None:
    assert "no-text-head" in codes(reader.read(load("Skywork__Skywork-Reward-Llama-3.1-8B-v0.2")))
    assert "no-text-head" in codes(reader.read(load("intfloat__e5-mistral-7b-instruct")))
    assert "no-text-head" not in codes(reader.read(load("THUDM__glm-4-9b")))


def test_draft_layers_are_apart() -> None:
    # DeepSeek-V3 ships one multi-token-prediction module: a latent of 512 + 64 elements (vLLM 0.33.0: 61 -> 62 layers)
    geometry = reader.read(load("deepseek-ai__DeepSeek-V3"))
    assert len(geometry.layers) == 61
    assert len(geometry.draft_layers) == 1
    assert per_token(geometry) == 61 * 576 * 2


def test_every_line_of_the_registry_names_a_function() -> None:
    for name in {*registry.FAMILIES.values(), *(registry.FAMILIES[known] for known in registry.ARCHITECTURES.values())}:
        module, function = name.split(".")
        assert callable(getattr(import_module(f"kvdesk.hub.families.{module}"), function))
