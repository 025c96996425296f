"""Options with which vLLM 0.33.0 does not start are findings, not numbers."""

from dataclasses import replace

import pytest

from kvdesk.catalogue import accelerators
from kvdesk.core.geometry import Geometry
from kvdesk.core.json_value import JsonValue
from kvdesk.engines.vllm.profile import ENGINE
from tests.engines import samples

MTP: JsonValue = {"method": "mtp", "num_speculative_tokens": 1}


def codes(arguments: dict[str, JsonValue], model: Geometry = samples.LLAMA_8B) -> list[str]:
    answer = ENGINE.answer(replace(samples.question(model), arguments=arguments))
    found = [finding.code for finding in answer.findings if finding.severity == "refusal"]
    assert not (found and (answer.fits or answer.pool_tokens))
    return found


@pytest.mark.parametrize(
    "arguments",
    [
        {"max_num_seqs": 256, "max_num_batched_tokens": 128},
        {"max_num_seqs": 9000},  # the step's default is 8,192
        {"enable_chunked_prefill": False, "max_num_batched_tokens": 2048},
    ],
)
def test_steps_too_small(arguments: dict[str, JsonValue]) -> None:
    assert codes(arguments) == ["step-too-small"]


@pytest.mark.parametrize(
    "arguments",
    [
        {"max_num_seqs": 1},
        {"max_num_batched_tokens": 1},  # as many sequences at most
        {"max_num_seqs": 128, "max_num_batched_tokens": 128},
        {"enable_chunked_prefill": False},
    ],
)
def test_steps_that_are_large_enough(arguments: dict[str, JsonValue]) -> None:
    assert codes(arguments) == []


def test_mtp_needs_draft_layers() -> None:
    assert codes({"speculative_config": MTP}) == ["no-draft-layers"]
    assert codes({"speculative_config": {"method": "eagle", "num_speculative_tokens": 1}}) == []
    # Qwen3-Next has a head that its config does not name.
    assert codes({"speculative_config": MTP}, replace(samples.LLAMA_8B, model_type="qwen3_next")) == []


@pytest.mark.parametrize("method", ["zzz", "custom_class", "extract_hidden_states"])
def test_speculation_that_is_not_known(method: str) -> None:
    assert codes({"speculative_config": {"method": method, "num_speculative_tokens": 1}}) == ["unknown-speculation"]


@pytest.mark.parametrize(
    ("gpu", "version", "name", "starts"),
    [
        ("h100-sxm", "0.33.0", "nvfp4", True),
        ("h100-sxm", "0.31.0", "nvfp4", False),
        ("h100-sxm", "0.33.0", "nvfp4_4over6", False),
        ("rtx-5090", "0.31.0", "nvfp4", False),
        ("b200", "0.31.0", "nvfp4", True),
        ("b200", "0.31.0", "nvfp4_4over6", True),
    ],
)
def test_nvfp4_by_gpu_and_version(gpu: str, version: str, name: str, starts: bool) -> None:
    asked = samples.question(samples.LLAMA_8B)
    answer = ENGINE.answer(
        replace(asked, device=accelerators.find(gpu), engine_version=version, kv_dtype=name, pool_bytes=10 * 2**30)
    )
    assert (answer.limit != "layout" and answer.pool_tokens > 0) is starts
    assert ("unsupported-kv-dtype" in [finding.code for finding in answer.findings]) is not starts
