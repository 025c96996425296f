"""Whose log it is."""

from dataclasses import replace
from pathlib import Path

import pytest

from kvdesk.app import lookup
from kvdesk.app.derive import Deriver
from kvdesk.app.log_model import OTHER, described, other_model
from kvdesk.app.log_scenario import scenario
from kvdesk.app.reconcile import reconcile
from kvdesk.app.session import GpuChoice, Session
from kvdesk.core.units import GIB
from kvdesk.engines.logs.reader import read
from kvdesk.engines.logs.record import EngineLog

LOGS = Path(__file__).parents[1] / "fixtures" / "logs"
LLAMA = lookup.from_card("llama-3.1-8b")


def log(name: str) -> EngineLog:
    return read((LOGS / f"{name}.log").read_text(encoding="utf-8"))


def named(name: str, weights: str = "14.99") -> EngineLog:
    lines = (
        f"INFO a] LLM engine (v0.11.0) with config: model='{name}', max_seq_len=8192",
        f"INFO a] Model loading took {weights} GiB and 2 seconds",
        "INFO a] Available KV cache memory: 50.00 GiB",
    )
    return read("\n".join(lines))


@pytest.mark.parametrize(
    ("name", "same"),
    [
        ("meta-llama/Llama-3.1-8B-Instruct", True),
        ("META-LLAMA/llama-3.1-8b-instruct", True),
        ("/models/Llama-3.1-8B-Instruct", True),
        ("someone-else/Llama-3.1-8B-Instruct", True),
        ("/root/.cache/huggingface/hub/models--meta-llama--Llama-3.1-8B-Instruct/snapshots/0e9e39f", True),
        (r"C:\models\Llama-3.1-8B-Instruct", True),
        ("llama-3.1-8b", True),
        ("Llama-3.1-8B-Instruct-Q8_0.gguf", True),
        ("Qwen/Qwen3-8B", False),
        ("models--Qwen--Qwen3-8B", False),
        ("gpt-oss-20b-Q8_0.gguf", False),
        # A folder can have any name; its weights are as large.
        ("/data/model", True),
    ],
)
def test_ids_are_compared_by_their_last_part(name: str, same: bool) -> None:
    found = reconcile(named(name), Session(model=LLAMA), Deriver())
    assert (found.other is None) == same


def test_without_a_telling_name_the_weights_decide() -> None:
    # 14.96 GiB of Llama 3.1 8B in bf16 against 8.5 GiB.
    found = reconcile(named("/data/model", "8.50"), Session(model=LLAMA), Deriver())
    assert found.other is not None
    assert "8.50 GiB of weights per GPU, the scenario 14.96 GiB" in found.other.text
    assert other_model(named("/data/model", "8.50"), LLAMA, None) is None


def test_a_model_that_was_given_for_the_log_is_not_doubted() -> None:
    given = Session(model=LLAMA, gpus=(GpuChoice(gpu="h100-sxm"),))
    assert reconcile(log("vllm_0_11"), given, Deriver(), given=given).other is None


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("vllm_0_11", "Qwen/Qwen3-8B on vLLM 0.11.0, 1 GPU of 79.18 GiB"),
        ("vllm_0_30_tp2", "Qwen/Qwen3.8-27B-FP8 on vLLM 0.30.0, 2 × NVIDIA GeForce RTX 3090"),
        ("sglang_0_5", "XiaomiMiMo/MiMo-V2-Flash on SGLang, 4 GPUs"),
        ("llama_cpp_b8247", "gpt-oss-20b-Q8_0.gguf on llama.cpp 8247 (0c1e57098), 1 × NVIDIA GeForce RTX 4090"),
    ],
)
def test_what_a_log_says_of_itself(name: str, words: str) -> None:
    assert described(log(name)) == words


def test_another_models_differences_have_no_reason_but_that() -> None:
    found = reconcile(log("vllm_0_11"), Session(model=LLAMA), Deriver())
    assert found.findings[0].code == OTHER
    reasons = {row.key: row.reason for row in found.rows if not row.equal}
    assert reasons.pop("requested_memory").startswith("the driver's own share")
    assert set(reasons.values()) == {"the log's model differs from the scenario's"}


def test_no_kv_memory_of_ours_is_told_and_not_set_beside_the_logs_tokens() -> None:
    # Qwen3-Next takes 148 GiB, 74 on each of two RTX 3090 of 24 GB.
    session = Session(model=lookup.from_card("qwen3-next-80b-a3b"))
    found = reconcile(log("vllm_0_30_tp2"), session, Deriver())
    assert "available_kv" not in {row.key for row in found.rows}
    assert "kv_tokens" in {row.key for row in found.rows}
    assert next(f for f in found.findings if f.code == "no-room").remedy.startswith("Blocks and tokens are those at")
    # Where the log prints no KV memory either, there is nothing that tokens could be worked out from.
    early = read("INFO a] LLM engine (v0.6.1) with config: model='x'\nINFO a] # GPU blocks: 28000, # CPU")
    large = Session(model=lookup.from_card("llama-3.3-70b"), gpus=(GpuChoice(gpu="t4"),))
    found = reconcile(early, large, Deriver())
    assert found.rows == ()
    assert next(f for f in found.findings if f.code == "no-room").remedy == ""


def test_small_differences_of_predictions_agree() -> None:
    # 71.26 GiB requested against 0.9 x 79.19; 15.27 GiB of weights against 15.26: the driver's share, padding.
    rows = {
        row.key: row for row in reconcile(log("vllm_0_11"), Session(model=lookup.from_card("qwen3-8b")), Deriver()).rows
    }
    for key in ("requested_memory", "weights"):
        assert (rows[key].equal, rows[key].inside, rows[key].agrees) == (False, False, True)
    assert not replace(rows["weights"], ours=16 * GIB, low=16 * GIB, high=16 * GIB).agrees
    assert not replace(rows["kv_tokens"], equal=False, inside=False, ours=366_401).agrees


def test_a_gpu_told_by_its_memory_may_be_the_scenarios_own() -> None:
    # 79.18 GiB: an H100 SXM, or an A100 80GB PCIe, an H800 and others.
    pcie = Session(gpus=(GpuChoice(gpu="a100-80-pcie"),))
    assert scenario(log("vllm_0_11"), pcie).session.gpus[0].gpu == "a100-80-pcie"
    assert scenario(log("vllm_0_11"), Session(gpus=(GpuChoice(gpu="l4"),))).session.gpus[0].gpu == "h100-sxm"
