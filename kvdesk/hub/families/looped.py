"""Models that run the same layers several times and keep a cache for each pass: HRM-Text, Dory, IQuest-LoopCoder.

Source: transformers `models/hrm_text/configuration_hrm_text.py` (num_hidden_layers = layers x H_cycles x (L_cycles +
1)), `models/dory/modeling_dory.py` (`DoryModel.forward` appends copies of the recurrent section's cache).
"""

from kvdesk.core.geometry import Layer
from kvdesk.hub.config_view import MAX_LAYERS, ConfigView
from kvdesk.hub.families.common import Decoder, heads, layer_count
from kvdesk.hub.families.patterns import FULL, SLIDING
from kvdesk.hub.families.windowed import kinds, layers


def hrm(view: ConfigView) -> Decoder:
    """Every cycle of the high and the low module keeps keys and values of its own; MHA."""
    sizes = heads(view)
    stack = view.integer_or_none("num_layers_per_stack", maximum=MAX_LAYERS) or layer_count(view)
    view.ignore("num_hidden_layers")
    high = view.integer("H_cycles", maximum=64)
    low = view.integer("L_cycles", minimum=0, maximum=64)
    count = view.derive("num_hidden_layers", stack * high * (low + 1), "layers per stack x H_cycles x (L_cycles + 1)")
    return sizes.decoder(((sizes.full(),),) * count)


def loop_coder(view: ConfigView) -> Decoder:
    """Each further pass of `loop_num` keeps a window of `loop_window_size` (vLLM `models/iquest_loopcoder.py`)."""
    sizes = heads(view, own_head_dim=False)
    loops = view.integer_or("loop_num", fallback=2, how="2 unless given", maximum=64)
    window = view.integer_or("loop_window_size", fallback=64, how="64 unless given")
    layer: Layer = (sizes.full(), *((sizes.sliding(window),) * (loops - 1)))
    return sizes.decoder((layer,) * layer_count(view))


def dory(view: ConfigView) -> Decoder:
    """The middle section runs `n_recurrent_loops` times and keeps a cache per loop, unless only the last one writes."""
    sizes = heads(view)
    listed = view.texts_or_none("layer_types") or ()
    # Files written for the first release count each MLP as a layer.
    half = 2 if "mlp" in listed else 1
    count = layer_count(view) // half
    if half == 2:
        if set(listed[1::2]) != {"mlp"} or len(listed) != 2 * count or not set(listed[::2]) <= {FULL, SLIDING}:
            view.wrong("layer_types", f"“{view.prefix}layer_types” does not alternate attention and MLP.")
            return sizes.decoder(((sizes.full(),),))
        types = listed[::2]
    else:
        types = kinds(view, count, rule="dory")
    own = layers(view, sizes, types)
    first = view.integer("n_input_layers", minimum=0, maximum=half * len(own)) // half
    last = view.integer("n_output_layers", minimum=0, maximum=half * len(own)) // half
    rest, how = max(0, len(own) - first - last), "num_hidden_layers - n_input_layers - n_output_layers"
    given = view.integer_or_none("n_recurrent_layers", minimum=0, maximum=half * len(own))
    middle = view.derive("n_recurrent_layers", rest, how) if given is None else given // half
    if first + middle + last != len(own):
        view.wrong(
            "n_recurrent_layers",
            f"“n_recurrent_layers” gives sections of {first}, {middle} and {last} layers, not {len(own)}.",
        )
    loops = view.integer("n_recurrent_loops", maximum=64)
    mode = view.text_or_none("recurrent_kv_cache_mode") or "per_loop"
    copies: tuple[Layer, ...] = () if mode == "last_loop" else own[first : first + middle] * (loops - 1)
    return sizes.decoder(own + copies)
