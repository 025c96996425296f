"""Gated short convolutions with attention in between: LFM2 and LFM3.

Source: transformers `models/lfm2/configuration_lfm2.py`, `models/lfm3/configuration_lfm3.py`; vLLM `models/lfm2.py`
(`short_conv_state_shape` of conv_dim and conv_L_cache).
"""

from kvdesk.core.geometry import Layer
from kvdesk.core.states import ShortConvolution
from kvdesk.hub.config_view import MAX_LAYERS, ConfigView
from kvdesk.hub.families.common import MAX_DIM, Decoder, Heads, heads, layer_count, layer_list, unknown_kind
from kvdesk.hub.families.states import model_format


def lfm2(view: ConfigView) -> Decoder:
    """Attention at `full_attn_idxs`, else by `layer_types`."""
    sizes = heads(view)
    count = layer_count(view)
    types = layer_list(view, count, "layer_types")
    if types is None:
        at = view.integers_or_none("full_attn_idxs", maximum=MAX_LAYERS)
        chosen = set(range(count) if at is None else at)
        types = tuple("full_attention" if i in chosen else "conv" for i in range(count))
        view.derive("layer_types", types, "full_attn_idxs, or all layers where that is absent")
    view.ignore("full_attn_idxs")
    return _decoder(view, sizes, types)


def lfm3(view: ConfigView) -> Decoder:
    """Of every four layers one is full and one slides, the rest convolve."""
    sizes = heads(view)
    count = layer_count(view)
    types = layer_list(view, count, "layer_types")
    if types is None:
        kinds = ("sliding_attention", "conv", "full_attention", "conv")
        types = tuple("conv" if i == 0 else kinds[i % 4] for i in range(count))
        view.derive("layer_types", types, "the pattern of lfm3")
    return _decoder(view, sizes, types)


def _decoder(view: ConfigView, sizes: Heads, types: tuple[str, ...]) -> Decoder:
    width = view.integer_or("conv_dim", fallback=sizes.hidden_size, how="hidden_size", maximum=MAX_DIM)
    model = model_format(view)
    kernel = view.integer("conv_L_cache", maximum=MAX_DIM)
    made: dict[str, Layer] = {
        "conv": (ShortConvolution(channels=width, conv_kernel=kernel, conv_format=model, recurrent_format=model),),
        "full_attention": (sizes.full(),),
    }
    if "sliding_attention" in types:
        made["sliding_attention"] = (sizes.sliding(view.integer("sliding_window")),)
    for kind in types:
        if kind not in made:
            raise unknown_kind(view, "layer_types", kind)
    return sizes.decoder([made[kind] for kind in types])
