"""Cross-layer attention: layers that read the keys and values of an earlier one (Hunyuan-Large, Phi-4-mini-flash).

Source: vLLM `model_executor/models/hunyuan_v1.py` (`_get_cla_factor`), `phi4flash.py` (0.10); the checkpoints' own
code.
"""

from kvdesk.core.geometry import Layer
from kvdesk.core.layers import NoCache, Shared
from kvdesk.core.values import replace
from kvdesk.hub.config_view import MAX_LAYERS, ConfigView
from kvdesk.hub.families.common import MAX_DIM, Decoder, heads, layer_count
from kvdesk.hub.families.states import expanded, mamba1


def hunyuan(view: ConfigView) -> Decoder:
    """With `use_cla`, one layer of every `cla_share_factor` keeps a cache."""
    own = view.gives("attention_head_dim") and not view.gives("head_dim")
    sizes = heads(view, own_head_dim=not own)
    if own:
        width = view.integer("attention_head_dim", maximum=MAX_DIM)
        sizes = replace(sizes, key_dim=width, value_dim=width)
    factor = 1
    if view.flag("use_cla"):
        factor = view.integer_or("cla_share_factor", fallback=1, how="1 unless given", maximum=MAX_LAYERS)
    view.ignore("cla_share_factor")
    keeps: Layer = (sizes.full(),)
    return sizes.decoder([keeps if i % factor == 0 else (Shared(),) for i in range(layer_count(view))])


def phi4_flash(view: ConfigView) -> Decoder:
    """First half: Mamba-1 and sliding attention in turn; then a Mamba, a full layer, and layers that read those two."""
    sizes = heads(view)
    count = layer_count(view)
    step = view.integer_or("mb_per_layer", fallback=2, how="2 unless given", maximum=MAX_LAYERS)
    inner = expanded(view, sizes.hidden_size, "mamba_expand")
    state: Layer = (
        mamba1(
            view,
            inner=inner,
            state_size=view.integer("mamba_d_state", maximum=MAX_DIM),
            conv_kernel=view.integer("mamba_d_conv", maximum=MAX_DIM),
        ),
    )
    half = count // 2
    windows = _windows(view, count)
    layers: list[Layer] = []
    for i in range(count):
        recurrent = i % step == 0
        if i >= half + 2:
            layers.append((NoCache(),) if recurrent else (Shared(),))
        elif recurrent:
            layers.append(state)
        else:
            window = windows[i]
            layers.append((sizes.sliding(window),) if window and i < half else (sizes.full(),))
    return sizes.decoder(layers)


def _windows(view: ConfigView, count: int) -> tuple[int, ...]:
    """The window of each layer, 0 for none; the key holds a number or a list with nulls."""
    found = view.find("sliding_window")
    if found is None or not isinstance(found.value, list):
        return (view.integer_or_none("sliding_window") or 0,) * count
    windows = tuple(w if isinstance(w, int) and not isinstance(w, bool) and w > 0 else 0 for w in found.value)
    if len(windows) != count:
        view.wrong(
            "sliding_window", f"“{view.prefix}sliding_window” lists {len(windows)} layers, the model has {count}."
        )
        return (0,) * count
    return windows
