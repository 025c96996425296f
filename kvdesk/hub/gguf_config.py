"""The metadata of a GGUF file under the names of a config.json, so that one reader serves both.

Only architectures whose keys say all that the cache depends on are translated; the names are those of llama.cpp's
`gguf-py/gguf/constants.py` and `convert_hf_to_gguf.py`.
"""

from collections.abc import Mapping

from kvdesk.core.errors import RefusalError
from kvdesk.core.json_value import JsonValue
from kvdesk.core.values import dataclass
from kvdesk.hub.gguf import Header, Value

ARCHITECTURES: Mapping[str, str] = {
    "llama": "llama",
    "qwen2": "qwen2",
    "qwen2moe": "qwen2_moe",
    "qwen3": "qwen3",
    "qwen3moe": "qwen3_moe",
    "qwen3next": "qwen3_next",
    "gemma": "gemma",
    "gemma2": "gemma2",
    "gemma3": "gemma3_text",
    "phi3": "phi3",
    "gpt-oss": "gpt_oss",
    "deepseek2": "deepseek_v3",
    "glm4": "glm4",
    "glm4moe": "glm4_moe",
    "granite": "granite",
    "olmo2": "olmo2",
    "smollm3": "smollm3",
    "starcoder2": "starcoder2",
    "command-r": "cohere",
    "exaone": "exaone",
    "stablelm": "stablelm",
}
"""`general.architecture` -> `model_type`."""


@dataclass(frozen=True, slots=True)
class _Keys:
    """The keys of one architecture."""

    header: Header
    architecture: str

    def get(self, name: str) -> Value | None:
        return self.header.values.get(f"{self.architecture}.{name}")

    def integer(self, name: str) -> int | None:
        """A whole number, or a list of equal ones; None where it is absent."""
        value = self.get(name)
        if value is None:
            return None
        items = set(value) if isinstance(value, tuple) else {value}
        if len(items) == 1 and isinstance(item := items.pop(), int) and not isinstance(item, bool) and item >= 0:
            return item
        raise _refusal(
            f"Its key {self.architecture}.{name} differs from layer to layer." if items else f"{name} is not a number."
        )

    def needed(self, name: str) -> int:
        value = self.integer(name)
        if value is None:
            raise _refusal(f"Its key {self.architecture}.{name} is missing.")
        return value


def to_config(header: Header) -> dict[str, JsonValue]:
    """The keys of a config.json; raises `RefusalError` (`unknown-architecture`) for what is not known."""
    architecture = header.values.get("general.architecture")
    model_type = ARCHITECTURES.get(architecture) if isinstance(architecture, str) else None
    if not isinstance(architecture, str) or model_type is None:
        raise _refusal(f"Its architecture “{str(architecture)[:40]}” is not known from a GGUF header.")
    keys = _Keys(header, architecture)
    if architecture == "llama" and keys.integer("expert_count"):
        model_type = "mixtral"
    config: dict[str, JsonValue] = {"model_type": model_type, "torch_dtype": "float16"}
    config |= _common(keys)
    if architecture == "deepseek2":
        config |= _latent(keys)
    elif architecture == "qwen3next":
        config |= _delta(keys)
    elif architecture == "phi3":
        # The class's default is none, but a header without the key has none either.
        config["sliding_window"] = keys.integer("attention.sliding_window") or None
    elif (window := keys.integer("attention.sliding_window")) is not None:
        config["sliding_window"] = window
    return config


def _common(keys: _Keys) -> dict[str, JsonValue]:
    heads = keys.needed("attention.head_count")
    hidden = keys.needed("embedding_length")
    found: dict[str, int | None] = {
        "num_hidden_layers": keys.needed("block_count") - (keys.integer("nextn_predict_layers") or 0),
        "hidden_size": hidden,
        "num_attention_heads": heads,
        "num_key_value_heads": heads if (kv := keys.integer("attention.head_count_kv")) is None else kv,
        "head_dim": keys.integer("attention.key_length") or (hidden // heads if heads else None),
        "intermediate_size": keys.integer("feed_forward_length"),
        "max_position_embeddings": keys.integer("context_length"),
        "vocab_size": keys.integer("vocab_size") or keys.header.lengths.get("tokenizer.ggml.tokens"),
        "moe_intermediate_size": keys.integer("expert_feed_forward_length"),
        "num_experts": keys.integer("expert_count") or None,
        "num_experts_per_tok": keys.integer("expert_used_count") or None,
    }
    width = keys.integer("attention.value_length")
    if keys.architecture != "deepseek2" and width is not None and width != found["head_dim"]:
        raise _refusal("Its keys and values differ in width.")
    return {key: value for key, value in found.items() if value is not None}


def _latent(keys: _Keys) -> dict[str, JsonValue]:
    """DeepSeek: llama.cpp keeps latents only for files that were converted with them."""
    key, value = keys.integer("attention.key_length_mla"), keys.integer("attention.value_length_mla")
    rope = keys.needed("rope.dimension_count")
    if key is None or value is None or key <= rope:
        raise _refusal("It was converted before llama.cpp kept latents, so its cache is another one than the model's.")
    config: dict[str, JsonValue] = {
        "kv_lora_rank": keys.needed("attention.kv_lora_rank"),
        "q_lora_rank": keys.integer("attention.q_lora_rank"),
        "qk_rope_head_dim": rope,
        "qk_nope_head_dim": key - rope,
        "v_head_dim": value,
        "num_key_value_heads": keys.needed("attention.head_count"),
    }
    return config


def _delta(keys: _Keys) -> dict[str, JsonValue]:
    """Qwen3-Next: the state's shape hides under the keys of state-space models."""
    heads = keys.needed("ssm.time_step_rank")
    return {
        "linear_conv_kernel_dim": keys.needed("ssm.conv_kernel"),
        "linear_key_head_dim": keys.needed("ssm.state_size"),
        "linear_num_key_heads": keys.needed("ssm.group_count"),
        "linear_num_value_heads": heads,
        "linear_value_head_dim": keys.needed("ssm.inner_size") // heads if heads else 0,
        "full_attention_interval": keys.integer("full_attention_interval") or 4,
    }


def _refusal(why: str) -> RefusalError:
    return RefusalError(
        "unknown-architecture",
        "This GGUF file cannot be sized from its header.",
        why,
        "Give the config.json or the Hub id of the model that it was made from.",
    )
