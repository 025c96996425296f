"""The table of exact logs, on three public ones."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.scripts.exact_logs import compare

CONFIGS = Path(__file__).parents[1] / "fixtures" / "configs"
COMMON: dict[str, Any] = {"engine": "vllm", "gpu": "", "pp": 1, "kv_dtype": None, "flags": {}, "other": {}}
LOGS: list[dict[str, Any]] = [
    {
        "id": "Qwen3-Next on two H200",
        "model_id": "Qwen/Qwen3-Next-80B-A3B-Instruct",
        "engine_version": "0.10.2",
        "tp": 2,
        "max_model_len": 262_144,
        "flags": {"enable_prefix_caching": False},
        "available_kv_gib": 44.59,
        "kv_tokens": 973_760,
        "max_concurrency": 14.77,
        "num_blocks": 7162,
    },
    {
        "id": "Gemma 3 27B, 7 groups of 10",
        "model_id": "google/gemma-3-27b-it",
        "engine_version": "0.11.0rc2.dev98",
        "tp": 1,
        "max_model_len": 4096,
        "flags": {"max_num_batched_tokens": 8192},
        "available_kv_gib": 109.86,
        "kv_tokens": 205_696,
        "max_concurrency": 50.05,
        "num_blocks": 89_994,
    },
    {
        "id": "Llama 3.1 8B on an RTX 3090",
        "model_id": "meta-llama/Llama-3.1-8B-Instruct",
        "engine_version": "0.6.4 V0",
        "tp": 1,
        "max_model_len": 29_000,
        "available_kv_gib": 2.89,
        "kv_tokens": 23_648,
        "max_concurrency": 0.82,
        "num_blocks": 1478,
    },
]


@pytest.mark.parametrize("log", LOGS, ids=[log["id"] for log in LOGS])
def test_public_logs_come_out_within_their_rounding(log: dict[str, Any]) -> None:
    verdict, lines = compare(COMMON | log, CONFIGS)
    assert verdict in ("equal", "within rounding"), lines


def test_a_model_without_a_config_is_said() -> None:
    verdict, lines = compare(COMMON | LOGS[0] | {"model_id": "nobody/nothing"}, CONFIGS)
    assert verdict == "without a config"
    assert json.dumps(lines)
