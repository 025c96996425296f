"""Lines of TensorRT-LLM, 0.5 to 1.4, C++ runtime and PyTorch backend.

`[MemUsageChange] Allocated X GiB for max tokens in paged KV cache (N).`, `Number of blocks in KV cache primary pool:
N`,
`... primary blocks=N, secondary blocks=M`, `Number of tokens per block: 32.`, `Memory usage when calculating max tokens
in paged kv cache: total: a GiB, available: b GiB`, `Peak memory during memory usage profiling (torch + non-torch): p
GiB, available KV cache memory when calculating max tokens: k GiB, fraction is set f, kv size is s. device total memory
t GiB`.
Sources: NVIDIA/TensorRT-LLM#2268, `tensorrt_llm/_torch/pyexecutor/_util.py` at 00043967.
"""

import re

from kvdesk.core.json_value import JsonValue
from kvdesk.engines.logs.lines import Line
from kvdesk.engines.logs.pairs import read_flags
from kvdesk.engines.logs.rules import COUNT, RATIO, SIZE, Choose, Rule, rule

NAME = "tensorrt_llm"

RULES: tuple[Rule, ...] = (
    rule("version", "TensorRT-LLM version", r"LLM version:? ([0-9][\w.]{0,40})", "word"),
    rule("version", "TensorRT LLM version", r"LLM version:? ([0-9][\w.]{0,40})", "word"),
    rule("total_memory", "device total memory", r"total memory " + SIZE + " GiB", "gib", Choose.LEAST),
    rule("total_memory", "calculating max tokens in paged", r"total: " + SIZE + " GiB", "gib", Choose.LEAST),
    rule("free_memory", "calculating max tokens in paged", r"available: " + SIZE + " GiB", "gib", Choose.LEAST),
    rule("weights", "model weights", r"weights \(inside torch\)[^:]{0,60}: " + SIZE + " GiB", "gib", Choose.MOST),
    rule("weights", "Loaded engine size", r"engine size: " + SIZE + " MiB", "mib", Choose.MOST),
    rule("peak", "Peak memory during memory usage", r"\): " + SIZE + " GiB", "gib", Choose.MOST),
    rule("non_torch", "outside torch", r"profiling: " + SIZE + " GiB", "gib", Choose.MOST),
    rule("available_kv", "available KV cache memory when", r"max tokens: " + SIZE + " GiB", "gib", Choose.LEAST),
    rule("available_kv", "for max tokens in paged KV cache", r"Allocated " + SIZE + " GiB", "gib", Choose.LEAST),
    rule("kv_tokens", "for max tokens in paged KV cache", r"cache \(" + COUNT + r"\)", "count", Choose.LEAST),
    rule("kv_tokens", "tokens in paged KV cache", r"Using " + COUNT + " tokens", "count", Choose.LEAST),
    rule("kv_tokens", "Estimated max tokens in KV cache", r"KV cache ?: ?" + COUNT, "count", Choose.LEAST),
    rule("num_blocks", "KV cache primary pool", r"primary pool: " + COUNT, "count", Choose.LEAST),
    rule("num_blocks", "primary blocks", r"primary blocks[=:] ?" + COUNT, "count", Choose.LEAST),
    rule("block_size", "tokens per block", r"tokens per block[=:] ?" + COUNT, "count"),
    rule("bytes_per_token", "kv size is", r"kv size is " + COUNT, "count"),
    rule("utilization", "fraction is set", r"fraction is set " + RATIO, "ratio"),
    rule("max_seq_len", "maxSequenceLen:", r"maxSequenceLen: " + COUNT, "count"),
    rule("max_batch_size", "maxBatchSize:", r"maxBatchSize: " + COUNT, "count"),
)

OPTION_KEYS = ("max_batch_size", "max_seq_len")
_NAMES = {"model_path": "model", "kv_cache_free_gpu_memory_fraction": "free_gpu_memory_fraction"}
_WANTED = frozenset(
    {
        "model", "tp_size", "pp_size", "ep_size", "max_batch_size", "max_num_tokens", "max_seq_len", "backend",
        "free_gpu_memory_fraction", "kv_cache_dtype",
    }
)  # fmt: skip
_COMMAND = re.compile(r"trtllm-(?:serve|bench)(?: serve)?(?: (?!-)(\S{1,300}))?")


def options(line: Line) -> tuple[int, dict[str, JsonValue]]:
    """Options on this line and how much they weigh."""
    match = _COMMAND.search(line.text)
    if match is None:
        return 0, {}
    flags = read_flags(line.text[match.end() :])
    if match.group(1):
        flags.setdefault("model", match.group(1))
    named = {_NAMES.get(key, key): value for key, value in flags.items() if value is not None}
    return 1, {key: value for key, value in named.items() if key in _WANTED}
