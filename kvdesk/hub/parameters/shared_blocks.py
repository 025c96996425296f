"""Zamba 1 and 2: state-space layers, some of which are preceded by a transformer block whose weights they share.

Source: transformers 5.24 `models/zamba/modeling_zamba.py`, `models/zamba2/modeling_zamba2.py`.
"""

from kvdesk.core.layers import Attention
from kvdesk.core.states import Mamba1, Mamba2
from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.parameters import blocks, head, layout, sizes, state_space
from kvdesk.hub.parameters.tally import Tally


def zamba(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """Zamba: Mamba-1, one shared block."""
    layers, hidden = layout.decoder(view).layers, sizes.hidden(view)
    hybrid = sum(layout.of_kind(layers, Attention).values())
    head.embeddings(view, tally, top=top, tied_default=True)
    rank = state_space.time_step_rank(view, "mamba_dt_rank", hidden)
    bias, conv = view.flag("mamba_proj_bias"), view.flag("mamba_conv_bias", fallback=True)
    for part, times in layout.of_kind(layers, Mamba1).items():
        state_space.mamba1(tally, hidden, part, rank, times, bias=bias, conv_bias=conv)
    tally.linear("attention", hidden, hidden, times=hybrid)
    if hybrid:
        shared_block(view, tally, sizes.size(view, "intermediate_size"), times=1)
    tally.norm(hidden, times=len(layers) + 1)


def zamba2(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """Zamba 2: Mamba-2, `num_mem_blocks` shared blocks, low-rank adapters for each place where one is used."""
    layers, hidden = layout.decoder(view).layers, sizes.hidden(view)
    hybrid = sum(layout.of_kind(layers, Attention).values())
    head.embeddings(view, tally, top=top, tied_default=True)
    bias = view.flag("add_bias_linear")
    for part, times in layout.of_kind(layers, Mamba2).items():
        state_space.mamba2(tally, hidden, part, times, bias=bias, conv_bias=True)
    tally.linear("attention", hidden, hidden, times=hybrid)
    width = view.integer_or_none("intermediate_size", maximum=sizes.MAX_SIZE) or 4 * hidden
    places = min(hybrid, view.integer("num_mem_blocks", maximum=sizes.MAX_COUNT))
    shared_block(view, tally, width, times=places, bias=bias)
    rank = sizes.size(view, "adapter_rank", fallback=128)
    tally.add("mlp", hybrid * rank * (hidden + 2 * width))
    if view.flag("use_shared_attention_adapter"):
        tally.add("attention", hybrid * 3 * rank * 4 * hidden)
    tally.norm(hidden, times=len(layers) + 1)


def shared_block(view: ConfigView, tally: Tally, width: int, *, times: int, bias: bool = False) -> None:
    """Attention from twice the hidden size (the layer's input beside the embedding) and a gated MLP."""
    hidden = sizes.hidden(view)
    query = view.integer(*sizes.QUERY_HEADS, maximum=sizes.MAX_COUNT)
    kv = view.integer_or_none(*sizes.KV_HEADS, maximum=sizes.MAX_COUNT) or query
    dim = 2 * hidden // query
    tally.linear("attention", 2 * hidden, (query + 2 * kv) * dim, times=times)
    tally.linear("attention", query * dim, hidden, times=times)
    blocks.mlp(tally, hidden, width, bias=bias, times=times)
    tally.norm(3 * hidden, times=times)
