"""The table of predicted pools, on public logs."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.scripts import predicted_pools

CONFIGS = Path(__file__).parents[1] / "fixtures" / "configs"
COMMON: dict[str, Any] = {
    "engine": "vllm", "gpu": "H100 80GB", "tp": 1, "pp": 1, "kv_dtype": None, "flags": {}, "other": {}, "note": "",
    "weights_quant": "bf16", "max_model_len": 16_000, "gpu_memory_utilization": 0.9,
    "engine_version": "vllm/vllm-openai:latest (late 2025)",
}  # fmt: skip
# llm-d/llm-d-benchmark config_explorer/empirical-vllm-memory-results.md; the last two vllm-project/vllm#27508, #10517
LOGS: list[dict[str, Any]] = [
    {"id": "qwen3-0.6b", "model_id": "Qwen/Qwen3-0.6B", "available_kv_gib": 64.45},
    {"id": "qwen3-32b", "model_id": "Qwen/Qwen3-32B", "available_kv_gib": 4.45},
    {"id": "gpt-oss-20b", "model_id": "openai/gpt-oss-20b", "weights_quant": "mxfp4", "available_kv_gib": 50.28},
    {
        "id": "Llama 3.3 70B",
        "model_id": "RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic",
        "weights_quant": "fp8 (compressed-tensors dynamic)",
        "tp": 2,
        "available_kv_gib": 32.0,
    },
    {
        "id": "gpt-oss-120b",
        "model_id": "openai/gpt-oss-120b",
        "weights_quant": "mxfp4",
        "engine_version": "0.11.0",
        "max_model_len": 131_072,
        "gpu_memory_utilization": 0.95,
        "flags": {"max_num_batched_tokens": 1024},
        "available_kv_gib": 1.71,
    },
    {
        "id": "Llama 3.1 8B",
        "model_id": "meta-llama/Llama-3.1-8B-Instruct",
        "gpu": "RTX 3090 24GB",
        "engine_version": "0.6.4 V0",
        "max_model_len": 20_000,
        "available_kv_gib": 3.81,
    },
]


@pytest.mark.parametrize("log", LOGS, ids=lambda log: log["id"])
def test_printed_memory_lies_in_the_band(log: dict[str, Any]) -> None:
    record = {**COMMON, **log}
    assert not predicted_pools.why_not(record, CONFIGS, False)
    found = predicted_pools.predict(record, CONFIGS)
    assert found.inside
    assert abs(found.error) < 0.11


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"engine": "sglang"}, "not vLLM"),
        ({"available_kv_gib": None}, "no KV memory"),
        ({"gpu": "not named"}, "GPU is not told"),
        ({"gpu_memory_utilization": None}, "utilization is not shown"),
        ({"weights_quant": "3 or 4 bits"}, "format that is not told"),
        ({"model_id": "some/model"}, "no config"),
        ({"flags": {"cpu_offload_gb": 12}}, "host memory"),
    ],
)
def test_why_a_log_is_left_out(changed: dict[str, Any], reason: str) -> None:
    assert reason in predicted_pools.why_not({**COMMON, **LOGS[0], **changed}, CONFIGS, False)


def test_the_table(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "logs.jsonl"
    path.write_text("\n".join(json.dumps({**COMMON, **log}) for log in LOGS), encoding="utf-8")
    monkeypatch.setattr("sys.argv", ["predicted_pools.py", str(path), "--configs", str(CONFIGS)])
    assert predicted_pools.main() == 0
    assert f"{len(LOGS)} of {len(LOGS)} in the band" in capsys.readouterr().out
