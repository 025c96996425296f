"""Audio encoders in the manner of Whisper.

Source: transformers 5.24 `models/whisper/modeling_whisper.py`, `models/{qwen2_audio,voxtral}`.
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
