"""Multi-head latent attention: one latent of kv_lora_rank elements and one rotary key per token, for all heads.

`num_key_value_heads`, `head_dim`, `v_head_dim` and the query's sizes do not matter. Source: transformers
`models/deepseek_v3/modeling_deepseek_v3.py` (the cache holds the compressed latents); vLLM
`transformers_utils/model_arch_config_convertor.py` (head size kv_lora_rank + qk_rope_head_dim, one head).
"""

from kvdesk.core.layers import Mla
from kvdesk.hub.config_view import MAX_LAYERS, ConfigView
from kvdesk.hub.families import plain
from kvdesk.hub.families.common import (
    HIDDEN,
    MAX_DIM,
    MAX_HEADS,
    QUERY_HEADS,
    Decoder,
    layer_count,
    one_draft,
)


def latent(view: ConfigView) -> Mla:
    """The latent of one layer."""
    view.ignore("num_key_value_heads", "head_dim", "v_head_dim", "q_lora_rank", "qk_head_dim")
    # Read for engines: some keep expanded heads of some of these models instead of the latent, and pipeline stages with
    # dense layers hold fewer experts.
    view.integer_or_none("qk_nope_head_dim", minimum=0, maximum=MAX_DIM)
    view.integer_or_none("first_k_dense_replace", minimum=0, maximum=MAX_LAYERS)
    return Mla(
        latent_dim=view.integer("kv_lora_rank", maximum=MAX_DIM),
        rope_dim=view.integer("qk_rope_head_dim", minimum=0, maximum=MAX_DIM),
    )


def decoder(view: ConfigView) -> Decoder:
    """Every layer keeps a latent; plain attention where the file switches MLA off (DeepSeek-VL2-tiny)."""
    found = view.find("kv_lora_rank")
    if not view.flag("use_mla", fallback=True) or (found is not None and found.value is None):
        view.ignore("kv_lora_rank", "qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim", "q_lora_rank")
        return plain.divided(view)
    layer = (latent(view),)
    return Decoder(
        layers=(layer,) * layer_count(view),
        draft_layers=one_draft(view, layer),
        query_heads=view.integer(*QUERY_HEADS, maximum=MAX_HEADS),
        hidden_size=view.integer(*HIDDEN, maximum=MAX_DIM),
    )


def twice(view: ConfigView) -> Decoder:
    """LongCat-Flash: two attention blocks, hence two latents, in each of `num_layers` layers.

    Source: transformers `models/longcat_flash/configuration_longcat_flash.py` (num_hidden_layers = 2 x num_layers).
    """
    count = view.integer("num_layers", maximum=MAX_LAYERS)
    layer = (latent(view),)
    view.ignore("num_hidden_layers")
    return Decoder(
        layers=(layer,) * (2 * count),
        draft_layers=one_draft(view, layer),
        query_heads=view.integer(*QUERY_HEADS, maximum=MAX_HEADS),
        hidden_size=view.integer(*HIDDEN, maximum=MAX_DIM),
    )
