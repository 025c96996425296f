"""Lines of SGLang, 0.2 to 0.5.

`server_args=ServerArgs(...)`, `Load weight begin. avail mem=... GB`, `Load weight end. ... mem usage=... GB`,
`KV Cache is allocated. #tokens: N, K size: a GB, V size: b GB` (or `KV size`), `Use sliding window memory pool.
full_layer_tokens=N, swa_layer_tokens=M`, `Mamba Cache is allocated. max_mamba_cache_size: K`,
`max_total_num_tokens=N, ...`. Its GB are GiB.
Sources: SGLang 0.5.23 `mem_cache/memory_pool.py`, `managers/scheduler.py`, `model_executor/model_runner.py`;
sgl-project/sglang#18039, #11716.
"""

import re

from kvdesk.core.json_value import JsonValue
from kvdesk.engines.logs.lines import Line
from kvdesk.engines.logs.pairs import read_flags, read_pairs
from kvdesk.engines.logs.rules import COUNT, RATIO, SIZE, Choose, Rule, rule

NAME = "sglang"

RULES: tuple[Rule, ...] = (
    rule("free_memory", "Load weight begin", r"avail mem=" + SIZE + " GB", "gib", Choose.LEAST),
    rule("weights", "Load weight end", r"mem usage=" + SIZE + " GB", "gib", Choose.MOST),
    rule("available_kv", "KV Cache is allocated", r"KV size: " + SIZE + " GB", "gib", Choose.SUM),
    rule("available_kv", "KV Cache is allocated", r"K size: " + SIZE + " GB", "gib", Choose.SUM),
    rule("available_kv", "KV Cache is allocated", r"V size: " + SIZE + " GB", "gib", Choose.SUM),
    rule("kv_tokens", "KV Cache is allocated", r"#tokens: " + COUNT, "count", Choose.MOST),
    rule("kv_tokens", "max_total_num_tokens=", r"max_total_num_tokens=" + COUNT, "count", Choose.LAST),
    rule("full_tokens", "full_layer_tokens=", r"full_layer_tokens=" + COUNT, "count", Choose.LEAST),
    rule("window_tokens", "swa_layer_tokens=", r"swa_layer_tokens=" + COUNT, "count", Choose.LEAST),
    rule("state_slots", "max_mamba_cache_size:", r"max_mamba_cache_size: " + COUNT, "count", Choose.LEAST),
    rule("states", "Mamba Cache is allocated", r"conv_state size: " + SIZE + "GB", "gib", Choose.SUM),
    rule("states", "Mamba Cache is allocated", r"ssm_state size: " + SIZE + "GB", "gib", Choose.SUM),
    rule("graphs", "graph end", r"mem usage=" + SIZE + " GB", "gib", Choose.SUM),
    rule("max_running_requests", "max_running_requests=", r", max_running_requests=" + COUNT, "count"),
    rule("chunked_prefill_size", "max_total_num_tokens=", r"chunked_prefill_size=" + COUNT, "count"),
    rule("context_length", "context_len=", r"context_len=" + COUNT, "count"),
    rule("utilization", "mem_fraction_static=", r"mem_fraction_static=" + RATIO, "ratio"),
)

OPTION_KEYS = ("max_running_requests", "chunked_prefill_size", "context_length")

_NAMES = {
    "model_path": "model",
    "tp": "tp_size",
    "dp": "dp_size",
    "pp": "pp_size",
    "tensor_parallel_size": "tp_size",
    "data_parallel_size": "dp_size",
    "pipeline_parallel_size": "pp_size",
}
_WANTED = frozenset(
    {
        "model", "tp_size", "pp_size", "dp_size", "mem_fraction_static", "kv_cache_dtype", "context_length",
        "page_size",
        "chunked_prefill_size", "max_running_requests", "max_total_tokens", "swa_full_tokens_ratio", "quantization",
        "mamba_full_memory_ratio", "disable_radix_cache", "enable_dp_attention", "cuda_graph_max_bs", "dtype",
        "attention_backend", "speculative_algorithm", "disable_cuda_graph",
    }
)  # fmt: skip
_COMMAND = re.compile(r"sglang(?:\.launch_server| serve)\b")


def options(line: Line) -> tuple[int, dict[str, JsonValue]]:
    """Options on this line and how much they weigh."""
    at = line.text.find("ServerArgs(")
    if at >= 0:
        return 3, _wanted(read_pairs(line.text, at + len("ServerArgs(")))
    match = _COMMAND.search(line.text)
    return (0, {}) if match is None else (1, _wanted(read_flags(line.text[match.end() :])))


def _wanted(pairs: dict[str, JsonValue]) -> dict[str, JsonValue]:
    named = {_NAMES.get(key, key): value for key, value in pairs.items() if value is not None}
    return {key: value for key, value in named.items() if key in _WANTED}
