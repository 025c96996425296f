"""Logs beside kvdesk's figures: exact ones must come out equal, predictions inside their band."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kvdesk.app import lookup
from kvdesk.app.derive import Deriver
from kvdesk.app.log_scenario import engine_title, identify, model_name, scenario
from kvdesk.app.reconcile import Reconciliation, reconcile, with_measured
from kvdesk.app.reconcile_json import to_json
from kvdesk.app.reconcile_rows import Row
from kvdesk.app.session import GpuChoice, Session
from kvdesk.app.start_up_log import read_log
from kvdesk.catalogue import accelerators
from kvdesk.core.units import GIB
from kvdesk.engines.logs.reader import read
from kvdesk.engines.logs.record import EngineLog

FIXTURES = Path(__file__).parents[1] / "fixtures"
LLAMA_BYTES = 16_060_522_496


def log(name: str) -> EngineLog:
    return read((FIXTURES / "logs" / f"{name}.log").read_text(encoding="utf-8"))


def session(config: str, weights: int) -> Session:
    return Session(model=lookup.load_path(FIXTURES / "configs" / f"{config}.json"), weights_bytes=weights)


def compared(name: str, config: str, weights: int = LLAMA_BYTES) -> Reconciliation:
    return reconcile(log(name), session(config, weights), Deriver())


def rows(found: Reconciliation) -> dict[str, Row]:
    return {row.key: row for row in found.rows}


class TestExactFigures:
    def test_vllm_0_6(self) -> None:
        # 3.81 GiB / 2 MiB = 1,950.7 blocks; the log's 1,952 lies within the rounding of 3.81.
        found = compared("vllm_0_6_4", "meta-llama__Llama-3.1-8B-Instruct")
        assert rows(found)["num_blocks"].equal
        assert rows(found)["max_concurrency"].equal
        assert found.agrees

    def test_vllm_0_11(self) -> None:
        found = compared("vllm_0_11", "Qwen__Qwen3-8B", 16_381_470_720)
        assert rows(found)["kv_tokens"].equal
        assert rows(found)["max_concurrency"].equal

    def test_vllm_0_30_hybrid(self) -> None:
        # 208 blocks of 25,690,112 B; 84 + 3 x 2 = 90 a request: 302,921 tokens, 2.31x
        found = compared("vllm_0_30_tp2", "Qwen__Qwen3.5-27B", 31_500_000_000)
        values = {key: rows(found)[key].ours for key in ("block_size", "kv_tokens")}
        assert values == {"block_size": 1568, "kv_tokens": 302_921}
        assert found.agrees

    def test_an_engine_that_does_not_start(self) -> None:
        # 131,072 tokens need 16 GiB; 10 GiB hold (5,120 - 1) x 16 = 81,904
        found = compared("vllm_does_not_start", "meta-llama__Llama-3.1-8B-Instruct")
        assert rows(found)["needed_kv"].ours == 16 * GIB
        assert rows(found)["max_context"].ours == 81_904

    def test_sglang_pools_within_the_rounding(self) -> None:
        found = compared("sglang_0_5", "XiaomiMiMo__MiMo-V2-Flash", 4 * 85_126_251_806)
        assert rows(found)["kv_tokens"].equal
        assert rows(found)["window_tokens"].equal

    def test_tensorrt_llm(self) -> None:
        found = compared("tensorrt_llm", "meta-llama__Llama-3.1-8B-Instruct")
        assert {key: rows(found)[key].equal for key in ("num_blocks", "block_size", "kv_tokens")} == {
            "num_blocks": True,
            "block_size": True,
            "kv_tokens": True,
        }

    def test_llama_cpp_cells(self) -> None:
        # gpt-oss-120b has 36 layers where the log's 20b has 24: 3/2 of the cache, said as a difference.
        found = compared("llama_cpp_b8247", "openai__gpt-oss-120b", 12_700_000_000)
        assert rows(found)["kv_tokens"].equal
        assert rows(found)["available_kv"].difference == pytest.approx(0.5, abs=0.001)
        assert "differs from the scenario" in rows(found)["available_kv"].reason


class TestPredictions:
    def test_the_parts_lie_inside_the_band(self) -> None:
        found = rows(compared("vllm_0_11", "Qwen__Qwen3-8B", 16_381_470_720))
        assert all(found[key].inside for key in ("activation", "non_torch", "available_kv"))
        assert abs(found["available_kv"].ours / found["available_kv"].logged - 1) < 0.05
        assert found["activation"].reason.startswith("an estimate")

    def test_tokens_without_a_printed_kv_memory_are_a_prediction(self) -> None:
        # Early logs print blocks only: 28,000 blocks (54.7 GiB) of an 8B on an H100 at 0.9, 71.27 -
        # 14.96 - 0.2 to 1.8 GiB, lie in the band and are not equal.
        text = (
            "INFO a] LLM engine (v0.6.1) with config: model='x', max_seq_len=8192\nINFO a] # GPU blocks: 28000, # CPU"
        )
        base = session("meta-llama__Llama-3.1-8B-Instruct", LLAMA_BYTES)
        given = replace(base, gpus=(GpuChoice(gpu="h100-sxm"),))
        found = reconcile(read(text), given, Deriver(), given=given)
        row = rows(found)["num_blocks"]
        assert (row.exact, row.inside, row.equal) == (False, True, False)
        assert row.reason.startswith("an estimate")

    def test_an_unknown_gpu_is_not_compared(self) -> None:
        found = compared("tensorrt_llm", "meta-llama__Llama-3.1-8B-Instruct")
        assert "gpu-unknown" in {finding.code for finding in found.findings}
        assert "total_memory" not in rows(found)


class TestMeasured:
    def test_measured_parts_give_the_printed_pool(self) -> None:
        # 71.26 - 15.2683 - 50.32 = 5.6717 GiB of reserve; the catalogue's total differs by 0.01 GiB
        found = compared("vllm_0_11", "Qwen__Qwen3-8B", 16_381_470_720)
        assert found.measured["weights"] == 152_683 * GIB // 10_000
        answer = Deriver().derive(with_measured(found)).options[0].answer
        assert answer is not None
        assert abs(answer.pool_bytes / GIB - 50.32) < 0.03
        sources = {line.key: line.source.origin.value for line in answer.budget}
        assert (sources["weights"], sources["reserve"]) == ("measured", "measured")

    def test_sglang_takes_the_free_memory(self) -> None:
        found = compared("sglang_0_5", "XiaomiMiMo__MiMo-V2-Flash", 4 * 85_126_251_806)
        answer = Deriver().derive(with_measured(found)).options[0].answer
        assert answer is not None
        lines = {line.key: line.value for line in answer.budget}
        assert abs(lines["free"] / GIB - 137.29) < 0.001


class TestScenario:
    def test_options_become_the_session(self) -> None:
        found = scenario(log("vllm_0_30_tp2"), Session()).session
        assert (found.engine, found.engine_version, found.context, found.kv_dtype) == ("vllm", "0.30.0", 131_072, "fp8")
        assert found.gpus == (GpuChoice(gpu="rtx-3090", count=2, tp=2, pp=1, dp=1, dcp=1),)
        assert found.engine_arguments["max_num_seqs"] == 16
        assert found.utilization == 0.92

    def test_a_gpu_that_the_log_tells_goes_before_the_session_s(self) -> None:
        base = Session(gpus=(GpuChoice(gpu="b200"), GpuChoice(gpu="l4")))
        assert [choice.gpu for choice in scenario(log("vllm_0_11"), base).session.gpus] == ["h100-sxm"]
        assert [choice.gpu for choice in scenario(log("tensorrt_llm"), base).session.gpus] == ["b200"]

    def test_a_gpu_that_was_given_for_the_log_goes_before_it(self) -> None:
        given = Session(gpus=(GpuChoice(gpu="b200"),))
        assert scenario(log("vllm_0_11"), given, given=given).session.gpus[0].gpu == "b200"

    def test_llama_cpp_slots_divide_the_context(self) -> None:
        text = "llama_context: n_seq_max = 4\nllama_context: n_ctx = 8192\nllama_context: kv_unified = false\n"
        assert scenario(read(text), Session()).session.context == 2048

    def test_names_and_titles(self) -> None:
        assert model_name(log("vllm_0_11")) == "Qwen/Qwen3-8B"
        assert engine_title(log("vllm_0_11")) == "vLLM 0.11.0"

    @pytest.mark.parametrize(
        ("name", "total", "gpu"),
        [
            ("NVIDIA GeForce RTX 3090", None, "rtx-3090"),
            ("NVIDIA H100 80GB HBM3", None, "h100-sxm"),
            ("NVIDIA H200", None, "h200-sxm"),
            ("NVIDIA A100-SXM4-80GB", None, "a100-80-sxm"),
            ("NVIDIA L40S", None, "l40s"),
            ("", 79.18, "h100-sxm"),
            ("", 139.8, "h200-sxm"),
            ("", 31.36, "rtx-5090"),
        ],
    )
    def test_gpus_are_told_by_name_or_memory(self, name: str, total: float | None, gpu: str) -> None:
        size = None if total is None else int(total * GIB)
        assert identify(name, size, accelerators.all_devices())[0].id == gpu

    def test_nothing_is_told_by_nothing(self) -> None:
        assert identify("a server", None, accelerators.all_devices()) == ()


def test_json_has_every_row_and_is_json() -> None:
    found = compared("vllm_0_30_tp2", "Qwen__Qwen3.5-27B", 31_500_000_000)
    data = json.loads(json.dumps(to_json(found), allow_nan=False))
    assert data["schema"] == "kvdesk.reconciliation/1"
    assert len(data["rows"]) == len(found.rows)
    assert data["log"]["figures"]["kv_tokens"] == {
        "value": 302_921,
        "step": 0,
        "line": 9,
        "text": log("vllm_0_30_tp2").figures["kv_tokens"].text,
    }


def test_a_model_of_another_size_is_said() -> None:
    found = compared("vllm_0_11", "meta-llama__Llama-3.1-8B-Instruct")
    assert not found.agrees
    assert "differs" in rows(found)["kv_tokens"].reason


def test_an_impossible_layout_leaves_no_rows() -> None:
    base = replace(session("meta-llama__Llama-3.1-8B-Instruct", LLAMA_BYTES), gpus=(GpuChoice(gpu="h100-sxm"),))
    lines = ("vLLM API server version 0.31.0", "args: Namespace(tensor_parallel_size=3)", "GPU KV cache size: 1 tokens")
    found = reconcile(read("\n".join(lines)), base, Deriver())
    assert not any(row.equal for row in found.rows)


def test_fewer_tokens_on_several_ranks_have_a_reason() -> None:
    # DeepSeek-V2.5 on 16 A100 under 0.8: one rank prints 3.58 GiB, another 5.71, and the smallest decides.
    text = (
        "INFO 04-01 00:00:00 [llm_engine.py:1] Initializing a V0 LLM engine (v0.8.2) with config: model='m', "
        "max_seq_len=8192, tensor_parallel_size=8, seed=0\n"
        "INFO 04-01 00:00:01 [worker.py:1] the rest of the memory reserved for KV Cache is 3.58GiB\n"
        "INFO 04-01 00:00:02 [executor_base.py:1] # cuda blocks: 2302, # CPU blocks: 0\n"
    )
    base = Session(model=lookup.load("deepseek-v3"))
    found = rows(reconcile(read(text), base, Deriver()))
    assert "least memory" in found["num_blocks"].reason
    assert "256 B" in found["num_blocks"].reason


def test_impossible_options_of_a_log_are_told_and_not_used() -> None:
    text = (
        "INFO 01-01 00:00:00 [a.py:1] non-default args: {'max_model_len': -5, 'max_num_seqs': 0, 'block_size': 'x', "
        "'max_num_batched_tokens': 1e400, 'enforce_eager': True}\n"
        "INFO 01-01 00:00:01 [a.py:1] Available KV cache memory: 10.00 GiB\n"
        "INFO 01-01 00:00:01 [a.py:1] GPU KV cache size: 81,920 tokens\n"
    )
    found = reconcile(read(text), Session(model=lookup.load("llama-3.1-8b")), Deriver())
    assert found.session.engine_arguments == {"enforce_eager": True}
    assert [f.code for f in found.findings].count("option-not-used") == 4
    # 10 GiB / 131,072 B
    assert rows(found)["kv_tokens"].ours == 81_920
    json.dumps(to_json(found), allow_nan=False)


def test_fewer_sequences_than_the_default_show_in_the_captured_graphs() -> None:
    # min(2 x max_num_seqs, 512): 40 are 20 sequences, 512 say nothing.
    line = (
        "INFO 01-01 00:00:00 [core.py:1] Initializing a V1 LLM engine (v0.21.0) with config: model='m', "
        'compilation_config={{"cudagraph_capture_sizes":[1,2,4],"max_cudagraph_capture_size":{}}}\n'
    )
    for size, sequences in ((40, 20), (512, None)):
        found = scenario(read(line.format(size)), Session(model=lookup.load("llama-3.1-8b"))).session
        assert found.engine_arguments.get("max_num_seqs") == sequences


@pytest.mark.parametrize("encoding", ["utf-16", "utf-8-sig", "utf-8"])
def test_logs_as_windows_writes_them(tmp_path: Path, encoding: str) -> None:
    path = tmp_path / "vllm.log"
    path.write_bytes((FIXTURES / "logs" / "vllm_0_11.log").read_text(encoding="utf-8").encode(encoding))
    assert read_log(path).version == log("vllm_0_11").version
