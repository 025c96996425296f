"""The sizes that formulas need, read by their usual keys."""

from collections.abc import Sequence

from kvdesk.core.values import dataclass
from kvdesk.hub.config_view import MAX_LAYERS, ConfigView

MAX_SIZE = 2**32
MAX_COUNT = 2**20
HIDDEN = ("hidden_size", "n_embd", "n_embed", "d_model", "model_dim", "dim")
LAYERS = ("num_hidden_layers", "num_layers", "n_layer", "n_layers")
QUERY_HEADS = ("num_attention_heads", "n_head", "n_heads", "num_heads")
KV_HEADS = ("num_key_value_heads", "num_kv_heads", "n_head_kv", "n_kv_heads", "num_attention_groups")
WIDTH = ("intermediate_size", "ffn_hidden_size", "n_inner", "ffn_dim", "d_ff")
EXPERTS = ("n_routed_experts", "num_experts", "num_local_experts", "moe_num_experts")
CHOSEN = ("num_experts_per_tok", "num_experts_per_token", "moe_k", "moe_top_k", "top_k_experts", "moe_topk")
EXPERT_WIDTH = ("moe_intermediate_size", "intermediate_size")

Rule = bool | str
"""A property of an architecture: fixed, or the key that says it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Heads:
    """Attention sizes of one layer."""

    query: int
    kv: int
    key_dim: int
    value_dim: int


def hidden(view: ConfigView) -> int:
    """Width of the residual stream."""
    return view.integer(*HIDDEN, maximum=MAX_SIZE)


def layers(view: ConfigView) -> int:
    """Decoder layers."""
    return view.integer(*LAYERS, maximum=MAX_LAYERS)


def encoder_layers(view: ConfigView) -> int:
    """Encoder layers; `num_hidden_layers` beside `encoder_layers` wins, since transformers sets the alias last."""
    if view.defaults is not None and view.defaults.aliases.get("num_hidden_layers") == "encoder_layers":
        alias = view.raw("num_hidden_layers")
        if isinstance(alias, int) and 1 <= alias <= MAX_LAYERS:
            return alias
    return view.integer("encoder_layers", "num_hidden_layers", maximum=MAX_LAYERS)


def vocabulary(view: ConfigView) -> int:
    """Rows of the embedding."""
    return view.integer("vocab_size", "padded_vocab_size", maximum=MAX_SIZE)


def size(view: ConfigView, *keys: str, fallback: int | None = None, minimum: int = 0) -> int:
    """A size that must be there, or `fallback` where it is absent or null."""
    value = view.integer_or_none(*keys, minimum=minimum, maximum=MAX_SIZE)
    if value is not None:
        return value
    if fallback is None:
        view.missing(keys[0])
        return 0
    return fallback


def first(view: ConfigView, *keys: str, fallback: int | None = None) -> int:
    """The size under the first of `keys` that file or class give: keys that mean different things, in order."""
    for key in keys:
        value = view.integer_or_none(key, minimum=0, maximum=MAX_SIZE)
        if value is not None:
            return value
    return size(view, keys[0], fallback=fallback)


def most(view: ConfigView, *keys: str, fallback: int) -> int:
    """A size, or the largest of a list by layer (Hunyuan)."""
    found = view.find(*keys)
    if found is not None and isinstance(found.value, list):
        return max(view.integers_or_none(*keys, maximum=MAX_SIZE) or (fallback,))
    return size(view, *keys, fallback=fallback)


def heads(view: ConfigView) -> Heads:
    """The usual rule: KV heads default to query heads, head_dim to hidden_size / heads."""
    query = view.integer(*QUERY_HEADS, maximum=MAX_COUNT)
    kv = view.integer_or_none(*KV_HEADS, maximum=MAX_COUNT) or query
    dim = view.integer_or_none("head_dim", "attention_head_dim", maximum=MAX_SIZE) or hidden(view) // query
    return Heads(query=query, kv=kv, key_dim=dim, value_dim=dim)


def holds(view: ConfigView, rule: Rule) -> bool:
    """Whether `rule` holds for this model."""
    return rule if isinstance(rule, bool) else view.flag(rule)


def fitting(view: ConfigView, key: str, values: Sequence[object], count: int) -> bool:
    """Whether a per-layer list covers `count` layers; a fault where it is shorter."""
    if len(values) >= count:
        return True
    view.wrong(key, f"“{view.prefix}{key}” lists {len(values)} layers, the model has {count}.")
    return False
