"""Lines of llama.cpp (and Ollama's runner), 2023 to 2026.

`llama_kv_cache: size = 3072.00 MiB (131072 cells, 12 layers, 4/1 seqs), K (f16): ...`, once for each cache; before 2025
`KV self size  = 1024.00 MiB, K (f16): ...`; `llama_memory_recurrent: size = ...`; `CUDA0 model buffer size = ... MiB`;
`CUDA0 compute buffer size = ... MiB`; `llama_context: n_ctx = ...`. Newer builds print a clock and a letter first.
Sources: llama.cpp `src/llama-kv-cache.cpp`, `src/llama-context.cpp` at 0c1e57098; ggml-org/llama.cpp#14043, #9390.
"""

import re

from kvdesk.core.json_value import JsonValue
from kvdesk.engines.logs.lines import Line
from kvdesk.engines.logs.pairs import read_flags
from kvdesk.engines.logs.rules import COUNT, SIZE, Choose, Rule, rule

NAME = "llama_cpp"
_DEVICE = r"\b(?:CUDA|ROCm|Vulkan|SYCL|Metal|MTL|HIP)\d{0,3}"

RULES: tuple[Rule, ...] = (
    rule("version", "build: ", r"\bbuild: ([0-9]{1,6} \([0-9a-f]{6,40}\))", "word"),
    rule("model", "general.name", r"general\.name {0,20}= {0,4}(\S[^=]{0,120})", "word"),
    rule("free_memory", "using device", r" - " + SIZE + " MiB free", "mib", Choose.LEAST),
    rule("available_kv", "llama_kv_cache", r"_cache\w{0,20}: {1,12}size = {1,8}" + SIZE + " MiB", "mib", Choose.SUM),
    rule("available_kv", "KV self size", r"KV self size {1,4}= {1,8}" + SIZE + " MiB", "mib", Choose.SUM),
    rule("available_kv", "kv self size", r"kv self size {1,4}= {1,8}" + SIZE + " MB", "mib", Choose.SUM),
    rule("kv_tokens", "llama_kv_cache", r"\( {0,8}" + COUNT + " cells,", "count", Choose.MOST),
    rule("window_tokens", "creating     SWA KV cache", r"size = " + COUNT + " cells", "count", Choose.MOST),
    rule("states", "llama_memory_recurrent", r"size = {1,8}" + SIZE + " MiB", "mib", Choose.SUM),
    rule("compute", "compute buffer", _DEVICE + r" compute buffer size (?:of|=) {1,8}" + SIZE, "mib", Choose.MOST),
    rule("weights", " buffer size =", _DEVICE + r" (?:model )?buffer size = {1,8}" + SIZE + " MiB", "mib", Choose.SUM),
    rule("ctx_size", "n_ctx ", r"\bn_ctx {1,12}= " + COUNT, "count"),
    rule("parallel", "n_seq_max ", r"\bn_seq_max {1,12}= " + COUNT, "count"),
    rule("ubatch_size", "n_ubatch ", r"\bn_ubatch {1,12}= " + COUNT, "count"),
    rule("kv_unified", "kv_unified ", r"\bkv_unified {1,12}= (true|false)", "word"),
    rule("cache_type_k", "K (", r", K \((\w{2,8})\):", "word"),
    rule("cache_type_v", "V (", r", V \((\w{2,8})\):", "word"),
)  # fmt: skip

OPTION_KEYS = ("ctx_size", "parallel", "ubatch_size", "kv_unified", "cache_type_k", "cache_type_v")
_NAMES = {
    "m": "model", "c": "ctx_size", "np": "parallel", "ub": "ubatch_size", "ctk": "cache_type_k", "ctv": "cache_type_v",
    "fa": "flash_attn", "hf": "model", "hf_repo": "model",
}  # fmt: skip
_WANTED = frozenset(
    {
        "model",
        "ctx_size",
        "parallel",
        "ubatch_size",
        "cache_type_k",
        "cache_type_v",
        "flash_attn",
        "swa_full",
        "kv_unified",
    }
)
_COMMAND = re.compile(r"\bllama-(?:server|cli|bench|run)\b")


def options(line: Line) -> tuple[int, dict[str, JsonValue]]:
    """Options on this line and how much they weigh; what the engine prints later weighs more."""
    match = _COMMAND.search(line.text)
    if match is None:
        return 0, {}
    flags = read_flags(line.text[match.end() :])
    named = {_NAMES.get(key, key): value for key, value in flags.items() if value is not None}
    return 1, {key: value for key, value in named.items() if key in _WANTED}
