"""Uniform decoders: every layer keeps the keys and values of all tokens (Llama and its many kin)."""

from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.families.common import Decoder, heads, layer_count


def decoder(view: ConfigView) -> Decoder:
    """Every layer full attention."""
    sizes = heads(view)
    return Decoder(
        layers=((sizes.full(),),) * layer_count(view),
        query_heads=sizes.query_heads,
        hidden_size=sizes.hidden_size,
    )
