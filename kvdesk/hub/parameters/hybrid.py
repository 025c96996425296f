"""Attention mixed with state-space or convolution layers: Jamba, Bamba, Falcon-H1, Granite 4, Nemotron-H, LFM2.

Source: transformers 5.24 `models/{jamba,bamba,falcon_h1,granitemoehybrid,nemotron_h,lfm2,lfm2_moe}/modeling_*.py`.
"""

from collections import Counter

from kvdesk.core.geometry import Layer
from kvdesk.core.layers import Full
from kvdesk.core.states import Mamba1, Mamba2, ShortConvolution
from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.parameters import blocks, decoder, draft, head, layout, sizes, sparse_layers, state_space
from kvdesk.hub.parameters.blocks import AttentionTraits, MoeTraits
from kvdesk.hub.parameters.decoder import Traits
from kvdesk.hub.parameters.tally import Tally

PLAIN = AttentionTraits()
BIASED = AttentionTraits(qkv_bias="attention_bias", o_bias="attention_bias")
HEAD_NORMS = AttentionTraits(qk_norm="head")
NEMOTRON_MOE = MoeTraits(
    width=("moe_intermediate_size",), shared_width=("moe_shared_expert_intermediate_size",), gated=False
)
LETTERS = {"M": "mamba", "*": "attention", "-": "mlp", "E": "moe"}


def _attention(view: ConfigView, tally: Tally, traits: AttentionTraits, layers: tuple[Layer, ...]) -> None:
    for shape, times in layout.attention_shapes(view, layers):
        blocks.attention(view, tally, traits, shape, times=times)


def _mamba2(
    view: ConfigView,
    tally: Tally,
    layers: tuple[Layer, ...],
    *,
    gated_norm: bool = True,
    out_bias: str = "mamba_proj_bias",
) -> None:
    bias = view.flag("mamba_proj_bias")
    conv_bias = view.flag("mamba_conv_bias", fallback=True)
    for part, times in layout.of_kind(layers, Mamba2).items():
        state_space.mamba2(
            tally,
            sizes.hidden(view),
            part,
            times,
            bias=bias,
            out_bias=view.flag(out_bias),
            conv_bias=conv_bias,
            gated_norm=gated_norm,
        )


def jamba(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """Jamba: Mamba-1 or attention, then an MLP, or experts on one of every `expert_layer_period` layers."""
    layers, hidden = layout.decoder(view).layers, sizes.hidden(view)
    head.embeddings(view, tally, top=top)
    _attention(view, tally, PLAIN, layers)
    rank = state_space.time_step_rank(view, "mamba_dt_rank", hidden)
    bias, conv = view.flag("mamba_proj_bias"), view.flag("mamba_conv_bias", fallback=True)
    for part, times in layout.of_kind(layers, Mamba1).items():
        state_space.mamba1(tally, hidden, part, rank, times, bias=bias, conv_bias=conv, norms=True)
    decoder.feed_forward(view, tally, Traits(moe=MoeTraits(), sparse=sparse_layers.jamba), len(layers))
    tally.norm(hidden, times=2 * len(layers) + 1)


def bamba(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """Bamba: Mamba-2 or attention, then an MLP."""
    layers = layout.decoder(view).layers
    head.embeddings(view, tally, top=top)
    _attention(view, tally, BIASED, layers)
    _mamba2(view, tally, layers)
    decoder.feed_forward(view, tally, Traits(mlp_bias="mlp_bias"), len(layers))
    tally.norm(sizes.hidden(view), times=2 * len(layers) + 1)


def falcon_h1(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """Falcon-H1: both side by side in every layer."""
    layers = layout.decoder(view).layers
    head.embeddings(view, tally, top=top)
    _attention(view, tally, BIASED, layers)
    _mamba2(view, tally, layers, gated_norm=view.flag("mamba_rms_norm"), out_bias="projectors_bias")
    decoder.feed_forward(view, tally, Traits(mlp_bias="mlp_bias"), len(layers))
    tally.norm(sizes.hidden(view), times=2 * len(layers) + 1)


def granite(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """Granite 4: Mamba-2 or attention, then experts (where there are any) and a shared MLP."""
    layers, hidden = layout.decoder(view).layers, sizes.hidden(view)
    head.embeddings(view, tally, top=top)
    _attention(view, tally, BIASED, layers)
    _mamba2(view, tally, layers)
    if sizes.size(view, "num_local_experts", fallback=0):
        blocks.moe(view, tally, MoeTraits(width=("intermediate_size",)), times=len(layers))
    blocks.mlp(tally, hidden, sizes.size(view, "shared_intermediate_size"), times=len(layers), part="shared_experts")
    tally.norm(hidden, times=2 * len(layers) + 1)


def nemotron_h(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """Nemotron-H and Nemotron 3: one mixer in each layer, experts on a narrower latent with `moe_latent_size`."""
    read = layout.decoder(view)
    head.embeddings(view, tally, top=top)
    if head.tied(top) and not head.headless(top):
        # Neither transformers nor vLLM ties the head of this architecture, whatever the file says.
        tally.add("lm_head", sizes.vocabulary(view) * sizes.hidden(view))
    _nemotron_layers(view, tally, read.layers, _letters(view, "layers_block_type", "hybrid_override_pattern"))
    tally.norm(sizes.hidden(view), times=len(read.layers) + 1)
    extra = draft.layers(view)
    if extra:
        apart = tally.drafts()
        draft.entry(view, apart, extra)
        kinds = _letters(view, "mtp_layers_block_type", "mtp_hybrid_override_pattern") or Counter(attention=1, moe=1)
        for _ in range(extra):
            _nemotron_layers(view, apart, read.draft_layers, kinds)
            apart.norm(sizes.hidden(view), times=len(read.draft_layers))


def _letters(view: ConfigView, key: str, string: str) -> Counter[str]:
    text = view.text_or_none(string)
    kinds = view.texts_or_none(key) or tuple(text or ())
    return Counter(LETTERS.get(kind, kind) for kind in kinds)


def _nemotron_layers(view: ConfigView, tally: Tally, layers: tuple[Layer, ...], kinds: Counter[str]) -> None:
    hidden = sizes.hidden(view)
    # `attention_bias` is in the files, but neither transformers nor vLLM reads it.
    _attention(view, tally, AttentionTraits(), tuple(layer for layer in layers if isinstance(layer[0], Full)))
    for part, times in layout.of_kind(layers, Mamba2).items():
        state_space.mamba2(
            tally, hidden, part, times, bias=view.flag("use_bias"), conv_bias=view.flag("use_conv_bias", fallback=True)
        )
    bias = view.flag("mlp_bias")
    if kinds["mlp"]:
        width = sizes.size(view, "intermediate_size")
        blocks.mlp(tally, hidden, width, gated=False, bias=bias, times=kinds["mlp"])
    if kinds["moe"]:
        _nemotron_experts(view, tally, kinds["moe"], bias=bias)


def _nemotron_experts(view: ConfigView, tally: Tally, times: int, *, bias: bool) -> None:
    hidden = sizes.hidden(view)
    latent = sizes.size(view, "moe_latent_size", fallback=0)
    width = sizes.size(view, "moe_intermediate_size")
    experts = sizes.size(view, *sizes.EXPERTS, minimum=1)
    chosen = sizes.size(view, *sizes.CHOSEN, fallback=1)
    tally.linear("router", hidden, experts, times=times, split=False)
    tally.experts(2 * (latent or hidden) * width, experts=experts, chosen=chosen, times=times)
    if latent:
        tally.linear("router", hidden, 2 * latent, bias=False, times=times, split=False)
        if bias:
            tally.vector(latent + hidden, times=times)
    blocks.shared_experts(view, tally, NEMOTRON_MOE, width=width, times=times, bias=bias)


def lfm2(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """LFM2: short convolutions or attention, then an MLP, or experts after the first `num_dense_layers`."""
    layers, hidden = layout.decoder(view).layers, sizes.hidden(view)
    head.embeddings(view, tally, top=top, tied_default=True)
    _attention(view, tally, HEAD_NORMS, layers)
    _convolutions(view, tally, layers)
    if decoder.own_type(view) == "lfm2_moe":
        traits = Traits(moe=MoeTraits(width=("moe_intermediate_size",)), sparse=sparse_layers.after_first)
        decoder.feed_forward(view, tally, traits, len(layers))
    else:
        blocks.mlp(tally, hidden, lfm2_width(view), times=len(layers))
    tally.norm(hidden, times=2 * len(layers) + 1)


def lfm3(view: ConfigView, tally: Tally, top: ConfigView) -> None:
    """LFM3: a gate for each head, norms after both halves of a layer (`use_sandwich_norm`)."""
    layers, hidden = layout.decoder(view).layers, sizes.hidden(view)
    head.embeddings(view, tally, top=top, tied_default=True)
    gate = "head" if view.flag("use_attention_gate", fallback=True) else ""
    traits = AttentionTraits(qkv_bias="attention_bias", o_bias="attention_bias", qk_norm="head", gate=gate)
    _attention(view, tally, traits, layers)
    _convolutions(view, tally, layers)
    blocks.mlp(tally, hidden, sizes.size(view, "intermediate_size"), times=len(layers))
    norms = 4 if view.flag("use_sandwich_norm", fallback=True) else 2
    tally.norm(hidden, times=norms * len(layers) + 1)


def _convolutions(view: ConfigView, tally: Tally, layers: tuple[Layer, ...]) -> None:
    hidden, bias = sizes.hidden(view), view.flag("conv_bias")
    for part, times in layout.of_kind(layers, ShortConvolution).items():
        tally.linear("conv", hidden, 3 * hidden, bias=bias, times=times)
        tally.linear("conv", hidden, hidden, bias=bias, times=times, rows=True)
        tally.vector(hidden * (part.conv_kernel + bias), times=times, split=True)


def lfm2_width(view: ConfigView) -> int:
    """Two thirds of `intermediate_size`, scaled and rounded up, where `block_auto_adjust_ff_dim` is set (`Lfm2MLP`)."""
    width = sizes.size(view, "block_ff_dim", "intermediate_size")
    if not view.flag("block_auto_adjust_ff_dim", fallback=True):
        return width
    width = 2 * width // 3
    scale = view.find("block_ffn_dim_multiplier")
    if scale is not None and isinstance(scale.value, (int, float)) and 0 < scale.value < 1024:
        width = int(scale.value * width)
    step = view.integer_or_none("block_multiple_of") or 256
    return -(-width // step) * step
