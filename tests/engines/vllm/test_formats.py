"""The cache's format by model, device and wish. Sources: the docstring of `kv_dtype.py`."""

from dataclasses import replace

import pytest

from kvdesk.catalogue import accelerators
from kvdesk.core.geometry import Geometry
from kvdesk.core.layers import Compressed, Mla
from kvdesk.core.sourced import Sourced
from kvdesk.engines.base import Question
from kvdesk.engines.vllm.profile import ENGINE
from tests.engines import samples

GLM_5 = replace(samples.DEEPSEEK_V3_2, model_type="glm_moe_dsa", architecture="GlmMoeDsaForCausalLM")
FP8_KV = replace(samples.LLAMA_8B, checkpoint_kv_dtype=Sourced("fp8", samples.READ))
FP8_WEIGHTS = replace(samples.LLAMA_8B, quantization="fp8")
DEEPSEEK_V4 = samples.geometry(
    ((Mla(latent_dim=448, rope_dim=64, window=128), Compressed(ratio=4, latent_dim=448, rope_dim=64)),) * 4
)
FLOAT_32 = replace(samples.LLAMA_8B, model_dtype=Sourced("fp32", samples.READ))


def question(model: Geometry, gpu: str, dtype: str) -> Question:
    return samples.question(model, device=accelerators.find(gpu), kv_dtype=dtype)


@pytest.mark.parametrize(
    ("model", "gpu", "asked", "wanted"),
    [
        (samples.LLAMA_8B, "h100-sxm", "auto", "bf16"),
        (FP8_KV, "h100-sxm", "auto", "fp8"),
        (FP8_KV, "h100-sxm", "bf16", "bf16"),
        (FP8_WEIGHTS, "h100-sxm", "auto", "bf16"),
        (FLOAT_32, "h100-sxm", "auto", "bf16"),
        (samples.DEEPSEEK_V3, "h100-sxm", "fp8", "fp8"),
        (samples.DEEPSEEK_V3_2, "h100-sxm", "auto", "bf16"),
        (samples.DEEPSEEK_V3_2, "h200-sxm", "fp8", "fp8_ds_mla"),
        (samples.DEEPSEEK_V3_2, "b200", "fp8", "fp8"),
        (samples.DEEPSEEK_V3_2, "b200", "nvfp4_ds_mla", "nvfp4_ds_mla"),
        (samples.DEEPSEEK_V3_2, "rtx-pro-6000-se", "auto", "fp8_ds_mla"),
        (GLM_5, "b200", "auto", "fp8_e4m3"),
        (samples.DEEPSEEK_V3_2, "mi300x", "fp8", "fp8"),
        (DEEPSEEK_V4, "h100-sxm", "auto", "fp8_ds_mla"),
        (DEEPSEEK_V4, "b200", "fp8", "fp8_ds_mla"),
        (GLM_5, "h100-sxm", "auto", "bf16"),
    ],
)
def test_the_format_that_is_used(model: Geometry, gpu: str, asked: str, wanted: str) -> None:
    assert ENGINE.resolve_kv_dtype(question(model, gpu, asked)) == wanted
    assert not any(f.code == "unsupported-kv-dtype" for f in ENGINE.answer(question(model, gpu, asked)).findings)


@pytest.mark.parametrize(
    ("model", "gpu", "asked"),
    [
        (samples.LLAMA_8B, "h100-sxm", "fp8_ds_mla"),
        (samples.LLAMA_8B, "h100-sxm", "q8_0"),
        (samples.LLAMA_8B, "h100-sxm", "int8"),
        (FP8_WEIGHTS, "h100-sxm", "fp8_e5m2"),
        (samples.GEMMA_3_27B, "h100-sxm", "turboquant_k8v4"),
        (samples.DEEPSEEK_V3, "h100-sxm", "nvfp4"),
        (samples.DEEPSEEK_V3_2, "h100-sxm", "nvfp4_ds_mla"),
        (samples.DEEPSEEK_V3_2, "a100-80-sxm", "auto"),
        (samples.DEEPSEEK_V3_2, "h100-sxm", "int8_per_token_head"),
        (DEEPSEEK_V4, "h100-sxm", "bf16"),
        (samples.GPT_OSS_20B, "h100-sxm", "nvfp4"),
        (samples.LLAMA_8B, "v100-16", "fp8"),
        (samples.LLAMA_8B, "mi300x", "nvfp4"),
    ],
)
def test_a_format_that_vllm_refuses_is_a_finding(model: Geometry, gpu: str, asked: str) -> None:
    found = ENGINE.answer(question(model, gpu, asked))
    assert [f.code for f in found.findings] == ["unsupported-kv-dtype"]
    assert not found.fits


def test_the_engine_s_own_option_counts_where_no_other_is_given() -> None:
    asked = samples.question(samples.LLAMA_8B, arguments={"kv_cache_dtype": "fp8"})
    assert ENGINE.resolve_kv_dtype(asked) == "fp8"
    assert ENGINE.resolve_kv_dtype(replace(asked, kv_dtype="bf16")) == "bf16"


def test_a_model_run_in_fp32_keeps_an_fp32_cache() -> None:
    asked = samples.question(samples.LLAMA_8B, arguments={"dtype": "float32"})
    assert ENGINE.resolve_kv_dtype(asked) == "fp32"
    # 32 layers x 16 tokens x 8 heads x 256 x 4 B
    assert ENGINE.answer(asked).num_blocks == 58_518_929_408 // 4_194_304
