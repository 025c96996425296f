"""Nemotron-NAS and DeciLM: every layer has attention of its own, or none.

`block_configs[i].attention` says `no_op` or `replace_with_linear` (no cache), else `n_heads_in_group` query heads per
KV head, and maybe `window_length`. Source: the checkpoint's own `configuration_decilm.py`, vLLM
`model_executor/models/nemotron_nas.py`.
"""

from kvdesk.core.geometry import Layer
from kvdesk.core.layers import NoCache
from kvdesk.core.values import replace
from kvdesk.hub.config_view import MAX_LAYERS, ConfigView
from kvdesk.hub.families.common import (
    HIDDEN,
    LAYERS,
    MAX_DIM,
    MAX_HEADS,
    QUERY_HEADS,
    Decoder,
    Heads,
    head_dim,
)


def decoder(view: ConfigView) -> Decoder:
    """Layer by layer."""
    hidden = view.integer(*HIDDEN, maximum=MAX_DIM)
    query = view.integer(*QUERY_HEADS, maximum=MAX_HEADS)
    dim = head_dim(view, hidden, query)
    sizes = Heads(query_heads=query, kv_heads=query, key_dim=dim, value_dim=dim, hidden_size=hidden)
    view.ignore("num_key_value_heads")
    counts = view.integers_or_none("num_key_value_heads_per_layer", minimum=1, maximum=MAX_HEADS)
    if counts is not None:
        return sizes.decoder([(replace(sizes, kv_heads=n).full(),) for n in counts[:MAX_LAYERS]])
    blocks = view.objects_or_none("block_configs") or ()
    count = view.integer(*LAYERS, maximum=MAX_LAYERS)
    if len(blocks) != count:
        view.wrong(
            "block_configs", f"“{view.prefix}block_configs” describes {len(blocks)} layers, the model has {count}."
        )
        return sizes.decoder([(sizes.full(),)])
    return sizes.decoder([_layer(block, sizes) for block in blocks])


def _layer(block: ConfigView, sizes: Heads) -> Layer:
    attention = block.section("attention")
    if attention is None:
        block.missing("attention")
        return (NoCache(),)
    if attention.flag("no_op") or attention.flag("replace_with_linear"):
        return (NoCache(),)
    kv = attention.integer_or_none("num_key_value_heads", maximum=MAX_HEADS)
    if kv is None:
        group = attention.integer("n_heads_in_group", maximum=MAX_HEADS)
        if sizes.query_heads % group:
            attention.wrong(
                "n_heads_in_group", f"“{attention.prefix}n_heads_in_group” {group} does not divide the heads."
            )
        kv = max(1, sizes.query_heads // group)
    own = replace(sizes, kv_heads=kv)
    window = attention.integer_or_none("window_length")
    return (own.sliding(window),) if window else (own.full(),)
