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


PARTS = {"vision": "Vision", "visual": "Vision", "audio": "Audio", "speech": "Audio", "encoder": "Encoder"}
"""What the parts of a model beside the text model are called, by a word in the name of their object."""


def title(key: str) -> str:
    """The name of a key path: its last part, after the part of the model that it belongs to. `vision_config.depth`."""
    last = key.rpartition(".")[2]
    name, part = NAMES.get(last, last), part_of(key)
    return f"{part} {name if name[1:2].isupper() else name[:1].lower() + name[1:]}" if part else name


def part_of(key: str) -> str:
    """The part of the model, such as "Vision", that a key path leads into; "" for the text model."""
    words = key.rpartition(".")[0].replace(".", "_").split("_")
    return next((PARTS[word] for word in words if word in PARTS), "")


def rank(key: str) -> tuple[bool, int, bool]:
    """Sorts the text model first and in it the deciding keys; others keep their order."""
    last = key.rpartition(".")[2]
    return (bool(part_of(key)), FIRST.index(last) if last in FIRST else len(FIRST), last not in NAMES)
