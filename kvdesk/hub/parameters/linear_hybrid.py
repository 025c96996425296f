"""Attention mixed with other linear attention: MiniMax-Text-01, Kimi-Linear and K3, Ling 3, Olmo Hybrid, Griffin.

Source: transformers 5.24 `models/{minimax,kimi_linear,bailing_hybrid,olmo_hybrid,recurrent_gemma}/modeling_*.py`.
"""

from kvdesk.core.layers import Attention, Full, Mla
from kvdesk.core.states import GatedDelta, KimiDelta, LightningAttention
from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.parameters import blocks, decoder, head, layout, mla, sizes, sparse_layers
from kvdesk.hub.parameters.blocks import AttentionTraits, MoeTraits
from kvdesk.hub.parameters.decoder import Traits
from kvdesk.hub.parameters.tally import Tally

MOE = MoeTraits(shared=("n_shared_experts", "num_shared_experts"), width=("moe_intermediate_size",))
GRIFFIN = AttentionTraits(qkv_bias="attention_bias", o_bias=True)
FULL_NORMS = AttentionTraits(qkv_bias="attention_bias", o_bias="attention_bias", qk_norm="full")


def minimax(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """MiniMax-Text-01 and M1: lightning attention with an output gate and a norm over all heads; experts everywhere."""
    layers, hidden = layout.decoder(view).layers, sizes.hidden(view)
    head.embeddings(view, tally, top=top)
    for shape, times in layout.attention_shapes(view, layers):
        blocks.attention(view, tally, AttentionTraits(), shape, times=times)
    for part, times in layout.of_kind(layers, LightningAttention).items():
        inner = part.heads * part.head_dim
        tally.linear("linear_attention", hidden, 4 * inner, times=times)
        tally.linear("linear_attention", inner, hidden, times=times)
        tally.norm(inner, times=times, split=True)
    blocks.moe(view, tally, MoeTraits(width=("intermediate_size",)), times=len(layers))
    tally.norm(hidden, times=2 * len(layers) + 1)


def kimi(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """Kimi-Linear: gates of low rank (`head_dim` wide), one time step for each element, one decay for each head."""
    _delta(view, tally, top, low_rank=True)


def bailing(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """Ling 3: gates of full rank; latent attention has a gate for each head."""
    _delta(view, tally, top, low_rank=False)


def _delta(view: ConfigView, tally: Tally, top: ConfigView, *, low_rank: bool) -> None:
    layers, hidden = layout.decoder(view).layers, sizes.hidden(view)
    head.embeddings(view, tally, top=top)
    latents = sum(layout.of_kind(layers, Mla).values())
    mla.attention(view, tally, latents)
    if not low_rank:
        tally.linear("attention", hidden, view.integer(*sizes.QUERY_HEADS), times=latents)
    for part, times in layout.of_kind(layers, KimiDelta).items():
        inner = part.heads * part.head_dim
        tally.linear("linear_attention", hidden, 3 * inner + part.heads, times=times)
        tally.linear("linear_attention", inner, hidden, times=times)
        if low_rank:
            tally.linear("linear_attention", hidden, 2 * part.head_dim, times=times, split=False)
            tally.linear("linear_attention", part.head_dim, 2 * inner, times=times)
        else:
            tally.linear("linear_attention", hidden, 2 * inner, times=times)
        tally.vector(3 * inner * part.conv_kernel + inner + part.heads, times=times, split=True)
        tally.norm(part.head_dim, times=times)
    traits = Traits(moe=MOE, sparse=sparse_layers.listed_or_second)
    decoder.feed_forward(view, tally, traits, len(layers))
    tally.norm(hidden, times=2 * len(layers) + 1)


def olmo(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """Olmo Hybrid: gated delta networks whose convolutions and gates stand apart; attention as in Olmo 3."""
    layers, hidden = layout.decoder(view).layers, sizes.hidden(view)
    head.embeddings(view, tally, top=top)
    for shape, times in layout.attention_shapes(view, (layer for layer in layers if isinstance(layer[0], Full))):
        blocks.attention(view, tally, FULL_NORMS, shape, times=times)
    for part, times in layout.of_kind(layers, GatedDelta).items():
        keys, values = part.key_heads * part.key_dim, part.value_heads * part.value_dim
        tally.linear("linear_attention", hidden, 2 * keys + 2 * values + 2 * part.value_heads, times=times)
        tally.linear("linear_attention", values, hidden, times=times)
        tally.vector((2 * keys + values) * part.conv_kernel + 2 * part.value_heads, times=times, split=True)
        tally.norm(part.value_dim, times=times)
    decoder.feed_forward(view, tally, Traits(), len(layers))
    tally.norm(hidden, times=2 * len(layers) + 1)


def recurrent_gemma(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """Griffin: gated linear recurrences with block-diagonal gates, local attention, biased MLPs of half the width."""
    layers, hidden = layout.decoder(view).layers, sizes.hidden(view)
    head.embeddings(view, tally, top=top, tied_default=True)
    for shape, times in layout.attention_shapes(view, layers):
        blocks.attention(view, tally, GRIFFIN, shape, times=times)
    recurrent = len(layers) - sum(layout.of_kind(layers, Attention).values())
    width = view.integer_or_none("lru_width", maximum=sizes.MAX_SIZE) or hidden
    query = view.integer(*sizes.QUERY_HEADS, maximum=sizes.MAX_COUNT)
    tally.linear("mamba", hidden, 2 * width, bias=True, times=recurrent)
    tally.linear("mamba", width, hidden, bias=True, times=recurrent, rows=True)
    block = width // max(query, 1)
    gates = 2 * query * block * (block + 1) + width
    tally.vector(width * (sizes.size(view, "conv1d_width", fallback=4) + 1) + gates, times=recurrent, split=True)
    blocks.mlp(tally, hidden, sizes.size(view, "intermediate_size") // 2, bias=True, times=len(layers))
    tally.norm(hidden, times=2 * len(layers) + 1)
