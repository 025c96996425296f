"""Vision towers with a patch merger: Qwen2-VL, 2.5-VL, 3-VL, 3.5, GLM-4V, GLM-OCR, EXAONE 4.5, ERNIE 4.5 VL.

Source: transformers 5.24 `models/{qwen2_vl,qwen2_5_vl,qwen3_vl,qwen3_5,glm4v,exaone4_5}/modeling_*.py`.
"""

from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.parameters import sizes
from kvdesk.hub.parameters.encoders.clip import patch, patches
from kvdesk.hub.parameters.encoders.transformer import EncoderLayer, linear
from kvdesk.hub.parameters.tally import Tally


def _patch(view: ConfigView, hidden: int) -> int:
    return patch(view, hidden, frames=sizes.size(view, "temporal_patch_size", fallback=2))


def _merged(view: ConfigView, hidden: int) -> int:
    """Width of the patches that one token joins."""
    side = sizes.size(view, "spatial_merge_size", fallback=2)
    return hidden * side * side


def merger(tally: Tally, norm: int, wide: int, out: int, *, bias: bool) -> None:
    """A norm of `norm` elements (with a bias where it is a LayerNorm) and a two-layer MLP."""
    tally.norm(norm, bias=bias)
    linear(tally, "vision", wide, wide)
    linear(tally, "vision", wide, out)


def qwen2(view: ConfigView, tally: Tally) -> None:
    """Qwen2-VL: `embed_dim` is the tower's width, `hidden_size` the language model's."""
    wide = sizes.size(view, "embed_dim", minimum=1)
    ratio = sizes.size(view, "mlp_ratio", fallback=4)
    tally.add("vision", _patch(view, wide), split=False)
    EncoderLayer(hidden=wide, width=wide * ratio).add(tally, _depth(view))
    merger(tally, wide, _merged(view, wide), sizes.hidden(view), bias=True)


def qwen2_5(view: ConfigView, tally: Tally) -> None:
    """Qwen2.5-VL: gated MLPs and RMSNorms; EXAONE 4.5 has fewer KV heads."""
    wide, heads = sizes.hidden(view), sizes.size(view, "num_heads", minimum=1)
    kv = view.integer_or_none("num_key_value_heads", maximum=sizes.MAX_COUNT) or heads
    tally.add("vision", _patch(view, wide), split=False)
    layer = EncoderLayer(
        hidden=wide,
        width=sizes.size(view, "intermediate_size"),
        kv=wide // max(heads, 1) * kv,
        gated=True,
        norm_bias=False,
    )
    layer.add(tally, _depth(view))
    merger(tally, wide, _merged(view, wide), sizes.size(view, "out_hidden_size"), bias=False)


def qwen3(view: ConfigView, tally: Tally) -> None:
    """Qwen3-VL and 3.5: learned positions, and a merger for every layer that feeds the language model directly."""
    wide, out = sizes.hidden(view), sizes.size(view, "out_hidden_size")
    tally.add("vision", _patch(view, wide) + sizes.size(view, "num_position_embeddings") * wide, split=False)
    tally.vector(wide)
    EncoderLayer(hidden=wide, width=sizes.size(view, "intermediate_size")).add(tally, _depth(view))
    merged = _merged(view, wide)
    merger(tally, wide, merged, out, bias=True)
    for _ in view.integers_or_none("deepstack_visual_indexes") or ():
        merger(tally, merged, merged, out, bias=True)


def glm4v(view: ConfigView, tally: Tally) -> None:
    """GLM-4V: learned positions, gated MLPs of the output's width, a strided convolution, a gated merger."""
    wide, out = sizes.hidden(view), sizes.size(view, "out_hidden_size")
    bias = view.flag("attention_bias")
    tally.add("vision", _patch(view, wide) + patches(view) * wide, split=False)
    tally.vector(wide)
    layer = EncoderLayer(
        hidden=wide,
        width=out,
        gated=True,
        query_bias=bias,
        key_bias=bias,
        value_bias=bias,
        output_bias=False,
        mlp_bias=False,
        norm_bias=False,
    )
    layer.add(tally, _depth(view))
    tally.norm(wide, times=2)
    _gated_merger(view, tally, wide, out, sizes.size(view, "intermediate_size"))


def glm_ocr(view: ConfigView, tally: Tally) -> None:
    """GLM-OCR: no learned positions, norms of queries and keys, a merger as many times wider as there are colours."""
    wide, out, heads = sizes.hidden(view), sizes.size(view, "out_hidden_size"), sizes.size(view, "num_heads", minimum=1)
    bias = view.flag("attention_bias")
    tally.add("vision", _patch(view, wide), split=False)
    tally.vector(wide)
    layer = EncoderLayer(
        hidden=wide,
        width=sizes.size(view, "intermediate_size"),
        gated=True,
        query_bias=bias,
        key_bias=bias,
        value_bias=bias,
        output_bias=bias,
        mlp_bias=bias,
        norm_bias=False,
    )
    layer.add(tally, _depth(view))
    tally.norm(2 * (wide // max(heads, 1)), times=_depth(view))
    tally.norm(wide)
    _gated_merger(view, tally, wide, out, out * sizes.size(view, "in_channels", fallback=3))


def ernie(view: ConfigView, tally: Tally) -> None:
    """ERNIE 4.5 VL: flat patches, plain layers, one norm at the end."""
    wide = sizes.hidden(view)
    colours = sizes.size(view, "in_channels", fallback=3)
    tally.add("vision", colours * sizes.size(view, "patch_size") ** 2 * wide, split=False)
    EncoderLayer(hidden=wide, width=sizes.size(view, "intermediate_size")).add(tally, _depth(view))
    tally.norm(wide, bias=True)


def _gated_merger(view: ConfigView, tally: Tally, wide: int, out: int, between: int) -> None:
    linear(tally, "vision", _merged(view, wide), out)
    linear(tally, "vision", out, out, bias=False)
    tally.norm(out, bias=True)
    for _ in range(3):
        linear(tally, "vision", out, between, bias=False)


def _depth(view: ConfigView) -> int:
    return view.integer("depth", "num_hidden_layers", maximum=sizes.MAX_COUNT)
