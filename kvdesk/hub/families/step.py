"""Step 3.5: sliding layers may have heads of their own in `attention_other_setting`.

Source: transformers `models/step3p7/configuration_step3p7.py`; vLLM `model_executor/models/step3p5.py` (groups are KV
heads).
"""

from kvdesk.core.geometry import Layer
from kvdesk.core.values import replace
from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.families.common import MAX_DIM, MAX_HEADS, Decoder, heads, layer_count, one_draft, own_config
from kvdesk.hub.families.patterns import FULL, SLIDING
from kvdesk.hub.families.windowed import kinds


def decoder(view: ConfigView) -> Decoder:
    """By `layer_types`; entries past the last layer describe the draft layers."""
    full = heads(view)
    sliding = full
    other = view.section("attention_other_setting") if view.gives("attention_other_setting") else None
    if other is not None:
        sliding = replace(
            full,
            kv_heads=other.integer_or_none("num_attention_groups", maximum=MAX_HEADS) or full.kv_heads,
            key_dim=other.integer_or_none("head_dim", maximum=MAX_DIM) or full.key_dim,
            value_dim=other.integer_or_none("head_dim", maximum=MAX_DIM) or full.value_dim,
        )
    view.ignore("num_sliding_attention_heads", "per_layer_config")
    types = kinds(view, layer_count(view), rule="step3p5")
    own = own_config(view, types.index(SLIDING)) if SLIDING in types and view.gives("per_layer_config") else None
    if own is not None:
        dim = own.integer_or_none("head_dim", maximum=MAX_DIM) or sliding.key_dim
        count = own.integer_or_none("num_key_value_heads", maximum=MAX_HEADS) or sliding.kv_heads
        sliding = replace(sliding, kv_heads=count, key_dim=dim, value_dim=dim)
    window = view.integer("sliding_window") if SLIDING in types else 1
    made: dict[str, Layer] = {FULL: (full.full(),), SLIDING: (sliding.sliding(window),)}
    return full.decoder([made[kind] for kind in types], one_draft(view, made[FULL]))
