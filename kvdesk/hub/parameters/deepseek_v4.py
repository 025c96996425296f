"""DeepSeek-V4: one shared latent head, grouped output, compressors with indexers, and hyper-connections.

Source: transformers 5.24 `models/deepseek_v4/modeling_deepseek_v4.py`.
"""

from kvdesk.core.layers import Compressed
from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.parameters import blocks, draft, head, layout, sizes
from kvdesk.hub.parameters.blocks import MoeTraits
from kvdesk.hub.parameters.tally import Tally

MOE = MoeTraits(shared=("n_shared_experts",), width=("moe_intermediate_size",))
HEAVY = 128
"""Ratio from which on a compressor has no overlap and no indexer (`DeepseekV4HCACompressor`)."""


def count(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """A whole model and its draft layers."""
    hidden = sizes.hidden(view)
    read = layout.decoder(view)
    layers = len(read.layers)
    head.embeddings(view, tally, top=top)
    attention(view, tally, layers)
    for part, times in layout.of_kind(read.layers, Compressed).items():
        compressor(view, tally, part.ratio, times)
    layer_rest(view, tally, layers)
    streams = sizes.size(view, "hc_mult")
    tally.norm(hidden)
    tally.add("hyper_connections", streams * streams * hidden + streams + 1, split=False)
    extra = draft.layers(view)
    if extra:
        apart = tally.drafts()
        draft.entry(view, apart, extra)
        attention(view, apart, extra)
        layer_rest(view, apart, extra)


def attention(view: ConfigView, tally: Tally, times: int) -> None:
    """Query latent, one key that is also the value, and an output in groups; sinks for each head."""
    hidden, dim = sizes.hidden(view), sizes.size(view, "head_dim")
    query = view.integer(*sizes.QUERY_HEADS, maximum=sizes.MAX_COUNT)
    latent, groups, rank = (
        sizes.size(view, "q_lora_rank"),
        sizes.size(view, "o_groups"),
        sizes.size(view, "o_lora_rank"),
    )
    tally.linear("attention", hidden, latent, times=times, split=False)
    tally.linear("attention", latent, query * dim, times=times)
    tally.linear("attention", hidden, dim, times=times, split=False)
    tally.linear("attention", query * dim // max(groups, 1), groups * rank, times=times)
    tally.linear("attention", groups * rank, hidden, times=times)
    tally.norm(latent + dim, times=times)
    tally.vector(query, times=times, split=True)


def compressor(view: ConfigView, tally: Tally, ratio: int, times: int) -> None:
    """A compressor of `times` layers: key and gate, a bias for each position of its block, and a norm.

    Light ones overlap (twice as wide) and have an indexer of the same make.
    """
    hidden, dim = sizes.hidden(view), sizes.size(view, "head_dim")
    light = ratio < HEAVY
    wide = 2 * dim if light else dim
    tally.linear("compressor", hidden, 2 * wide, times=times, split=False)
    tally.vector(ratio * wide, times=times)
    tally.norm(dim, times=times)
    if light:
        index, count_ = sizes.size(view, "index_head_dim"), sizes.size(view, "index_n_heads")
        tally.linear("compressor", hidden, 4 * index, times=times, split=False)
        tally.linear("indexer", sizes.size(view, "q_lora_rank"), index * count_, times=times, split=False)
        tally.linear("compressor", hidden, count_, times=times, split=False)
        tally.vector(ratio * 2 * index, times=times)
        tally.norm(index, times=times)


def layer_rest(view: ConfigView, tally: Tally, times: int) -> None:
    """Experts, norms, and two hyper-connections: from n streams to n + n + n x n weights."""
    hidden, streams = sizes.hidden(view), sizes.size(view, "hc_mult")
    blocks.moe(view, tally, MOE, times=times, bias=view.flag("mlp_bias"))
    tally.norm(hidden, times=2 * times)
    mixes = (2 + streams) * streams
    tally.add("hyper_connections", 2 * times * (mixes * streams * hidden + mixes + 3), split=False)
