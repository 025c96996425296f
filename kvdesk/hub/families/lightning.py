"""Ling 2.5 and Ring-linear: lightning attention, with a latent or plain attention on every `layer_group_size`-th layer.

Source: the checkpoints' own `modeling_bailing_moe_linear.py`, `modeling_bailing_moe_v2_5.py` (layers past the last
whole group are full too); vLLM `model_executor/models/bailing_moe_linear.py`.
"""

from kvdesk.core.geometry import Layer
from kvdesk.core.states import LightningAttention
from kvdesk.hub.config_view import MAX_LAYERS, ConfigView
from kvdesk.hub.families.common import Decoder, heads, layer_count, one_draft
from kvdesk.hub.families.mla import latent
from kvdesk.hub.families.states import model_format


def decoder(view: ConfigView) -> Decoder:
    """By group."""
    sizes = heads(view)
    count = layer_count(view)
    group = view.integer("layer_group_size", maximum=MAX_LAYERS)
    model = model_format(view)
    part = LightningAttention(
        heads=sizes.query_heads, head_dim=sizes.key_dim, conv_format=model, recurrent_format=model
    )
    full: Layer = (latent(view),) if view.gives("kv_lora_rank") else (sizes.full(),)
    whole = count // group * group
    layers: list[Layer] = [full if (i + 1) % group == 0 or i >= whole else (part,) for i in range(count)]
    return sizes.decoder(layers, one_draft(view, full))
