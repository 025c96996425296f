"""The names of vLLM's options: `vllm serve` and `EngineArgs` of 0.33.0 (`engine/arg_utils.py`) and of older versions.

Sets of names only. `USED` change the numbers here, `NEUTRAL` change nothing that is sized, `UNMODELLED` change the
cache's layout in ways that are not worked out: with one of them no number is given. `APPROXIMATE` leave the layout as
it is but move the memory left for the cache, which is not worked out.
"""


def _names(text: str) -> frozenset[str]:
    return frozenset(text.split())


USED = _names(
    """
    max_model_len max_num_batched_tokens max_num_seqs block_size gpu_memory_utilization kv_cache_memory_bytes
    num_gpu_blocks_override enable_prefix_caching kv_cache_dtype kv_cache_dtype_skip_layers
    disable_hybrid_kv_cache_manager speculative_config mamba_cache_dtype mamba_ssm_cache_dtype dtype
    async_scheduling enable_chunked_prefill enable_expert_parallel enforce_eager performance_mode attention_backend
    gdn_prefill_backend kda_prefill_backend tensor_parallel_size pipeline_parallel_size data_parallel_size
    decode_context_parallel_size spec_method spec_model spec_tokens
    """
)

UNMODELLED = _names(
    """
    prefill_context_parallel_size use_replayssm diffusion_config disable_sliding_window mamba_block_size
    hf_overrides kv_transfer_config model_class_overrides engram_config mamba_cache_mode runner convert task
    """
)

APPROXIMATE = _names(
    """
    enable_lora cpu_offload_gb cpu_offload_params offload_group_size mm_ipc_gpu_memory_gb enable_dbo
    attention_config additional_config
    """
)

NEUTRAL = _names(
    """
    model tokenizer served_model_name revision code_revision tokenizer_revision hf_token hf_config_path
    config_format tokenizer_mode skip_tokenizer_init trust_remote_code allowed_local_media_path
    allowed_media_domains download_dir load_format model_weights ignore_patterns model_loader_extra_config
    safetensors_load_strategy use_tqdm_on_load pt_load_map_location seed quantization quantization_config
    allow_deprecated_quantization model_impl distributed_executor_backend max_parallel_loading_workers
    ray_workers_use_nsight worker_cls worker_extension_cls master_addr master_port nnodes node_rank
    distributed_timeout_seconds device device_ids numa_bind numa_bind_nodes numa_bind_cpus data_parallel_rank
    data_parallel_start_rank data_parallel_size_local data_parallel_address data_parallel_rpc_port
    data_parallel_hybrid_lb data_parallel_external_lb data_parallel_backend dcp_comm_backend
    dcp_kv_cache_interleave_size cp_kv_cache_interleave_size dcp_q_replicate moe_backend linear_backend
    all2all_backend enable_eplb eplb_config expert_placement_strategy disable_custom_all_reduce disable_cascade_attn
    prefix_caching_hash_algo prefix_cache_retention_interval prefix_match_unit max_num_scheduled_tokens
    long_prefill_token_threshold max_num_partial_prefills max_long_partial_prefills max_logprobs logprobs_mode
    disable_log_stats disable_log_requests enable_log_requests aggregate_engine_logging scheduling_policy
    scheduler_cls stream_interval watermark structured_outputs_config guided_decoding_backend reasoning_parser
    enable_reasoning reasoning_config generation_config override_generation_config logits_processors
    logits_processor_pattern limit_mm_per_prompt language_model_only enable_mm_embeds interleave_mm_strings
    media_io_kwargs mm_processor_kwargs mm_processor_cache_gb mm_processor_cache_type mm_encoder_tp_mode
    mm_encoder_attn_backend mm_encoder_only skip_mm_profiling video_pruning_rate enable_prompt_embeds
    disable_chunked_mm_input max_loras max_lora_rank max_cpu_loras lora_dtype lora_modules lora_target_modules
    fully_sharded_loras default_mm_loras compilation_config cudagraph_capture_sizes max_cudagraph_capture_size
    cuda_graph_sizes max_seq_len_to_capture optimization_level kernel_config mamba_backend
    enable_flashinfer_autotune otlp_traces_endpoint collect_detailed_traces kv_cache_metrics kv_cache_metrics_sample
    cudagraph_metrics show_hidden_metrics_for_version enable_layerwise_nvtx_tracing profiler_config logging_config
    log_level kv_events_config ec_transfer_config kv_offloading_size kv_offloading_backend kv_sharing_fast_prefill
    swa_bounded_replay enable_sleep_mode calculate_kv_scales replayssm_buffer_len mamba_ssu_algorithm swap_space
    preemption_mode num_scheduler_steps use_v2_block_manager multi_step_stream_outputs rope_scaling rope_theta
    tokens_only shutdown_timeout pooler_config host port uds uvicorn_log_level disable_uvicorn_access_log
    allow_credentials allowed_origins allowed_methods allowed_headers api_key chat_template
    chat_template_content_format trust_request_chat_template default_chat_template_kwargs response_role ssl_keyfile
    ssl_certfile ssl_ca_certs ssl_cert_reqs enable_ssl_refresh root_path middleware return_tokens_as_token_ids
    disable_frontend_multiprocessing enable_request_id_headers enable_auto_tool_choice
    exclude_tools_when_tool_choice_none tool_call_parser tool_parser_plugin tool_server disable_fastapi_docs
    enable_prompt_tokens_details enable_server_load_tracking enable_force_include_usage
    enable_tokenizer_info_endpoint api_server_count headless config max_log_len log_config_file log_error_stack
    """
)
