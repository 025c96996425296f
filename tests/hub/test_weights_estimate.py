"""Bytes of estimated weights against what vLLM allocated, and against checkpoints' own totals."""

import json
from pathlib import Path
from typing import Any

import pytest

from kvdesk.core.errors import RefusalError
from kvdesk.core.sourced import Origin
from kvdesk.core.weights import Weights
from kvdesk.hub import config_file, reader, weights_estimate

CONFIGS = Path(__file__).parents[1] / "fixtures" / "configs"


def estimated(config: str, dtype: str | None = None, side: dict[str, Any] | None = None) -> Weights:
    values = config_file.parse((CONFIGS / f"{config}.json").read_bytes())
    files = {"hf_quant_config.json": json.dumps(side).encode()} if side else {}
    found = weights_estimate.estimate(values, reader.read(values), weights_dtype=dtype, side_files=files)
    assert found is not None
    return found


# Bytes of rank 0 when vLLM 0.33.0 built the model on the meta device, with the tensor-parallel size and the largest
# relative difference: scales of single tensors and paddings are left out.
RANK_0 = [
    ("meta-llama__Meta-Llama-3.1-8B", 1, 16_060_522_496, 0),
    ("meta-llama__Meta-Llama-3.1-8B", 2, 8_030_527_488, 0),
    ("meta-llama__Meta-Llama-3.1-405B", 8, 101_470_601_216, 0),
    ("mistralai__Mistral-7B-v0.1", 2, 7_241_998_336, 0),
    ("google__gemma-2-9b", 4, 4_621_761_536, 0),
    ("google__gemma-3-27b-it", 1, 54_864_813_280, 0),
    ("Qwen__Qwen3-30B-A3B", 1, 61_064_245_248, 0),
    ("Qwen__Qwen3-VL-8B-Instruct", 1, 17_534_247_392, 0),
    ("zai-org__GLM-5", 8, 189_666_290_688, 1e-5),
    ("deepseek-ai__DeepSeek-V3", 8, 85_140_130_848, 1e-5),
    ("deepseek-ai__DeepSeek-V3", 16, 43_139_382_208, 1e-5),
    ("deepseek-ai__DeepSeek-V3.2", 8, 86_075_841_568, 1e-4),
    ("deepseek-ai__DeepSeek-V4-Flash", 1, 156_006_389_980, 1e-3),
    ("deepseek-ai__DeepSeek-V4-Flash", 8, 20_644_900_892, 1e-3),
    ("moonshotai__Kimi-K2.5", 8, 76_405_325_724, 1e-5),
    ("moonshotai__Kimi-K2-Instruct", 16, 65_500_928_288, 1e-5),
    ("openai__gpt-oss-120b", 1, 65_248_815_744, 1e-5),
    ("poolside__Laguna-XS.2-FP8", 1, 35_313_001_424, 1e-5),
    ("MiniMaxAI__MiniMax-M2.5", 4, 57_677_308_144, 1e-4),
    ("nvidia__Gemma-4-31B-IT-NVFP4", 1, 32_853_451_744, 1e-3),
    ("google__gemma-4-26B-A4B", 2, 26_404_657_760, 1e-3),
    ("Qwen__Qwen3.6-35B-A3B", 2, 35_133_026_992, 1e-3),
    ("Qwen__Qwen3-Next-80B-A3B-Instruct", 2, 79_725_031_808, 1e-5),
    ("nvidia__Nemotron-H-56B-Base-8K", 8, 14_082_797_056, 1e-5),
    ("ai21labs__AI21-Jamba-1.5-Mini", 2, 51_575_316_224, 1e-3),
    ("tiiuae__falcon-mamba-7b", 1, 14_562_107_392, 1e-3),
]


@pytest.mark.parametrize(("config", "tp", "expected", "within"), RANK_0)
def test_what_an_engine_allocates(config: str, tp: int, expected: int, within: float) -> None:
    assert estimated(config).on_rank(tp, 1) == pytest.approx(expected, rel=within, abs=0 if within else 1)


# `total_size` of the checkpoints' index files.
FILES = [
    ("mistralai__Devstral-Small-2507", 47_144_806_400, 0),
    ("leo-kreisman__Qwen3.5-9B-MLX-8bit", 10_426_433_504, 1e-6),
    ("Qwen__Qwen2-Audio-7B-Instruct", 16_794_189_824, 0),
    ("Qwen__Qwen3-4B", 8_044_936_192, 0),
    # Of the file's bytes, 64 are a buffer of frequencies.
    ("THUDM__chatglm3-6b-32k", 12_487_168_064 - 64, 0),
]


@pytest.mark.parametrize(("config", "expected", "within"), FILES)
def test_what_the_files_take(config: str, expected: int, within: float) -> None:
    assert estimated(config).bytes.value == pytest.approx(expected, rel=within, abs=0)


def test_in_another_format_on_paper() -> None:
    """Llama 3.1 70B: 70,553,706,496 parameters, one byte each in FP8, 34/32 in q8_0."""
    assert estimated("meta-llama__Meta-Llama-3.1-70B", "fp8").bytes.value == 70_553_706_496
    assert estimated("meta-llama__Meta-Llama-3.1-70B", "bf16").bytes.value == 2 * 70_553_706_496
    assert estimated("meta-llama__Meta-Llama-3.1-70B", "q8_0").bytes.value == 70_553_706_496 * 34 // 32


def test_four_bits_leave_embeddings_head_and_norms() -> None:
    """Llama 3.1 8B: 2 x 128,256 x 4,096 + 65 x 4,096 parameters stay in 16 bits, the rest takes 9/16 byte."""
    rest = 2 * 128_256 * 4096 + 65 * 4096
    expected = 2 * rest + (8_030_261_248 - rest) * 9 // 16
    found = estimated("meta-llama__Meta-Llama-3.1-8B", "nvfp4")
    assert found.bytes.value == expected
    assert found.embedding_bytes == found.head_bytes == 2 * 128_256 * 4096


def test_an_estimate_says_so() -> None:
    found = estimated("deepseek-ai__DeepSeek-V3")
    assert not found.exact
    assert found.bytes.source.origin is Origin.ESTIMATE
    assert found.bytes.source.detail == "parameters by the quantisation fp8, the rest in bf16"
    assert found.parameters is not None
    assert found.parameters.value == 671_026_404_352
    assert 0 < found.expert_bytes < found.bytes.value
    assert sum(found.by_format.values()) == found.bytes.value


def test_the_side_file_counts() -> None:
    side = {"quantization": {"quant_algo": "NVFP4", "group_size": 16, "exclude_modules": ["lm_head"]}}
    plain, packed = estimated("Qwen__Qwen3-32B"), estimated("Qwen__Qwen3-32B", side=side)
    kept = packed.embedding_bytes + packed.head_bytes
    assert packed.bytes.value - kept == pytest.approx((plain.bytes.value - kept) * 9 / 32, rel=1e-3)


def test_a_model_that_is_not_known_has_no_weights() -> None:
    values = config_file.parse((CONFIGS / "RWKV__rwkv-6-world-1b6.json").read_bytes())
    assert weights_estimate.estimate(values, reader.read(values), weights_dtype=None) is None


def test_a_format_that_is_not_known_is_refused() -> None:
    with pytest.raises(RefusalError):
        estimated("Qwen__Qwen3-4B", "int3")


def test_experts_of_glm_5_in_nvfp4() -> None:
    # 75 layers x 256 experts x 3 x 2,048 x 6,144 x 9/16 B; a log of vLLM at TP 4 shows 106.69 GiB for each GPU.
    config = config_file.parse((CONFIGS / "nvidia__GLM-5.1-NVFP4.json").read_bytes())
    found = weights_estimate.estimate(config, reader.read(config), weights_dtype=None)
    assert found is not None
    assert found.expert_bytes == 75 * 256 * 3 * 2048 * 6144 * 9 // 16
