"""Constants of TensorRT-LLM's PyTorch backend, 1.3.0rc27 to 1.4.0rc4.

Sources: `tensorrt_llm/_torch/pyexecutor/_util.py` at 00043967, `tensorrt_llm/_torch/pyexecutor/resource_manager.py` at
001541ba, `tensorrt_llm/llmapi/llm_args.py` KvCacheConfig.
Permalinks: https://github.com/NVIDIA/TensorRT-LLM/tree/00043967/tensorrt_llm/_torch/pyexecutor
"""

VERSIONS = ("1.4.0",)
TITLE = "TensorRT-LLM"

FREE_FRACTION = 0.9
"""`free_gpu_memory_fraction`: of what is left after weights and activations, not of the card."""

TOKENS_PER_BLOCK = 32
MAX_BATCH = 2048
MAX_TOKENS_PER_PASS = 8192
"""`max_batch_size` and `max_num_tokens`: what the dry run holds."""

TYPES = ("bf16", "fp16", "fp32", "fp8", "nvfp4")
"""Cache formats; FP8 and NVFP4 come from the checkpoint's quantisation or `dtype`, others are refused."""

USED = frozenset(
    {
        "free_gpu_memory_fraction", "tokens_per_block", "max_tokens", "max_attention_window", "dtype", "max_batch_size",
        "max_num_tokens", "max_gpu_total_bytes", "max_model_len",
    }
)  # fmt: skip
"""Options that change the cache or what is left for it."""

NEUTRAL = frozenset(
    {
        "model", "tokenizer", "backend", "tp_size", "pp_size", "ep_size", "tensor_parallel_size", "load_format",
        "trust_remote_code", "pipeline_parallel_size", "enable_block_reuse", "enable_partial_reuse", "host", "port",
        "copy_on_partial_reuse", "max_beam_width", "max_input_len", "reasoning_parser", "log_level", "attn_backend",
        "extra_llm_api_options", "num_postprocess_workers", "enable_chunked_prefill", "disable_overlap_scheduler",
        "moe_config", "event_buffer_max_size", "enable_attention_dp",
    }
)  # fmt: skip
"""Options that do not, or that the layout says."""

ALIASES = {
    "kv_cache_free_gpu_memory_fraction": "free_gpu_memory_fraction",
    "kv_cache_config.free_gpu_memory_fraction": "free_gpu_memory_fraction",
    "kv_cache_config.tokens_per_block": "tokens_per_block",
    "kv_cache_config.max_tokens": "max_tokens",
    "kv_cache_config.max_attention_window": "max_attention_window",
    "kv_cache_config.dtype": "dtype",
    "kv_cache_config.max_gpu_total_bytes": "max_gpu_total_bytes",
    "kv_cache_config.enable_block_reuse": "enable_block_reuse",
    "kv_cache_dtype": "dtype",
    "max_seq_len": "max_model_len",
}
