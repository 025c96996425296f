"""Qwen3-Next, 3.5 and 3.6: gated delta networks with an output-gated attention layer in between.

Source: transformers 5.24 `models/qwen3_next/modeling_qwen3_next.py`, `models/qwen3_5/modeling_qwen3_5.py`; the draft
layer: vLLM 0.33 `model_executor/models/qwen3_next_mtp.py`.
"""

from kvdesk.core.layers import Full
from kvdesk.core.states import GatedDelta
from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.parameters import blocks, decoder, draft, head, layout, sizes, sparse_layers
from kvdesk.hub.parameters.blocks import AttentionTraits, MoeTraits
from kvdesk.hub.parameters.decoder import Traits
from kvdesk.hub.parameters.tally import Tally

ATTENTION = AttentionTraits(qkv_bias="attention_bias", o_bias="attention_bias", qk_norm="head", gate="inside")
MOE = MoeTraits(width=("moe_intermediate_size",), shared_width=("shared_expert_intermediate_size",), shared_gate=True)
DENSE_TYPES = ("qwen3_5_text",)


def qwen(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """A whole model and its draft layer."""
    layers = layout.decoder(view).layers
    hidden = sizes.hidden(view)
    head.embeddings(view, tally, top=top)
    blocks.attention(view, tally, ATTENTION, sizes.heads(view), times=sum(layout.of_kind(layers, Full).values()))
    for part, times in layout.of_kind(layers, GatedDelta).items():
        mixer(tally, hidden, part, times)
    traits = feed_forward_traits(view)
    decoder.feed_forward(view, tally, traits, len(layers))
    tally.norm(hidden, times=2 * len(layers) + 1)
    extra = draft.layers(view)
    if extra:
        apart = tally.drafts()
        draft.entry(view, apart, 1)
        blocks.attention(view, apart, ATTENTION, sizes.heads(view), times=extra)
        decoder.feed_forward(view, apart, Traits(moe=traits.moe), extra)
        apart.norm(hidden, times=2 * extra)


def feed_forward_traits(view: ConfigView) -> Traits:
    """An MLP in the dense types, experts in the others."""
    return Traits() if decoder.own_type(view) in DENSE_TYPES else Traits(moe=MOE, sparse=sparse_layers.qwen)


def mixer(tally: Tally, hidden: int, part: GatedDelta, times: int) -> None:
    """One gated delta network: queries, keys, values, gate, two numbers for each head, a convolution, the output."""
    keys, values = part.key_heads * part.key_dim, part.value_heads * part.value_dim
    tally.linear("linear_attention", hidden, 2 * keys + 2 * values, times=times)
    tally.linear("linear_attention", hidden, 2 * part.value_heads, times=times)
    tally.linear("linear_attention", values, hidden, times=times)
    tally.vector((2 * keys + values) * part.conv_kernel, times=times, split=True)
    tally.vector(2 * part.value_heads, times=times, split=True)
    tally.norm(part.value_dim, times=times)
