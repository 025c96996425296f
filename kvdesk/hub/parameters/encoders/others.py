"""Vision towers of one model each: Llama 3.2 and 4, Gemma 4, Kimi K2.5, MiniCPM-V 4.6.

Source: transformers 5.24 `models/{mllama,llama4,gemma4,kimi_k25,minicpmv4_6}/modeling_*.py`.
"""

from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.parameters import sizes
from kvdesk.hub.parameters.encoders.clip import pair, patch, patches, plain_layer, trunk
from kvdesk.hub.parameters.encoders.transformer import EncoderLayer, linear
from kvdesk.hub.parameters.tally import Tally

RATIOS = 8
"""Aspect ratios that Llama 3.2 knows by default (`MllamaVisionConfig`)."""


def mllama(view: ConfigView, tally: Tally) -> None:
    """Llama 3.2: tiles with positions for every aspect ratio, local and gated global layers, attention unbiased."""
    hidden, tiles = sizes.hidden(view), sizes.size(view, "max_num_tiles", fallback=4)
    found = view.find("supported_aspect_ratios")
    ratios = len(found.value) if found is not None and isinstance(found.value, list) else RATIOS
    rows = patches(view) + 1
    tally.add("vision", patch(view, hidden) + hidden + rows * hidden, split=False)
    tally.add("vision", (ratios + 1) * tiles * (rows + 2) * hidden, split=False)
    tally.vector(3)
    tally.norm(hidden, times=2, bias=True)
    layer = EncoderLayer(
        hidden=hidden,
        width=sizes.size(view, "intermediate_size"),
        query_bias=False,
        key_bias=False,
        value_bias=False,
        output_bias=False,
    )
    layer.add(tally, sizes.layers(view))
    gated = sizes.size(view, "num_global_layers", fallback=8)
    layer.add(tally, gated)
    tally.vector(2, times=gated)


def llama4(view: ConfigView, tally: Tally) -> None:
    """Llama 4: a class token, an adapter after the layers."""
    hidden = sizes.hidden(view)
    tally.add("vision", patch(view, hidden) + (patches(view) + 2) * hidden, split=False)
    plain_layer(view).add(tally, sizes.layers(view))
    tally.norm(hidden, times=2, bias=True)
    width, wide = sizes.size(view, "intermediate_size"), sizes.size(view, "projector_input_dim")
    out = sizes.size(view, "projector_output_dim")
    linear(tally, "vision", width, wide, bias=False)
    linear(tally, "vision", out, out, bias=False)


def gemma4(view: ConfigView, tally: Tally) -> None:
    """Gemma 4: positions in two directions, four norms in each layer and one for queries and keys; no biases.

    Engines run it whole on every rank (vLLM 0.33 `model_executor/models/gemma4_mm.py`).
    """
    hidden, count = sizes.hidden(view), sizes.layers(view)
    down, across = pair(view, "patch_size")
    shape, bias = sizes.heads(view), view.flag("attention_bias")
    wide = hidden * (2 * sizes.size(view, "position_embedding_size") + 3 * down * across)
    tally.add("vision", wide, split=False)
    for out in (shape.query * shape.key_dim, shape.kv * shape.key_dim, shape.kv * shape.key_dim):
        tally.linear("vision", hidden, out, bias=bias, times=count, split=False)
    tally.linear("vision", shape.query * shape.key_dim, hidden, bias=bias, times=count, split=False)
    tally.linear("vision", hidden, sizes.size(view, "intermediate_size"), times=3 * count, split=False)
    tally.norm(2 * shape.key_dim + 4 * hidden, times=count)


def kimi(view: ConfigView, tally: Tally) -> None:
    """Kimi K2.5 (MoonViT): a table of positions, biases everywhere, a norm at the end."""
    hidden = sizes.hidden(view)
    rows = sizes.size(view, "pos_emb_height") * sizes.size(view, "pos_emb_width")
    tally.add("vision", patch(view, hidden) + rows * hidden, split=False)
    tally.vector(hidden)
    plain_layer(view).add(tally, sizes.layers(view))
    tally.norm(hidden, bias=True)


def minicpm(view: ConfigView, tally: Tally) -> None:
    """MiniCPM-V 4.6: SigLIP and a merger inside the tower, with attention in windows of 2 x 2."""
    trunk(view, tally)
    hidden, width = sizes.hidden(view), sizes.size(view, "intermediate_size")
    down, across = pair(view, "window_kernel_size")
    window = down * across
    for _ in range(4):
        linear(tally, "vision", hidden, hidden)
    tally.norm(hidden + window * hidden, bias=True)
    linear(tally, "vision", window * hidden, window * width)
    linear(tally, "vision", window * width, hidden)


def inkling2(view: ConfigView, tally: Tally) -> None:
    """Inkling 2: a class token with its own position, layer scales, and a merger of two projections."""
    wide = sizes.hidden(view)
    width = view.integer_or_none("intermediate_size", maximum=sizes.MAX_SIZE)
    tally.add("vision", sizes.size(view, "num_channels", fallback=3) * sizes.size(view, "patch_size") ** 2 * wide)
    tally.add("vision", sizes.size(view, "posemb_grid_size") ** 2 * wide, split=False)
    tally.vector(2 * wide)
    tally.norm(wide, bias=True)
    depth = sizes.layers(view)
    EncoderLayer(hidden=wide, width=width or int(_ratio(view) * wide)).add(tally, depth)
    tally.vector(2 * wide, times=depth)
    joined, bias = wide * sizes.size(view, "spatial_merge_size") ** 2, view.flag("projector_bias")
    between = sizes.size(view, "projection_hidden_dim")
    linear(tally, "vision", joined, between, bias=bias)
    linear(tally, "vision", between, sizes.size(view, "text_hidden_size"), bias=bias)


def _ratio(view: ConfigView) -> float:
    """`mlp_ratio`, which may be a fraction."""
    found = view.find("mlp_ratio")
    value = found.value if found is not None else 4
    return value if isinstance(value, (int, float)) and 0 < value < sizes.MAX_COUNT else 4
