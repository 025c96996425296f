"""What a family gives, and the rules that many families share.

A family is one module with a function `decoder(view) -> Decoder`. It reads the text model's object through a `ConfigView`,
never checks types itself, and cites the modeling code for every rule that is not plain.
"""

from dataclasses import dataclass

from kvdesk.core.geometry import Layer
from kvdesk.core.layers import Full, Sliding
from kvdesk.hub.config_view import MAX_LAYERS, ConfigView


@dataclass(frozen=True, slots=True, kw_only=True)
class Decoder:
    """The decoder of a model: its layers in order, and the draft layers shipped beside them."""

    layers: tuple[Layer, ...]
    draft_layers: tuple[Layer, ...] = ()
    query_heads: int = 0
    hidden_size: int = 0
    encoder_tokens: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Heads:
    """Attention sizes that all layers share."""

    query_heads: int
    kv_heads: int
    key_dim: int
    value_dim: int
    hidden_size: int

    def full(self) -> Full:
        """Full attention of these sizes."""
        return Full(kv_heads=self.kv_heads, key_dim=self.key_dim, value_dim=self.value_dim)

    def sliding(self, window: int) -> Sliding:
        """Sliding attention of these sizes."""
        return Sliding(kv_heads=self.kv_heads, key_dim=self.key_dim, value_dim=self.value_dim, window=window)


LAYERS = ("num_hidden_layers", "num_layers", "n_layer", "n_layers")
QUERY_HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads")
KV_HEADS = ("num_key_value_heads", "num_kv_heads", "n_head_kv", "n_kv_heads", "kv_n_heads", "num_attention_groups")
HIDDEN = ("hidden_size", "n_embd", "d_model", "model_dim")


def layer_count(view: ConfigView) -> int:
    """Decoder layers."""
    return view.integer(*LAYERS, maximum=MAX_LAYERS)


def heads(view: ConfigView) -> Heads:
    """The usual rule: KV heads default to query heads, head_dim to hidden_size / heads."""
    hidden = view.integer(*HIDDEN)
    query = view.integer(*QUERY_HEADS, maximum=2**20)
    kv = view.integer_or(*KV_HEADS, fallback=query, how="num_attention_heads", maximum=2**20)
    dim = head_dim(view, hidden, query)
    return Heads(query_heads=query, kv_heads=kv, key_dim=dim, value_dim=dim, hidden_size=hidden)


def head_dim(view: ConfigView, hidden: int, query: int) -> int:
    """`head_dim` where given, else hidden_size / num_attention_heads."""
    given = view.integer_or_none("head_dim", maximum=2**20)
    if given is not None:
        return given
    if hidden < query:
        view.wrong(
            "head_dim", f"“{view.prefix}head_dim” is missing, and hidden_size {hidden} has no room for {query} heads."
        )
        return 1
    return view.derive("head_dim", hidden // query, "hidden_size / num_attention_heads")
