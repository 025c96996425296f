"""What the keys of config.json are called in the window. A key without a name is shown as it stands."""

NAMES = {
    "num_hidden_layers": "Layers",
    "num_key_value_heads": "KV heads",
    "num_attention_heads": "Query heads",
    "head_dim": "Head dim",
    "v_head_dim": "Value dim",
    "hidden_size": "Hidden size",
    "vocab_size": "Vocabulary",
    "max_position_embeddings": "Longest context",
    "sliding_window": "Window",
    "layer_types": "Layer types",
    "kv_lora_rank": "Latent rank",
    "qk_rope_head_dim": "RoPE dim",
    "qk_nope_head_dim": "Key dim without RoPE",
    "index_head_dim": "Indexer dim",
    "torch_dtype": "Model format",
    "dtype": "Model format",
    "architectures": "Architecture",
    "num_nextn_predict_layers": "Draft layers",
    "intermediate_size": "MLP width",
    "moe_intermediate_size": "Expert width",
    "n_routed_experts": "Routed experts",
    "num_experts": "Routed experts",
    "num_local_experts": "Routed experts",
    "num_experts_per_tok": "Experts per token",
    "linear_num_key_heads": "State key heads",
    "linear_num_value_heads": "State value heads",
    "linear_key_head_dim": "State key dim",
    "linear_value_head_dim": "State value dim",
    "linear_conv_kernel_dim": "Convolution kernel",
    "full_attention_interval": "Full attention every",
}

FIRST = ("num_hidden_layers", "num_key_value_heads", "head_dim", "kv_lora_rank", "qk_rope_head_dim", "sliding_window")
"""What is shown before the rest, in this order."""


def title(key: str) -> str:
    """The name of a key path; the last part decides."""
    return NAMES.get(key.rpartition(".")[2], key.rpartition(".")[2])


def rank(key: str) -> tuple[int, bool]:
    """Sorts the deciding keys first; others keep their order."""
    last = key.rpartition(".")[2]
    return (FIRST.index(last) if last in FIRST else len(FIRST), last not in NAMES)
