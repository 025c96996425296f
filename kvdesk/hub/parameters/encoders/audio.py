"""Audio encoders: Whisper's and its kin, Qwen3-ASR's, Gemma 4's conformer.

Source: transformers 5.24 `models/whisper/modeling_whisper.py`, `models/{qwen2_audio,voxtral,qwen3_asr,gemma4}`.
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


def qwen3_asr(view: ConfigView, tally: Tally) -> None:
    """Qwen3-ASR: three strided convolutions over time and frequency, fixed positions, plain layers."""
    wide, channels = sizes.hidden(view), sizes.size(view, "downsample_hidden_size")
    bins = sizes.size(view, "num_mel_bins")
    for _ in range(3):
        bins = (bins + 1) // 2
    tally.add("audio", 9 * channels * (1 + 2 * channels) + channels * bins * wide, split=False)
    tally.vector(3 * channels)
    layer = EncoderLayer(hidden=wide, width=sizes.size(view, "encoder_ffn_dim", "intermediate_size"))
    layer.add(tally, sizes.encoder_layers(view), part="audio")
    tally.norm(wide, bias=True)


def gemma4(view: ConfigView, tally: Tally) -> None:
    """The conformer of Gemma 4, and a projection at the end."""
    hidden = sizes.hidden(view)
    channels = _channels(view, "subsampling_conv_channels")
    _subsampling(tally, channels, channels[0] // 4, hidden)
    heads = view.integer("num_attention_heads", maximum=sizes.MAX_COUNT)
    _conformer(tally, hidden, heads, sizes.size(view, "conv_kernel_size"), sizes.layers(view))
    tally.linear("audio", hidden, sizes.size(view, "output_proj_dims"), bias=True, split=False)


def gemma3n(view: ConfigView, tally: Tally) -> None:
    """The conformer of Gemma 3n, by its own keys."""
    hidden = sizes.hidden(view)
    bins = sizes.size(view, "input_feat_size")
    _subsampling(tally, _channels(view, "sscp_conv_channel_size"), bins // 4, hidden)
    heads = view.integer("conf_num_attention_heads", maximum=sizes.MAX_COUNT)
    count = view.integer("conf_num_hidden_layers", maximum=sizes.MAX_COUNT)
    _conformer(tally, hidden, heads, sizes.size(view, "conf_conv_kernel_size"), count)


def _channels(view: ConfigView, key: str) -> tuple[int, int]:
    channels = view.integers_or_none(key, minimum=1, maximum=sizes.MAX_COUNT) or ()
    if len(channels) != 2:
        view.wrong(key, f"“{view.prefix}{key}” must be two numbers.")
        return 1, 1
    return channels[0], channels[1]


def _subsampling(tally: Tally, channels: tuple[int, int], bins: int, hidden: int) -> None:
    """Two convolutions of 3 x 3 with a norm each, and a projection of what they leave of the frequencies."""
    first, second = channels
    tally.add("audio", 9 * first * (1 + second) + bins * second * hidden, split=False)
    tally.norm(first + second)


def _conformer(tally: Tally, hidden: int, heads: int, kernel: int, count: int) -> None:
    """Layers of two MLPs of four times the width, attention with relative keys, and a gated convolution."""
    square = hidden * hidden
    tally.add("audio", count * (2 * 8 + 5 + 3) * square, split=False)
    tally.vector(hidden * kernel + hidden // heads, times=count)
    tally.norm(hidden, times=9 * count)
