"""Print, for every exact public start-up log, the token count and the concurrency beside kvdesk's.

    python tests/scripts/exact_logs.py LOGS.jsonl [--configs FOLDER] [--all]

LOGS.jsonl has one object per log: engine, engine_version, model_id, gpu, tp, pp, kv_dtype, max_model_len, flags,
available_kv_gib, kv_tokens, max_concurrency, num_blocks. FOLDER holds config.json files named org__model.json (default:
`configs` beside the file). Each line ends in "equal", "within the printed rounding" or the reason of the difference.
Where a log does not state its version, the versions at which a rule changed are tried, and the one that fits is named.
"""

import argparse
import json
import re
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2]))

from kvdesk.app import lookup
from kvdesk.app.derive import Deriver
from kvdesk.app.reconcile import Reconciliation, reconcile
from kvdesk.app.session import Model, Session
from kvdesk.core.errors import KvdeskError
from kvdesk.core.json_value import JsonValue
from kvdesk.core.units import GIB
from kvdesk.engines.logs.record import EngineLog, Figure

SAME_CACHE = {
    "Meta-Llama-3-70B-Instruct-AWQ": "meta-llama__Meta-Llama-3-70B",
    "gemma-4-31B-it-FP8-Dynamic": "nvidia__Gemma-4-31B-IT-NVFP4",
    "gemma-4-31B-it": "nvidia__Gemma-4-31B-IT-NVFP4",
    "gemma-4-26B-A4B-it NVFP4": "google__gemma-4-26B-A4B",
    "diffusiongemma-26B-A4B-it": "google__gemma-4-26B-A4B",
    "Kimi-K2-Thinking": "moonshotai__Kimi-K2-Instruct",
    "Llama-3.1-8B": "meta-llama__Meta-Llama-3.1-8B",
    "Llama-3.1-70B": "meta-llama__Meta-Llama-3.1-70B",
    "Meta-Llama-3-8B": "meta-llama__Meta-Llama-3-8B-Instruct",
    "DeepSeek-R1-0528-Qwen3-8B": "Qwen__Qwen3-8B",
    "Qwen3.8-27B-FP8": "Qwen__Qwen3.5-27B",
    "Llama-3.2-3B Q4_0": "meta-llama__Llama-3.2-3B-Instruct",
    "qwen2.5:3b (ollama)": "Qwen__Qwen2.5-3B-Instruct",
    "LLaMA-13B Q4_0 (ggjt)": "meta-llama__Llama-2-13b-hf",
    "Mistral-7B Q4 (ollama)": "mistralai__Mistral-7B-Instruct-v0.3",
    "Nemotron 8B (32L x 8 x 128)": "meta-llama__Meta-Llama-3.1-8B",
    "ornith:9b (Qwen3.5-9B class hybrid)": "leo-kreisman__Qwen3.5-9B-MLX-8bit",
}
"""Published configs whose cache has the geometry of the model that a log names."""

STARTS = {
    "Qwen3.8-27B": "Qwen__Qwen3.5-27B",
    "Qwen3.6-27B": "Qwen__Qwen3.5-27B",
    "Qwen/Qwen3-Next-80B-A3B-Instruct": "Qwen__Qwen3-Next-80B-A3B-Instruct",
}

_PLAIN: Mapping[str, Any] = {"hidden_size": 5120, "vocab_size": 100352, "intermediate_size": 17920}
_GLM_SPARSE: Mapping[str, Any] = {
    "model_type": "glm_moe_dsa",
    "architectures": ["GlmMoeDsaForCausalLM"],
    "hidden_size": 6144,
    "intermediate_size": 12288,
    "vocab_size": 154880,
    "num_hidden_layers": 78,
    "num_attention_heads": 64,
    "num_key_value_heads": 64,
    "kv_lora_rank": 512,
    "q_lora_rank": 2048,
    "qk_rope_head_dim": 64,
    "qk_nope_head_dim": 192,
    "v_head_dim": 256,
    "index_head_dim": 128,
    "index_n_heads": 32,
    "index_topk": 2048,
    # 21 of 78 layers have an indexer of their own.
    "indexer_types": ["full" if i < 3 or i % 4 == 2 else "shared" for i in range(78)],
    "n_routed_experts": 256,
    "num_experts_per_tok": 8,
    "moe_intermediate_size": 2048,
    "first_k_dense_replace": 3,
    "num_nextn_predict_layers": 1,
    "max_position_embeddings": 1048576,
    "torch_dtype": "bfloat16",
}
_GEMMA_4: Mapping[str, Any] = {
    "model_type": "gemma4_text",
    "architectures": ["Gemma4ForCausalLM"],
    "head_dim": 256,
    "global_head_dim": 512,
    "vocab_size": 262144,
    "max_position_embeddings": 131072,
    "torch_dtype": "bfloat16",
}
_ONE_IN_SIX = [*["sliding_attention"] * 5, "full_attention"]
BY_HAND: Mapping[str, Mapping[str, Any]] = {
    "GLM-5.2": _GLM_SPARSE,
    "GLM-5.3": _GLM_SPARSE,
    "gemma-4-12B-it": {
        **_GEMMA_4,
        "num_hidden_layers": 48,
        "layer_types": _ONE_IN_SIX * 8,
        "hidden_size": 3840,
        "intermediate_size": 15360,
        "num_attention_heads": 16,
        "num_key_value_heads": 8,
        "num_global_key_value_heads": 1,
        "attention_k_eq_v": True,
        "sliding_window": 1024,
    },
    "gemma-4-E4B-it": {
        **_GEMMA_4,
        "num_hidden_layers": 42,
        "num_kv_shared_layers": 18,
        "layer_types": _ONE_IN_SIX * 7,
        "hidden_size": 2560,
        "intermediate_size": 10240,
        "num_attention_heads": 8,
        "num_key_value_heads": 2,
        "sliding_window": 512,
    },
    "embeddinggemma-300m": {
        "model_type": "gemma3_text",
        "architectures": ["Gemma3TextModel"],
        "num_hidden_layers": 24,
        "hidden_size": 768,
        "intermediate_size": 1152,
        "num_attention_heads": 3,
        "num_key_value_heads": 1,
        "head_dim": 256,
        "sliding_window": 512,
        "vocab_size": 262144,
        "max_position_embeddings": 2048,
        "torch_dtype": "bfloat16",
    },
    "poolside Laguna": {
        "model_type": "laguna",
        "architectures": ["LagunaForCausalLM"],
        "num_hidden_layers": 48,
        "layer_types": ["full_attention", *["sliding_attention"] * 3] * 12,
        "hidden_size": 2048,
        "intermediate_size": 8192,
        "num_attention_heads": 48,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "sliding_window": 512,
        "vocab_size": 100352,
        "max_position_embeddings": 1048576,
        "torch_dtype": "bfloat16",
    },
    "hi-4": {
        **_PLAIN,
        "model_type": "phi3",
        "architectures": ["Phi3ForCausalLM"],
        "num_hidden_layers": 40,
        "num_attention_heads": 40,
        "num_key_value_heads": 10,
        "max_position_embeddings": 16384,
        "torch_dtype": "bfloat16",
    },
    "qwen3:14b": {
        **_PLAIN,
        "model_type": "qwen3",
        "architectures": ["Qwen3ForCausalLM"],
        "num_hidden_layers": 40,
        "num_attention_heads": 40,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "max_position_embeddings": 40960,
        "torch_dtype": "bfloat16",
    },
    "GLM-4.7": {
        **_PLAIN,
        "model_type": "glm4_moe",
        "architectures": ["Glm4MoeForCausalLM"],
        "num_hidden_layers": 92,
        "num_attention_heads": 96,
        "num_key_value_heads": 8,
        "head_dim": 128,
        "max_position_embeddings": 202752,
        "n_routed_experts": 160,
        "num_experts_per_tok": 8,
        "moe_intermediate_size": 1536,
        "first_k_dense_replace": 3,
        "torch_dtype": "bfloat16",
    },
    "DeepSeek-V2.5": {
        **_PLAIN,
        "model_type": "deepseek_v2",
        "architectures": ["DeepseekV2ForCausalLM"],
        "num_hidden_layers": 60,
        "num_attention_heads": 128,
        "num_key_value_heads": 128,
        "kv_lora_rank": 512,
        "q_lora_rank": 1536,
        "qk_rope_head_dim": 64,
        "qk_nope_head_dim": 128,
        "v_head_dim": 128,
        "n_routed_experts": 160,
        "num_experts_per_tok": 6,
        "moe_intermediate_size": 1536,
        "first_k_dense_replace": 1,
        "max_position_embeddings": 163840,
        "torch_dtype": "bfloat16",
    },
}
"""Models without a config in the folder whose published sizes are enough for the cache."""

OPTIONS = {
    "enable_prefix_caching": "enable_prefix_caching",
    "prefix_caching": "enable_prefix_caching",
    "max_num_batched_tokens": "max_num_batched_tokens",
    "max_num_seqs": "max_num_seqs",
    "enforce_eager": "enforce_eager",
    "decode_context_parallel": "decode_context_parallel_size",
    "expert_parallel": "enable_expert_parallel",
    "cudagraph_largest": "max_cudagraph_capture_size",
    "mamba_ssm_cache_dtype": "mamba_ssm_cache_dtype",
    "page_size": "page_size",
    "max_running_requests": "max_running_requests",
    "-np": "parallel",
    "-ub": "ubatch_size",
}
VERSIONS = (None, "0.31.0", "0.28.0", "0.26.0", "0.25.1", "0.20.2", "0.19.1", "0.11.0")
ENGINES = {"vllm": "vllm", "sglang": "sglang", "llama.cpp": "llama_cpp", "tensorrt-llm": "tensorrt_llm"}
STATES = ("conv_state_gb", "ssm_state_gb", "conv_gb", "ssm_gb")
SHOWN = ("state_slots", "block_size", "num_blocks", "kv_tokens", "window_tokens", "max_concurrency", "available_kv")


def main() -> int:
    """Print the table and a summary."""
    parser = argparse.ArgumentParser(description="Exact start-up logs beside kvdesk's figures.")
    parser.add_argument("logs", type=Path)
    parser.add_argument("--configs", type=Path)
    parser.add_argument("--all", action="store_true", help="logs of any quality")
    arguments = parser.parse_args()
    folder = arguments.configs or arguments.logs.parent / "configs"
    verdicts: Counter[str] = Counter()
    for record in map(json.loads, arguments.logs.read_text(encoding="utf-8").splitlines()):
        if record["quality"] == "exact" or arguments.all:
            verdict, lines = compare(record, folder)
            verdicts[verdict] += 1
            head = f"{record['id']:<32} {record['engine'].split()[0]} {record.get('engine_version') or '?'}"
            sys.stdout.write("\n    ".join((head, *lines)) + "\n")
    sys.stdout.write(", ".join(f"{count} {verdict}" for verdict, count in verdicts.most_common()) + "\n")
    return 0


def compare(record: Mapping[str, Any], folder: Path) -> tuple[str, list[str]]:
    """The verdict of one log, and its lines."""
    model = model_of(record["model_id"] or "", folder)
    if model is None:
        return "without a config", [f"no config of {record['model_id']} is at hand"]
    best: Reconciliation | None = None
    for version, dtype in product(versions_of(record), dtypes_of(record)):
        try:
            found = reconcile(log_of(record, version, dtype), session_of(model, record), Deriver())
        except KvdeskError as error:
            return "refused", [str(error)]
        if best is None or score(found) > score(best):
            best = found
    if best is None or not any(row.key in SHOWN for row in best.rows):
        said = [finding.text for finding in best.findings if finding.severity.value != "info"] if best else []
        return "not sized", said or ["nothing to compare"]
    return verdict_of(best), list(lines_of(best))


def session_of(model: Model, record: Mapping[str, Any]) -> Session:
    """The model; a stand-in's own length gives way to that of the log."""
    length, longest = record["max_model_len"], model.config.get("max_position_embeddings")
    if isinstance(longest, int) and length is not None and length > longest:
        config = {key: value for key, value in model.config.items() if key != "rope_scaling"}
        model = replace(model, config={**config, "max_position_embeddings": length})
    return Session(model=model)


def score(found: Reconciliation) -> tuple[int, float]:
    """More equal rows are better, then smaller differences."""
    rows = [row for row in found.rows if row.key in ("num_blocks", "kv_tokens", "window_tokens", "max_concurrency")]
    return sum(row.equal for row in rows), -sum(abs(row.difference or 0.0) for row in rows)


def verdict_of(found: Reconciliation) -> str:
    """One word for the summary."""
    rows = [row for row in found.rows if row.key in ("kv_tokens", "window_tokens", "max_concurrency", "num_blocks")]
    if not all(row.equal for row in rows):
        return "different, with a reason"
    return "equal" if all(row.ours == row.logged or row.key == "max_concurrency" for row in rows) else "within rounding"


def lines_of(found: Reconciliation) -> Iterator[str]:
    """One line for each figure."""
    session = found.session
    rules = session.engine_version or "the newest profile"
    yield f"{session.gpus[0].count} x {session.gpus[0].gpu}, cache {session.kv_dtype}, rules of {rules}"
    for row in found.rows:
        if row.key in SHOWN and (row.key != "available_kv" or session.engine == "llama_cpp"):
            yield f"{row.label:<20} log {row.logged:>16,.10g}  kvdesk {row.ours:>16,.10g}  {row.reason}"


def versions_of(record: Mapping[str, Any]) -> tuple[str | None, ...]:
    """The version that the log states, else those at which a rule changed."""
    if record["engine"] != "vllm":
        return (None,)
    stated = re.match(r"v?(\d+\.\d+(?:\.\d+)?)(?![\dx])", record.get("engine_version") or "")
    return (stated.group(1),) if stated else VERSIONS


def log_of(record: Mapping[str, Any], version: str | None, dtype: str) -> EngineLog:
    """The record as a log that was read."""
    figures = {
        "available_kv": _gib(record.get("available_kv_gib")),
        "total_memory": _gib(record.get("total_gpu_gib")),
        "weights": _gib(record.get("model_loading_gib")),
        "kv_tokens": _count(record.get("kv_tokens")),
        "num_blocks": _count(record.get("num_blocks")),
        "window_tokens": _count(record["other"].get("swa_tokens")),
        "state_slots": _count(record["other"].get("mamba_slots")),
        "states": _gib(sum(record["other"].get(key, 0.0) for key in STATES) or None),
        "max_concurrency": _ratio(record.get("max_concurrency")),
    }
    if "kv_cache_memory_bytes" in record["flags"]:
        figures["available_kv"] = _count(record["flags"]["kv_cache_memory_bytes"])
    engine = ENGINES[record["engine"].split()[0]]
    names = {"vllm": ("tensor_parallel_size", "pipeline_parallel_size", "max_model_len")}.get(
        engine, ("tp_size", "pp_size", "ctx_size" if engine == "llama_cpp" else "context_length")
    )
    options = dict(zip(names, (record["tp"], record["pp"], record["max_model_len"]), strict=True))
    options |= {name: record["flags"][key] for key, name in OPTIONS.items() if key in record["flags"]}
    if engine == "llama_cpp":
        options |= {"parallel": record["flags"].get("-np", 1), "kv_unified": True}
    options["kv_cache_dtype"] = dtype
    options["gpu_memory_utilization"] = record.get("gpu_memory_utilization")
    if "mtp" in str(record["flags"].get("speculative", "")) or "mtp" in record["flags"]:
        options["speculative_config"] = {"method": "mtp", "num_speculative_tokens": 1}
    return EngineLog(
        engine=engine,
        version=_word(version),
        gpu=_word(record["gpu"]),
        options={key: figure for key, value in options.items() if (figure := _word(value)) is not None},
        figures={key: figure for key, figure in figures.items() if figure is not None},
    )


def dtypes_of(record: Mapping[str, Any]) -> tuple[str, ...]:
    """The cache's format: as stated (`"fp8 (from bytes/token)"`, `"auto(bf16)"`), else the engine's choice and fp8."""
    stated = re.match(r"(?:auto\()?([a-z0-9_]+)", record.get("kv_dtype") or "")
    return (stated.group(1),) if stated else ("auto", "fp8") if record["engine"] == "vllm" else ("auto",)


def model_of(name: str, folder: Path) -> Model | None:
    """The model whose cache is that of `name`."""
    short = name.rpartition("/")[2]
    stem = SAME_CACHE.get(short) or next((config for start, config in STARTS.items() if name.startswith(start)), "")
    path = folder / f"{stem or name.replace('/', '__')}.json"
    if path.is_file():
        return lookup.load_path(path)
    for part, config in BY_HAND.items():
        if part in name:
            return Model(id=name, origin="file", config=config)
    return None


def _gib(value: float | None) -> Figure | None:
    if value is None:
        return None
    decimals = len(repr(float(value)).partition(".")[2])
    # Two decimals are printed even where the last is 0.
    return Figure(value=round(value * GIB), line=0, text="", step=GIB // 10 ** max(2, decimals))


def _count(value: int | None) -> Figure | None:
    return None if value is None else Figure(value=value, line=0, text="")


def _ratio(value: float | None) -> Figure | None:
    return None if value is None else Figure(value=float(value), line=0, text="", step=0.01)


def _word(value: JsonValue) -> Figure | None:
    return None if value is None else Figure(value=value, line=0, text="")


if __name__ == "__main__":
    sys.exit(main())
