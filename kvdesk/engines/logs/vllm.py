"""Lines of vLLM, from 0.3 to 0.33.

V0 (to 0.8): `# GPU blocks: 1952, # CPU blocks: 2048`, `Memory profiling results: total_gpu_memory=23.58GiB ...`,
`the current vLLM instance can use total_gpu_memory (23.58GiB) x gpu_memory_utilization (0.99) = 23.35GiB`,
`model weights take ...GiB; non_torch_memory takes ...GiB; PyTorch activation peak memory takes ...GiB; the rest of the
memory reserved for KV Cache is ...GiB`. V1: `Available KV cache memory: X GiB`, `GPU KV cache size: N tokens`,
`Maximum concurrency for L tokens per request: C x`, in one line since 0.28; `Free memory on device (a/b GiB) on startup
...` names all parts since 0.10. Sources: `vllm/v1/worker/gpu_worker.py`, `vllm/v1/core/kv_cache_utils.py`,
`vllm/worker/worker.py` of those versions; vllm-project/vllm#10517, #11550, #12569, #14447.
"""

import re

from kvdesk.core.json_value import JsonValue
from kvdesk.engines.logs.lines import Line
from kvdesk.engines.logs.pairs import read_flags, read_pairs
from kvdesk.engines.logs.rules import COUNT, RATIO, SIZE, Choose, Rule, rule

NAME = "vllm"
_ON_DEVICE = r"emory on device (?:\w{1,20} )?"

RULES: tuple[Rule, ...] = (
    rule("version", "LLM engine (v", r"LLM engine \(v([0-9][\w.+-]{0,60})\)", "word"),
    rule("version", "vLLM API server version", r"API server version v?([0-9][\w.+-]{0,60})", "word"),
    rule("total_memory", "total_gpu_memory", r"total_gpu_memory[ =]\(?" + SIZE + "GiB", "gib", Choose.LEAST),
    rule("total_memory", "emory on device", _ON_DEVICE + r"\(-?[\d.]{1,12}/" + SIZE, "gib", Choose.LEAST),
    rule("free_memory", "emory on device", _ON_DEVICE + r"\(" + SIZE + "/", "gib", Choose.LEAST),
    rule("free_memory", "Initial free memory", r"Initial free memory:? " + SIZE + " GiB", "gib", Choose.LEAST),
    rule("utilization", "gpu_memory_utilization", r"gpu_memory_utilization[ =]\(?" + RATIO, "ratio"),
    rule("utilization", "Desired GPU memory utilization", r"utilization is \(" + RATIO + ",", "ratio"),
    rule("utilization", "Requested memory:", r"Requested memory: " + RATIO + r" \(util\)", "ratio"),
    rule("requested_memory", "Desired GPU memory", r"utilization is \([\d.]{1,12}, " + SIZE, "gib", Choose.LEAST),
    rule("requested_memory", "(util)", r"\(util\), " + SIZE + " GiB", "gib", Choose.LEAST),
    rule("requested_memory", "x gpu_memory_utilization", r"\([\d.]{1,12}\) = " + SIZE + "GiB", "gib", Choose.LEAST),
    rule("weights", "oading model weights took", r"weights took " + SIZE + " ?Gi?B", "gib", Choose.MOST),
    rule("weights", "odel loading took", r"loading took " + SIZE + " ?Gi?B", "gib", Choose.MOST),
    rule("weights", "model weights take", r"weights take " + SIZE + "GiB", "gib", Choose.MOST),
    rule("weights", "for weight,", SIZE + r" GiB for weight,", "gib", Choose.MOST),
    rule("weights", "weights memory:", r"weights memory: " + SIZE + "GiB", "gib", Choose.MOST),
    rule("consumed", "for consumed memory", SIZE + r" GiB for consumed memory", "gib", Choose.MOST),
    rule("consumed", "total consumed", r"mem_get_info\): " + SIZE + "GiB", "gib", Choose.MOST),
    rule("activation", "activation peak memory takes", r"peak memory takes " + SIZE + "GiB", "gib", Choose.MOST),
    rule("activation", "for peak activation", SIZE + r" GiB for peak activation", "gib", Choose.MOST),
    rule("activation", "torch peak memory increase", r"peak memory increase: " + SIZE + "GiB", "gib", Choose.MOST),
    rule("peak", "peak_torch_memory=", r"peak_torch_memory=" + SIZE + "GiB", "gib", Choose.MOST),
    rule("non_torch", "non_torch_memory takes", r"non_torch_memory takes " + SIZE + "GiB", "gib", Choose.MOST),
    rule("non_torch", "non_torch_memory=", r"profile=\S{1,40} non_torch_memory=" + SIZE + "GiB", "gib", Choose.MOST),
    rule("non_torch", "for non-torch memory", SIZE + r" GiB for non-torch memory", "gib", Choose.MOST),
    rule("non_torch", "non-torch forward increase", r"increase memory: " + SIZE + "GiB", "gib", Choose.MOST),
    rule("graphs", "raph capturing finished", r"took " + SIZE + " Gi?B", "gib", Choose.MOST),
    rule("graphs", "for CUDAGraph memory", SIZE + r" GiB for CUDAGraph memory", "gib", Choose.MOST),
    rule("graphs_estimated", "(estimated)", SIZE + r" GiB \(estimated\)", "gib", Choose.MOST),
    rule("graphs_estimated", "stimated CUDA graph memory", r"graph memory: " + SIZE + " GiB", "gib", Choose.MOST),
    rule("available_kv", "vailable KV cache memory:", r"cache memory: " + SIZE + " GiB", "gib", Choose.LEAST),
    rule("available_kv", "reserved for KV Cache is", r"KV Cache is " + SIZE + "GiB", "gib", Choose.LEAST),
    rule("available_kv", "kv_cache_size=", r"kv_cache_size=" + SIZE + "GiB", "gib", Choose.LEAST),
    rule("available_kv", "memory for KV Cache as specified", r"reserved " + SIZE + " GiB", "gib", Choose.LEAST),
    rule("available_kv", "available KV cache memory (", r"cache memory \(" + SIZE + " GiB", "gib", Choose.LEAST),
    rule("needed_kv", "KV cache is needed", r"\(" + SIZE + r" GiB KV", "gib"),
    rule("max_context", "estimated maximum model length", r"model length is " + COUNT, "count"),
    rule("num_blocks", " blocks: ", r"# (?:GPU|CUDA|cuda) blocks: " + COUNT, "count", Choose.LEAST),
    rule("block_size", "ttention block size to", r"block size to " + COUNT + " tokens", "count"),
    rule("kv_tokens", "KV cache size:", r"KV cache size: " + COUNT + " tokens", "count", Choose.LEAST),
    rule("concurrency_tokens", "aximum concurrency for", r"concurrency for " + COUNT + " tokens", "count"),
    rule("concurrency_tokens", "max seq len (", r"max seq len \(" + COUNT + r"\)", "count"),
    rule("max_concurrency", "aximum concurrency for", r"per request: " + RATIO + "x", "ratio", Choose.LEAST),
    rule("max_num_batched_tokens", "with max_num_batched_tokens=", r"max_num_batched_tokens=" + COUNT, "count"),
    rule("max_cudagraph_capture_size", "capture_size", r"max_(?:cudagraph_)?capture_size['\"]?[:=] ?" + COUNT, "count"),
    rule("max_model_len", "Using max model len", r"max model len " + COUNT, "count"),
)  # fmt: skip

OPTION_KEYS = ("max_num_batched_tokens", "max_model_len", "max_cudagraph_capture_size")
"""Figures that are options of the engine, by the option's name."""

_NAMES = {
    "max_seq_len": "max_model_len",
    "model_tag": "model",
    "tp": "tensor_parallel_size",
    "pp": "pipeline_parallel_size",
    "dp": "data_parallel_size",
    "dcp": "decode_context_parallel_size",
    "cache_dtype": "kv_cache_dtype",
}
_WANTED = frozenset(
    {
        "model", "dtype", "max_model_len", "tensor_parallel_size", "pipeline_parallel_size", "data_parallel_size",
        "decode_context_parallel_size", "quantization", "enforce_eager", "kv_cache_dtype", "enable_prefix_caching",
        "max_num_seqs", "max_num_batched_tokens", "block_size", "gpu_memory_utilization", "kv_cache_memory_bytes",
        "speculative_config", "enable_chunked_prefill", "num_gpu_blocks_override", "disable_hybrid_kv_cache_manager",
        "enable_expert_parallel", "mamba_cache_mode", "mamba_ssm_cache_dtype", "limit_mm_per_prompt", "max_loras",
    }
)  # fmt: skip
_COMMAND = re.compile(r"\bvllm serve (?!-)(\S{1,300})|vllm\.entrypoints\.\S{1,60}")


def options(line: Line) -> tuple[int, dict[str, JsonValue]]:
    """Options on this line and how much they weigh: the effective config 3, arguments 2, a command line 1, none 0."""
    text = line.text
    for needle, weight in (("with config: ", 3), ("non-default args: ", 2), ("args: Namespace(", 2)):
        at = text.find(needle)
        if at >= 0:
            start = at + len(needle)
            while start < len(text) and text[start] in "{ ":
                start += 1
            return weight, _wanted(read_pairs(text, start))
    match = _COMMAND.search(text)
    if match is None:
        return 0, {}
    flags = read_flags(text[match.end() :])
    if match.group(1):
        flags.setdefault("model", match.group(1))
    return 1, _wanted(flags)


def _wanted(pairs: dict[str, JsonValue]) -> dict[str, JsonValue]:
    named = {_NAMES.get(key, key): value for key, value in pairs.items() if value is not None}
    for key in list(named):
        if key.startswith("no_") and key[3:] in _WANTED:
            named[key[3:]] = False
    # Objects are printed as calls in the effective config; the arguments name their fields.
    return {k: v for k, v in named.items() if k in _WANTED and not (isinstance(v, str) and v.endswith(")"))}
