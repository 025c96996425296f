"""Keys that look as if they changed the cache but were not read."""

import re
from collections.abc import Iterator

from kvdesk.core.errors import RefusalError
from kvdesk.hub.config_view import ConfigView

_WORDS_TABLE = """
    window windows sliding swa sparse sparsity compress compressed compression compressor share shared sharing latent
    lora state states ssm mamba conv recurrent linear chunk chunked index indexer kv mtp nextn hybrid pattern cla
    cross block blocks landmark memory sink sinks stride dilated local global evict eviction retention yoco
"""
WORDS = frozenset(_WORDS_TABLE.split())
"""Words in a key's name that speak of the cache."""
_GENERIC_TABLE = """
    add_cross_attention chunk_size_feed_forward cross_attention_hidden_size decoder_sparse_step encoder_sparse_step
    gradient_checkpointing linear_bias mlp_linear_bias num_hidden_layers output_hidden_states pre_allocate_kv_cache
    qkv_bias residual_in_fp32 share_encoder_decoder_embeddings share_input_output_embed tie_weights use_cache
    use_linear_bias
"""
GENERIC = frozenset(_GENERIC_TABLE.split())
"""Keys with such a word that never matter to a cache."""
_HARMLESS_TABLE = """
    attention_sink_suppression attn_logit_softcapping attn_res_block_size block_auto_adjust_ff_dim block_dim
    block_ff_dim block_ffn_dim_multiplier block_mlp_init_scale block_multiple_of block_norm_eps block_out_init_scale
    block_use_swiglu block_use_xavier_init conv_bias encoder_attention_type full_attn_alpha_factor global_block_size
    hidden_mamba_act index_n_heads index_topk insert_layer_id keep_window_size key_value_binding_sharpening
    layernorm_num_groups linear_a_log_max linear_attn_alpha_factor linear_attn_beta_factor linear_dt_init_floor
    linear_dt_max linear_dt_min local_radius mamba_bias mamba_conv_bias mamba_dt_rank mamba_hidden_act
    mamba_norm_before_gate mamba_proj_bias mamba_rms_norm mamba_ssm_dtype mamba_use_mlp
    moe_shared_expert_intermediate_size mtp_transformer_layers mtp_use_dedicated_embeddings
    n_layers_per_attn_res_block no_rope_layer_interval num_mem_blocks resampler_num_latents rope_local_base_freq
    router_block seconds_per_chunk share_q_dim spatial_conv_size spatial_pool_stride speech_lora swa_rope_theta
    temporal_conv_size use_block_mlp use_conv_bias use_mamba_kernels use_shared_attention_adapter
"""
HARMLESS = frozenset(_HARMLESS_TABLE.split())
"""Keys with such a word that do not matter to the cache of the architectures that have them."""
HARMLESS_PARTS = (
    "expert",
    "token_id",
    "token_index",
    "_token_type",
    "embed",
    "image",
    "vision",
    "video",
    "audio",
    "rope",
    "nope",
    "rotary",
    "dropout",
    "bias",
    "initializer",
    "norm_",
    "_norm",
    "lora_alpha",
    "lora_main",
    "lora_adaptations",
    "shared_intermediate",
    "moe_",
    "act_mode",
    "loss",
    "mm_",
    "kernels",
    "multiplier",
    "ignore_index",
    "view_pos",
)
STEMS = ("window", "sparse", "compress", "latent", "chunk", "mamba", "sliding", "recurrent", "indexer", "kvcache")
"""Parts of words that speak of the cache wherever they stand (`slidingWindow`, `windowsize`)."""
PLAIN_KINDS = frozenset({"full_attention", "attention", "full", "global", "softmax"})
OUTER = frozenset({"sliding", "swa", "kv", "ssm", "mamba", "indexer", "mtp", "nextn"})
"""Words that speak of the language model's cache even beside its object; windows there belong to vision or audio."""
MOST_KEYS = 5000
"""In one object of a config; the largest seen has 200."""
_INACTIVE: tuple[object, ...] = (None, False, 0, 1, "", "none", "None")
_KIND_KEY = (
    r"(attn|attention|layer|block)s?_?(\w*_)?(types?|patterns?|kinds?|idxs?|indices|interval|period|freq)(_|$|[A-Z])"
)


def unused(view: ConfigView, *, strict: bool = False) -> Iterator[str]:
    """Paths in `view`'s object whose names speak of the cache, whose values are active, and that nobody read.

    `strict` is for model types that nobody knows: keys that are harmless in known architectures count too.
    """
    given = view.keys()
    if len(given) > MOST_KEYS:
        raise RefusalError(
            "too-many-keys",
            f"{view.label[:1].upper()}{view.label[1:]} has {len(given):,} keys in one object.",
            f"No config has more than {MOST_KEYS:,}, and what they mean cannot be checked.",
            "Check the file.",
        )
    for key in given:
        path = view.prefix + key
        if path in view.reading.used or not looks_relevant(key, strict=strict):
            continue
        value = view.raw(key)
        if _inactive(value) or _said_elsewhere(view, key, value):
            continue
        yield path


def unused_beside(root: ConfigView) -> Iterator[str]:
    """The same for the keys of a multimodal config beside its language model's object."""
    for path in unused(root):
        if OUTER.intersection(_words(path)):
            yield path


def looks_relevant(key: str, *, strict: bool = False) -> bool:
    """Whether the name of `key` speaks of the cache."""
    lowered = key.lower()
    if lowered in GENERIC or any(part in lowered for part in HARMLESS_PARTS) or (not strict and lowered in HARMLESS):
        return False
    if any(stem in lowered for stem in STEMS) or not WORDS.isdisjoint(_words(key)):
        return True
    return re.search(_KIND_KEY, key) is not None and not lowered.startswith(("mlp", "ffn"))


def _words(key: str) -> set[str]:
    """The words of `some_key` and `someKey`, in lower case."""
    return set("".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in key).split("_"))


def _inactive(value: object) -> bool:
    """Whether a value says that there is nothing of the kind."""
    if isinstance(value, list):
        alike = all(isinstance(item, int) and item == value[0] for item in value)
        return alike or all(item is None or (isinstance(item, str) and item in PLAIN_KINDS) for item in value)
    return value in _INACTIVE or value == {}


def _said_elsewhere(view: ConfigView, key: str, value: object) -> bool:
    """Whether a value that was read has one of the same words in its name and is the same (`sliding_window_size`)."""
    words = WORDS.intersection(_words(key))
    facts = view.reading.facts.items()
    return any(fact.value == value and words.intersection(_words(path)) for path, fact in facts)
