"""Constants of SGLang 0.5.23, each with its place in the package (`python/sglang/srt/`).

Permalinks: https://github.com/sgl-project/sglang/tree/v0.5.23/python/sglang/srt
"""

from kvdesk.core.values import dataclass

VERSIONS = ("0.5.23",)
TITLE = "SGLang"

SWA_FULL_TOKENS_RATIO = 0.8
"""Window tokens per full token. `arg_groups/fields/schedule.py` swa_full_tokens_ratio."""

MAMBA_FULL_MEMORY_RATIO = 0.9
"""Bytes of state slots per byte of keys and values. `arg_groups/fields/schedule.py` mamba_full_memory_ratio."""

MAMBA_SLOTS_PER_REQUEST = 3
"""State slots of one running request with the prefix cache; 1 without.
`mem_cache/kv_cache_configurator.py` MAMBA_CACHE_SIZE_MAX_RUNNING_REQUESTS_RATIO."""

MULTIMODAL_RESERVATION_MIB = 100
"""Held back from the pool for the embedding cache of multimodal models. `environ.py` SGLANG_VLM_CACHE_SIZE_MB."""

META_DATA_MIB = 512
FLOOR_MIB = 10 * 1024
FLOOR_ABOVE_MIB = 60 * 1024
MLA_PREFILL_GRAPHS_MIB = 1536
DEEPEP_MIB = 2048
"""`arg_groups/memory_hook.py` handle_gpu_memory_settings, reserve_for_graph_mb, reserve_for_deepep_a2a_mb."""

VISION_FACTOR = 0.95
VISION_BASELINE = 24 * 1024**2
"""Layers x hidden size^2 of the vision tower that the factor was made for. `arg_groups/memory_hook.py`
adjust_mem_fraction_for_vlm."""

RUNNING_LEAST, RUNNING_MOST, RUNNING_PER_CONTEXT = 2048, 4096, 512
"""Limits of max_running_requests. `mem_cache/kv_cache_configurator.py` resolve_max_num_reqs."""

SPLIT_WINDOW_ARCHITECTURES = frozenset(
    {
        "BeamForCausalLM",
        "Llama4ForConditionalGeneration",
        "GptOssForCausalLM",
        "GraniteSWAForCausalLM",
        "GraniteMoeSWAForCausalLM",
        "IQuestQ1ForCausalLM",
        "MiMoV2ForCausalLM",
        "MiMoV2FlashForCausalLM",
        "Step3p5ForCausalLM",
        "Step3p7ForConditionalGeneration",
        "Gemma4ForCausalLM",
        "Gemma4ForConditionalGeneration",
        "Gemma4UnifiedForConditionalGeneration",
        "DiffusionGemmaForBlockDiffusion",
        "LagunaForCausalLM",
        "MellumForCausalLM",
        "MuseGlimmerForCausalLM",
        "MuseGlimmerForConditionalGeneration",
        "InklingForConditionalGeneration",
        "UnlimitedOCRForCausalLM",
    }
)
"""Architectures whose windows get a pool of their own; all others hold every token in every layer.
`configs/model_config.py` is_hybrid_swa_model."""

LOW_RATIO_ARCHITECTURES = frozenset({"InklingForConditionalGeneration"})
LOW_RATIO = 0.1
"""`arg_groups/model_overrides/inkling.py`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryClass:
    """Defaults for devices below `below_mib` of memory as nvidia-smi reports it."""

    below_mib: int
    chunked_prefill: int
    graph_batch: int
    graph_batch_tp4: int


CLASSES = (
    MemoryClass(below_mib=20 * 1024, chunked_prefill=2048, graph_batch=8, graph_batch_tp4=8),
    MemoryClass(below_mib=35 * 1024, chunked_prefill=4096, graph_batch=48, graph_batch_tp4=160),
    MemoryClass(below_mib=60 * 1024, chunked_prefill=4096, graph_batch=32, graph_batch_tp4=160),
    MemoryClass(below_mib=160 * 1024, chunked_prefill=8192, graph_batch=256, graph_batch_tp4=512),
    MemoryClass(below_mib=1 << 40, chunked_prefill=16384, graph_batch=512, graph_batch_tp4=512),
)
"""`arg_groups/memory_hook.py` handle_gpu_memory_settings."""

USED = frozenset(
    {
        "mem_fraction_static", "chunked_prefill_size", "cuda_graph_max_bs", "disable_cuda_graph", "max_total_tokens",
        "max_running_requests", "page_size", "kv_cache_dtype", "swa_full_tokens_ratio", "mamba_full_memory_ratio",
        "max_mamba_cache_size", "disable_radix_cache", "context_length", "max_model_len", "attention_backend",
        "speculative_algorithm", "moe_a2a_backend", "disable_hybrid_swa_memory", "enable_dp_attention",
    }
)  # fmt: skip
"""Options that change the cache or its budget."""

NEUTRAL = frozenset(
    {
        "model_path", "tokenizer_path", "tokenizer_mode", "load_format", "trust_remote_code", "dtype", "quantization",
        "tp_size", "pp_size", "dp_size", "ep_size", "host", "port", "served_model_name", "chat_template", "log_level",
        "random_seed", "schedule_policy", "schedule_conservativeness", "max_prefill_tokens", "stream_interval",
        "tool_call_parser", "reasoning_parser", "sampling_backend", "grammar_backend", "enable_metrics", "api_key",
        "disable_overlap_schedule", "enable_mixed_chunk", "disable_chunked_prefix_cache", "watchdog_timeout",
        "skip_server_warmup", "download_dir", "base_gpu_id", "node_rank", "nnodes", "dist_init_addr",
        "moe_runner_backend",
        "disable_cuda_graph_padding", "enable_torch_compile", "speculative_num_steps", "speculative_eagle_topk",
        "speculative_num_draft_tokens", "speculative_draft_model_path", "mm_attention_backend", "decode_log_interval",
        "prefill_attention_backend", "decode_attention_backend", "disable_custom_all_reduce", "enable_multimodal",
    }
)  # fmt: skip
"""Options that do not change how many tokens fit, or that the layout says."""
