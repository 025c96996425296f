"""CLIP, SigLIP, Pixtral, InternViT and their kin: a patch convolution, positions, layers, a norm at the end.

Source: transformers 5.24 `models/{clip,siglip,idefics3,pixtral,internvl,minimax_m3_vl}/modeling_*.py`.
"""

from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.parameters import sizes
from kvdesk.hub.parameters.encoders.transformer import EncoderLayer
from kvdesk.hub.parameters.tally import Tally


def pair(view: ConfigView, key: str) -> tuple[int, int]:
    """A size in two directions, given as one number or as two."""
    found = view.find(key)
    if found is not None and isinstance(found.value, list):
        values = view.integers_or_none(key, minimum=1, maximum=sizes.MAX_COUNT) or ()
        if len(values) == 2:
            return values[0], values[1]
        view.wrong(key, f"“{view.prefix}{key}” must be one number or two.")
        return 1, 1
    size = view.integer(key, maximum=sizes.MAX_COUNT)
    return size, size


def patches(view: ConfigView) -> int:
    """Patches of one image."""
    (height, width), (down, across) = pair(view, "image_size"), pair(view, "patch_size")
    return (height // down) * (width // across)


def patch(view: ConfigView, hidden: int, *, frames: int = 1) -> int:
    """Weights of the patch convolution."""
    down, across = pair(view, "patch_size")
    channels = sizes.size(view, "num_channels", "in_channels", "in_chans", fallback=3)
    return channels * frames * down * across * hidden


def plain_layer(view: ConfigView) -> EncoderLayer:
    """A layer with biases everywhere."""
    return EncoderLayer(hidden=sizes.hidden(view), width=sizes.size(view, "intermediate_size"))


def clip(view: ConfigView, tally: Tally) -> None:
    """CLIP: a class token, positions for it and every patch, norms before and after the layers."""
    hidden = sizes.hidden(view)
    tally.add("vision", patch(view, hidden) + (patches(view) + 2) * hidden, split=False)
    plain_layer(view).add(tally, sizes.layers(view))
    tally.norm(hidden, times=2, bias=True)


def large_336(tally: Tally) -> None:
    """CLIP ViT-L/14 at 336 pixels, for configs that only name it: 24 layers of 1,024 features, 577 positions."""
    hidden = 1024
    tally.add("vision", 3 * 14 * 14 * hidden + (24 * 24 + 2) * hidden, split=False)
    EncoderLayer(hidden=hidden, width=4096).add(tally, 24)
    tally.norm(hidden, times=2, bias=True)


def siglip(view: ConfigView, tally: Tally) -> None:
    """SigLIP: no class token, a bias on the patches; with `vision_use_head` an attention pool as well."""
    trunk(view, tally)
    hidden = sizes.hidden(view)
    if view.flag("vision_use_head", fallback=True) and view.model_type.startswith("siglip"):
        tally.vector(hidden)
        EncoderLayer(hidden=hidden, width=sizes.size(view, "intermediate_size"), norms=1).add(tally, 1)


def siglip2(view: ConfigView, tally: Tally) -> None:
    """SigLIP 2 with images of any shape: patches by a linear layer, a table of `num_patches` positions."""
    hidden = sizes.hidden(view)
    tally.add("vision", patch(view, hidden) + sizes.size(view, "num_patches") * hidden, split=False)
    tally.vector(hidden)
    plain_layer(view).add(tally, sizes.layers(view))
    tally.norm(hidden, bias=True)
    if view.flag("vision_use_head", fallback=True):
        tally.vector(hidden)
        EncoderLayer(hidden=hidden, width=sizes.size(view, "intermediate_size"), norms=1).add(tally, 1)


def trunk(view: ConfigView, tally: Tally) -> None:
    """SigLIP without its head, as Idefics 3 and SmolVLM use it."""
    hidden = sizes.hidden(view)
    tally.add("vision", patch(view, hidden) + patches(view) * hidden, split=False)
    tally.vector(hidden)
    plain_layer(view).add(tally, sizes.layers(view))
    tally.norm(hidden, bias=True)


def pixtral(view: ConfigView, tally: Tally) -> None:
    """Pixtral: no positions, no biases, gated MLPs."""
    hidden = sizes.hidden(view)
    tally.add("vision", patch(view, hidden), split=False)
    layer = EncoderLayer(
        hidden=hidden,
        width=sizes.size(view, "intermediate_size"),
        gated=True,
        query_bias=False,
        key_bias=False,
        value_bias=False,
        output_bias=False,
        mlp_bias=False,
        norm_bias=False,
    )
    layer.add(tally, sizes.layers(view))
    tally.norm(hidden)


def internvl(view: ConfigView, tally: Tally) -> None:
    """InternViT: a class token, scales for each residual, norms that may be LayerNorm or RMSNorm."""
    hidden, count = sizes.hidden(view), sizes.layers(view)
    rows = patches(view) + 2 if view.flag("use_absolute_position_embeddings", fallback=True) else 1
    rows += view.flag("use_mask_token")
    tally.add("vision", patch(view, hidden) + rows * hidden, split=False)
    tally.vector(hidden)
    bias, layer_norm = view.flag("attention_bias"), view.text_or_none("norm_type") != "rms_norm"
    layer = EncoderLayer(
        hidden=hidden,
        width=sizes.size(view, "intermediate_size"),
        query_bias=bias,
        key_bias=bias,
        value_bias=bias,
        norm_bias=layer_norm,
    )
    layer.add(tally, count)
    tally.vector(2 * hidden, times=count)
    if view.flag("use_qk_norm"):
        tally.norm(2 * hidden, times=count)
    if not view.flag("use_mean_pooling", fallback=True):
        tally.norm(hidden, bias=True)


def intern_vit(view: ConfigView, tally: Tally) -> None:
    """InternViT by its own code: one biased or unbiased projection for queries, keys and values, no norm at the end."""
    hidden, count = sizes.hidden(view), sizes.layers(view)
    tally.add("vision", patch(view, hidden) + (patches(view) + 2) * hidden, split=False)
    tally.vector(hidden)
    bias, layer_norm = view.flag("qkv_bias"), view.text_or_none("norm_type") == "layer_norm"
    layer = EncoderLayer(
        hidden=hidden,
        width=sizes.size(view, "intermediate_size"),
        query_bias=bias,
        key_bias=bias,
        value_bias=bias,
        norm_bias=layer_norm,
    )
    layer.add(tally, count)
    tally.vector(2 * hidden, times=count)
    if view.flag("qk_normalization"):
        tally.norm(2 * hidden, times=count)


def minimax(view: ConfigView, tally: Tally) -> None:
    """MiniMax-M3: patches of two frames, no positions, a norm before the layers."""
    hidden = sizes.hidden(view)
    frames = sizes.size(view, "temporal_patch_size", fallback=2)
    tally.add("vision", patch(view, hidden, frames=frames), split=False)
    plain_layer(view).add(tally, sizes.layers(view))
    tally.norm(hidden, bias=True)
