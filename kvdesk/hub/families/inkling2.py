"""Inkling 2 and Inkling 2 Loop: layers of attention and short convolutions, some of which run several times.

Source: transformers 5.24 `models/inkling2/modeling_inkling2.py` (four convolutions per layer, held in fp32, as in
Inkling), `models/inkling2_loop/modeling_inkling2_loop.py` (every pass over the looped layers has a cache of its own).
"""

from kvdesk.core.values import replace
from kvdesk.hub.config_view import MAX_LAYERS, ConfigView
from kvdesk.hub.families import convolved
from kvdesk.hub.families.common import Decoder, layer_count


def decoder(view: ConfigView) -> Decoder:
    """Layers as in Inkling."""
    return convolved.inkling(view)


def loop(view: ConfigView) -> Decoder:
    """The same; layers from `loop_layer_index_start` to before `loop_layer_index_end` run `loop_num_passes` times."""
    once = convolved.inkling(view)
    count = layer_count(view)
    start = view.integer("loop_layer_index_start", minimum=0, maximum=count)
    end = view.integer("loop_layer_index_end", minimum=start, maximum=count)
    passes = view.integer("loop_num_passes", maximum=MAX_LAYERS)
    if count + (end - start) * (passes - 1) > MAX_LAYERS:
        view.wrong("loop_num_passes", f"“{view.prefix}loop_num_passes” makes more than {MAX_LAYERS:,} layers.")
        return once
    return replace(once, layers=once.layers[:start] + once.layers[start:end] * passes + once.layers[end:])
