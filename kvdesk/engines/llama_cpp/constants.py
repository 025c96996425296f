"""Constants of llama.cpp at commit 0c1e57098, each with its place in the source.

Permalinks: https://github.com/ggml-org/llama.cpp/tree/0c1e57098
"""

from kvdesk.core.units import MIB
from kvdesk.engines.reserve_bands import Band

VERSIONS = ("0c1e57098",)
TITLE = "llama.cpp"

PADDING = 256
"""Cells are padded to a multiple of this. `src/llama-context.cpp`."""

PARALLEL = 4
"""Slots of the server where none are asked for; their cells are then unified. `tools/server/server.cpp`."""

UBATCH = 512
"""Tokens of one pass (`--ubatch-size`). `common/common.h`."""

FIT_MARGIN = 1024 * MIB
"""What `--fit` leaves free on each device. `common/fit.cpp`."""

TYPES = ("fp32", "fp16", "bf16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl")
"""Cache types. `common/arg.cpp`."""

CONTEXT = Band(
    low=200 * MIB,
    expected=400 * MIB,
    high=720 * MIB,
    source="bare CUDA contexts of 300 to 400 MB with cuBLAS workspaces",
)

COMPUTE_LOW, COMPUTE_HIGH = 2, 3
"""The compute buffer has no closed formula in the source; logs lie between half and three times the estimate."""

USED = frozenset(
    {
        "ctx_size", "parallel", "kv_unified", "cache_type_k", "cache_type_v", "ubatch_size", "swa_full", "flash_attn",
        "fit", "fit_target", "max_model_len",
    }
)  # fmt: skip
"""Options that change the cache or what is left for it."""

NEUTRAL = frozenset(
    {
        "model", "hf_repo", "hf_file", "threads", "threads_batch", "batch_size", "gpu_layers", "n_gpu_layers", "mlock",
        "split_mode", "tensor_split", "main_gpu", "mmap", "no_mmap", "host", "port", "alias", "jinja", "chat_template",
        "cont_batching", "temp", "seed", "predict", "n_predict", "verbose", "log_disable", "metrics", "slots", "numa",
        "api_key", "rope_scaling", "rope_scale", "rope_freq_base", "rope_freq_scale", "yarn_orig_ctx", "no_warmup",
        "reasoning_format", "timeout",
    }
)  # fmt: skip
"""Options that do not, as long as all layers are on the GPUs."""

ALIASES = {
    "c": "ctx_size",
    "n_ctx": "ctx_size",
    "np": "parallel",
    "n_parallel": "parallel",
    "ub": "ubatch_size",
    "n_ubatch": "ubatch_size",
    "b": "batch_size",
    "n_batch": "batch_size",
    "ctk": "cache_type_k",
    "type_k": "cache_type_k",
    "ctv": "cache_type_v",
    "type_v": "cache_type_v",
    "fa": "flash_attn",
    "kvu": "kv_unified",
    "ngl": "gpu_layers",
    "ts": "tensor_split",
    "sm": "split_mode",
    "m": "model",
    "t": "threads",
}
