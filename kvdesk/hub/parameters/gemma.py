"""Gemma 3n and 4: embeddings for each layer, layers that reuse keys and values, larger heads on full layers.

Source: transformers 5.24 `models/gemma4/modeling_gemma4.py`, `models/gemma3n/modeling_gemma3n.py`.
"""

from kvdesk.core.layers import Full, Shared, Sliding
from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.parameters import blocks, head, layout, sizes
from kvdesk.hub.parameters.blocks import MoeTraits
from kvdesk.hub.parameters.tally import Tally


def gemma4(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """Gemma 4: full layers without a value projection where keys are values; experts beside the MLP of every layer."""
    count = sizes.layers(view)
    head.embeddings(view, tally, top=top, tied_default=True)
    attention(view, tally, keys_are_values=view.flag("attention_k_eq_v"))
    shared = sizes.size(view, "num_kv_shared_layers", fallback=0)
    hidden, width = sizes.hidden(view), sizes.size(view, "intermediate_size")
    doubled = shared if view.flag("use_double_wide_mlp") else 0
    blocks.mlp(tally, hidden, width, times=count + doubled)
    norms = 4
    if view.flag("enable_moe_block"):
        experts(view, tally, count)
        norms += 3
    if each_layer_input(view, tally, count):
        norms += 1
    tally.norm(hidden, times=norms * count + 1)


def attention(view: ConfigView, tally: Tally, *, keys_are_values: bool) -> None:
    """Queries and output on every layer, keys and values where the layer keeps its own.

    A layer that reuses another's cache has the shape of its kind, so the pattern is read as if none were shared.
    Engines load keys that are values twice (vLLM 0.33 `model_executor/models/gemma4.py`, `QKVParallelLinear`).
    """
    hidden = sizes.hidden(view)
    query = view.integer(*sizes.QUERY_HEADS, maximum=sizes.MAX_COUNT)
    bias = view.flag("attention_bias")
    owned = layout.decoder(view).layers
    kept = sum(not isinstance(layer[0], Shared) for layer in owned)
    for index, layer in enumerate(layout.unshared(view).layers):
        part = layer[0]
        if not isinstance(part, Full | Sliding):
            continue
        tally.linear("attention", hidden, query * part.key_dim, bias=bias)
        tally.linear("attention", query * part.key_dim, hidden, bias=bias, rows=True)
        tally.norm(part.key_dim)
        if index < kept:
            one = keys_are_values and isinstance(part, Full)
            tally.linear("attention", hidden, part.kv_heads * part.key_dim, bias=bias, times=1 if one else 2)
            if one:
                tally.copy("attention", hidden * part.kv_heads * part.key_dim)
            tally.norm(part.key_dim)


def experts(view: ConfigView, tally: Tally, count: int) -> None:
    """Router with a scale for each input and each expert, and the experts."""
    blocks.moe(view, tally, MoeTraits(experts=("num_experts",), chosen=("top_k_experts",)), times=count)
    tally.vector(sizes.hidden(view) + sizes.size(view, "num_experts"), times=count)


def each_layer_input(view: ConfigView, tally: Tally, count: int) -> bool:
    """The second embedding, which feeds every layer; False where its width is nothing."""
    hidden, width = sizes.hidden(view), sizes.size(view, "hidden_size_per_layer_input", fallback=0)
    if not width:
        return False
    tally.add("embedding", sizes.size(view, "vocab_size_per_layer_input") * count * width)
    tally.linear("mlp", hidden, count * width)
    tally.norm(width)
    tally.linear("mlp", hidden, width, times=2 * count, split=False)
    return True


def gemma3n(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """Gemma 3n: several residual streams (AltUp), a low-rank residual (LAuReL), widths listed layer by layer."""
    count, hidden = sizes.layers(view), sizes.hidden(view)
    head.embeddings(view, tally, top=top, tied_default=True)
    attention(view, tally, keys_are_values=False)
    found = view.find("intermediate_size")
    if found is not None and isinstance(found.value, list):
        widths = view.integers_or_none("intermediate_size", minimum=1, maximum=sizes.MAX_SIZE) or ()
        total = sum(widths[:count]) if sizes.fitting(view, "intermediate_size", widths, count) else 0
    else:
        total = count * sizes.size(view, "intermediate_size")
    blocks.mlp(tally, hidden, total)
    each_layer_input(view, tally, count)
    streams, rank = sizes.size(view, "altup_num_inputs"), sizes.size(view, "laurel_rank")
    tally.linear("altup", hidden, hidden, times=2 * max(0, streams - 1), split=False)
    tally.add("altup", count * (hidden + streams * streams * (1 + streams) + streams * hidden), split=False)
    tally.linear("altup", hidden, rank, times=2 * count, split=False)
    tally.norm(hidden, times=7 * count + 1)
