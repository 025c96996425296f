"""Audio encoders: Whisper's and its kin, Gemma 4's conformer.

Source: transformers 5.24 `models/whisper/modeling_whisper.py`, `models/{qwen2_audio,voxtral,gemma4}`.
"""

from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.parameters import sizes
from kvdesk.hub.parameters.encoders.transformer import EncoderLayer
from kvdesk.hub.parameters.tally import Tally


def whisper(view: ConfigView, tally: Tally, *, part: str = "audio") -> None:
    """Two convolutions of width 3, positions, layers whose keys have no bias, a norm at the end."""
    hidden = sizes.hidden(view)
    bins, rows = sizes.size(view, "num_mel_bins"), sizes.size(view, "max_source_positions")
    tally.add(part, 3 * bins * hidden + 3 * hidden * hidden + rows * hidden, split=False)
    tally.vector(2 * hidden)
    width = sizes.size(view, "encoder_ffn_dim", "intermediate_size")
    layer = EncoderLayer(hidden=hidden, width=width, key_bias=False)
    layer.add(tally, sizes.encoder_layers(view), part=part)
    tally.norm(hidden, bias=True)


def gemma4(view: ConfigView, tally: Tally) -> None:
    """The conformer of Gemma 4: two strided convolutions, then layers of two MLPs, attention and a convolution."""
    hidden, count = sizes.hidden(view), sizes.layers(view)
    channels = view.integers_or_none("subsampling_conv_channels", minimum=1, maximum=sizes.MAX_COUNT) or ()
    if len(channels) != 2:
        view.wrong("subsampling_conv_channels", f"“{view.prefix}subsampling_conv_channels” must be two numbers.")
        return
    first, second = channels
    tally.add("audio", 9 * first * (1 + second) + first // 4 * second * hidden, split=False)
    tally.norm(first + second)
    square = hidden * hidden
    tally.add("audio", count * (2 * 8 * square + 5 * square + 3 * square), split=False)
    tally.vector(hidden * sizes.size(view, "conv_kernel_size"), times=count)
    tally.vector(hidden // view.integer("num_attention_heads", maximum=sizes.MAX_COUNT), times=count)
    tally.norm(hidden, times=9 * count)
    tally.linear("audio", hidden, sizes.size(view, "output_proj_dims"), bias=True, split=False)
