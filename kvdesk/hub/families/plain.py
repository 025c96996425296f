"""Uniform decoders: every layer keeps the keys and values of all tokens (Llama and its many kin)."""

from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.families.common import Decoder, heads, layer_count, one_draft


def decoder(view: ConfigView) -> Decoder:
    """Every layer full attention; head_dim is a key of its own."""
    sizes = heads(view)
    layer = (sizes.full(),)
    return sizes.decoder((layer,) * layer_count(view), one_draft(view, layer))


def divided(view: ConfigView) -> Decoder:
    """The same for architectures without a `head_dim` key: always hidden_size / heads."""
    sizes = heads(view, own_head_dim=False)
    layer = (sizes.full(),)
    return sizes.decoder((layer,) * layer_count(view), one_draft(view, layer))
