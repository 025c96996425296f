"""Start-up logs: real line formats around figures of public reports."""

import json
from pathlib import Path

import pytest

from kvdesk.core.errors import SourceError
from kvdesk.core.units import GIB, MIB
from kvdesk.engines.logs.lines import MOST_LINE, logical_lines
from kvdesk.engines.logs.pairs import read_flags, read_pairs
from kvdesk.engines.logs.reader import read
from kvdesk.engines.logs.record import EngineLog

FOLDER = Path(__file__).parents[2] / "fixtures" / "logs"


def log(name: str) -> EngineLog:
    return read((FOLDER / f"{name}.log").read_text(encoding="utf-8"))


def gib(found: EngineLog, key: str) -> float:
    return round(found.figures[key].number / GIB, 4)


class TestVllm:
    def test_v0(self) -> None:
        # vllm-project/vllm#10517: Llama 3.1 8B on an RTX 3090
        found = log("vllm_0_6_4")
        assert found.engine == "vllm"
        assert found.version is not None
        assert found.version.value == "0.6.4"
        assert found.model is not None
        assert found.model.value == "meta-llama/Llama-3.1-8B-Instruct"
        assert found.option("max_model_len") == 20_000
        assert found.option("block_size") == 16
        sizes = {key: gib(found, key) for key in ("total_memory", "weights", "non_torch", "available_kv", "peak")}
        assert sizes == {
            "total_memory": 23.58,
            "weights": 14.9888,
            "non_torch": 0.35,
            "available_kv": 3.81,
            "peak": 17.06,
        }
        assert found.figures["num_blocks"].value == 1952
        assert found.figures["max_concurrency"].value == 1.56
        assert found.figures["num_blocks"].line == 5
        assert "# GPU blocks: 1952" in found.figures["num_blocks"].text

    def test_workers_that_interleave(self) -> None:
        found = log("vllm_0_8_workers")
        # The rank with the least memory decides; weights keep the more precise of two roundings.
        assert gib(found, "available_kv") == 1.51
        assert gib(found, "non_torch") == 0.26
        assert gib(found, "weights") == 21.2088
        assert gib(found, "requested_memory") == 23.35
        assert {finding.code for finding in found.findings} == {"ranks-differ"}

    def test_v1_with_colours_wraps_and_a_progress_bar(self) -> None:
        found = log("vllm_0_11")
        assert found.figures["kv_tokens"].value == 366_400
        assert found.figures["max_concurrency"].value == 8.95
        assert found.figures["concurrency_tokens"].value == 40_960
        assert gib(found, "available_kv") == 50.32
        assert gib(found, "activation") == 5.55
        assert gib(found, "graphs") == 0.55
        assert gib(found, "total_memory") == 79.18
        assert found.option("max_num_batched_tokens") == 8192
        assert found.option("gpu_memory_utilization") == 0.9
        assert found.option("limit_mm_per_prompt") == {"image": 2}
        assert found.option("max_model_len") == 40_960

    def test_one_line_since_0_28(self) -> None:
        found = log("vllm_0_30_tp2")
        assert found.figures["kv_tokens"].value == 302_921
        assert found.figures["max_concurrency"].value == 2.31
        assert found.figures["block_size"].value == 1568
        assert gib(found, "available_kv") == 4.99
        assert gib(found, "consumed") == 15.01
        assert gib(found, "graphs_estimated") == 0.36
        assert found.option("tensor_parallel_size") == 2
        assert found.option("kv_cache_dtype") == "fp8"
        assert found.option("max_num_seqs") == 16
        assert found.gpu is not None
        assert found.gpu.value == "NVIDIA GeForce RTX 3090"

    def test_an_engine_that_does_not_start(self) -> None:
        found = log("vllm_does_not_start")
        assert (gib(found, "available_kv"), gib(found, "needed_kv")) == (10.0, 16.0)
        assert found.figures["max_context"].value == 81_904


class TestOthers:
    def test_sglang(self) -> None:
        # sgl-project/sglang#18039: MiMo-V2-Flash at TP 4; each rank allocates two pools
        found = log("sglang_0_5")
        assert found.engine == "sglang"
        assert found.option("tp_size") == 4
        assert found.option("page_size") == 64
        assert found.option("mem_fraction_static") == 0.7
        assert found.figures["kv_tokens"].value == 375_360
        assert found.figures["window_tokens"].value == 300_288
        assert gib(found, "available_kv") == pytest.approx(8.38 + 5.59 + 1.21 + 0.81)
        assert gib(found, "weights") == 79.28
        assert gib(found, "free_memory") == 137.29

    def test_tensorrt_llm_pytorch(self) -> None:
        found = log("tensorrt_llm")
        assert found.engine == "tensorrt_llm"
        assert found.version is not None
        assert found.version.value == "1.2.1"
        figures = {key: found.figures[key].value for key in ("kv_tokens", "num_blocks", "block_size")}
        assert figures == {"kv_tokens": 12_800, "num_blocks": 400, "block_size": 32}
        assert gib(found, "available_kv") == 1.56
        assert found.figures["utilization"].value == 0.6
        assert found.model is not None
        assert found.model.value == "nvidia/Nemotron-8B"

    def test_tensorrt_llm_runtime(self) -> None:
        # NVIDIA/TensorRT-LLM#2268
        found = log("tensorrt_llm_0_13")
        assert found.figures["num_blocks"].value == 631
        assert (gib(found, "total_memory"), gib(found, "free_memory")) == (39.39, 21.89)

    def test_llama_cpp_with_windows(self) -> None:
        # gpt-oss-20b: 3,072 MiB of 131,072 cells and 24 MiB of 1,024
        found = log("llama_cpp_b8247")
        assert found.engine == "llama_cpp"
        assert found.figures["available_kv"].value == 3096 * MIB
        assert found.figures["kv_tokens"].value == 131_072
        assert found.figures["window_tokens"].value == 1024
        assert found.option("kv_unified") is True
        assert (found.option("parallel"), found.option("cache_type_k")) == (4, "f16")
        assert found.figures["compute"].value == 39_838 * MIB // 100
        assert found.gpu is not None
        assert found.gpu.value == "NVIDIA GeForce RTX 4090"

    def test_llama_cpp_of_2025(self) -> None:
        found = log("llama_cpp_2025")
        assert found.figures["available_kv"].value == 144 * MIB
        assert found.option("ctx_size") == 4096


class TestSpellings:
    @pytest.mark.parametrize(
        ("line", "key", "value"),
        [
            ("INFO 11-21 08:01:33 a.py:1] # cuda blocks: 5302, # CPU blocks: 1024", "num_blocks", 5302),
            ("INFO 01-30 03:19:14 kv_cache_utils.py:395] # GPU blocks: 1381", "num_blocks", 1381),
            ("INFO a] Maximum concurrency for 2048 tokens per request: 10.79x", "max_concurrency", 10.79),
            ("INFO a] CPU KV cache size: 1,024 tokens, Maximum concurrency for 64 tokens", "kv_tokens", 1024),
            ("[2025-09-03 18:33:18 TP0] max_total_num_tokens=367404, chunked_prefill_size=8192", "kv_tokens", 367_404),
            ("[TensorRT-LLM][INFO] Using 10718 tokens in paged KV cache.", "kv_tokens", 10_718),
            ("llama_kv_cache_unified: size = 2400.00 MiB (240000 cells,   5 layers,  1 seqs)", "kv_tokens", 240_000),
            ("Sep 11 01:16:15 host ollama[1884]: llama_new_context_with_model: n_ctx      = 8192", "ctx_size", 8192),
            ("2026-11-29T22:00:00.1Z stdout F INFO a] GPU KV cache size: 7 tokens", "kv_tokens", 7),
        ],
    )
    def test_of_other_versions(self, line: str, key: str, value: float) -> None:
        assert read(line).figures[key].value == value

    @pytest.mark.parametrize(
        ("line", "name"),
        [
            ("|   0  NVIDIA GeForce RTX 4090        On  | 00000000:1E:00.0 Off |", "NVIDIA GeForce RTX 4090"),
            ("GPU 0: NVIDIA H100 80GB HBM3", "NVIDIA H100 80GB HBM3"),
            ("  Device 0: NVIDIA GeForce RTX 4080 SUPER, compute capability 8.9", "NVIDIA GeForce RTX 4080 SUPER"),
            ("x device_name=AMD_Instinct_MI300X,dtype=fp8", "AMD Instinct MI300X"),
        ],
    )
    def test_of_gpus(self, line: str, name: str) -> None:
        found = read(line + "\nINFO a] GPU KV cache size: 7 tokens")
        assert found.gpu is not None
        assert found.gpu.value == name


class TestBounds:
    @pytest.mark.parametrize("text", ["", "\n" * 1000, "hello\nworld", "\x00\x1b[" * 1000, "𝔘𝔫𝔦𝔠𝔬𝔡𝔢" * 100])
    def test_text_without_a_log_is_an_error(self, text: str) -> None:
        with pytest.raises(SourceError):
            read(text)

    @pytest.mark.parametrize(
        "junk",
        [
            "x" * 1_000_000,
            "non-default args: {" + "'a': [" * 20_000,
            "non-default args: {'a': '" * 5_000,
            "GPU KV cache size: " + "1,111" * 200_000,
            "\r" * 1_000_000,
            "\x1b[" * 300_000,
            "wrapped words\n" * 50_000,
            "vllm serve m " + "--a " * 5_000,
            "with config: " + "a=(" * 10_000,
            "[" * 100_000 + "\n" + "(" * 100_000,
        ],
    )
    def test_junk_costs_no_more_than_its_length(self, junk: str) -> None:
        line = "INFO 01-01 00:00:00 x] GPU KV cache size: 1,024 tokens\n"
        found = read(line + junk + "\n" + line)
        assert found.figures["kv_tokens"].value == 1024

    def test_lines_are_bounded(self) -> None:
        assert all(
            len(line.text) <= 2 * MOST_LINE for line in logical_lines("INFO a\n" + "b" * 100_000 + "\nc" * 50_000)
        )

    def test_any_cut_of_a_log_is_read_or_refused(self) -> None:
        text = (FOLDER / "vllm_0_11.log").read_text(encoding="utf-8")
        for start in range(0, len(text), 23):
            piece = text[start : start + 40 + start % 1900]
            try:
                json.dumps({key: figure.value for key, figure in read(piece).figures.items()})
            except SourceError:
                continue

    def test_windows_line_ends(self) -> None:
        text = (FOLDER / "vllm_0_6_4.log").read_text(encoding="utf-8").replace("\n", "\r\n")
        assert read(text).figures["num_blocks"].value == 1952

    def test_a_container_s_prefix(self) -> None:
        text = "vllm-1  | INFO 01-01 00:00:00 a.py:1] GPU KV cache size: 446,464 tokens\n"
        assert read(text).figures["kv_tokens"].value == 446_464


class TestPairs:
    @pytest.mark.parametrize(
        ("text", "pairs"),
        [
            ("a=1, b='x, y', c=None", {"a": 1, "b": "x, y", "c": None}),
            ("'a': [1, 'b', {'c': 2.5}], 'd': True}", {"a": [1, "b", {"c": 2.5}], "d": True}),
            ("a=Call(b=1, c=(2, 3)), d=4", {"a": "Call(b=1, c=(2, 3))", "d": 4}),
            ("a=<Kind.X: 1>, b=2", {"a": "<Kind.X: 1>", "b": 2}),
            ("a='unfinished", {"a": "unfinished"}),
            ("a=", {"a": None}),
            ("nothing here", {}),
            (r"a='it\'s', b=1", {"a": r"it\'s", "b": 1}),
            ("a=1e-3, b=-5, c=1.5.2", {"a": 0.001, "b": -5, "c": "1.5.2"}),
        ],
    )
    def test_dumps(self, text: str, pairs: dict[str, object]) -> None:
        assert read_pairs(text) == pairs

    def test_command_lines(self) -> None:
        flags = read_flags("--max-model-len=8192 --kv-cache-dtype fp8 --eager -c 'a b' --last")
        assert flags == {"max_model_len": 8192, "kv_cache_dtype": "fp8", "eager": True, "c": "a b", "last": True}
