"""Qwen 2 and 3: a window that counts only where `use_sliding_window` is true, on layers from `max_window_layers` on.

Source: transformers `models/qwen2/configuration_qwen2.py` (`__post_init__`), the same in qwen2_vl, qwen3, dots1; in
`models/qwen2_moe` every other layer below `max_window_layers`; in `models/qwen3_moe` every layer.
"""

from collections.abc import Callable

from kvdesk.core.findings import warning
from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.families import windowed
from kvdesk.hub.families.common import Decoder, Heads, heads, layer_count, layer_list, one_draft
from kvdesk.hub.families.patterns import FULL, SLIDING

Slides = Callable[[int, int], bool]
"""(layer, max_window_layers) -> whether the layer slides."""


def decoder(view: ConfigView) -> Decoder:
    """Qwen2, Qwen3: layers at or past `max_window_layers` slide."""
    return _decoder(view, heads(view), lambda i, start: i >= start)


def divided(view: ConfigView) -> Decoder:
    """Qwen2-VL, Qwen2.5-VL: the same with head_dim always hidden_size / heads."""
    return _decoder(view, heads(view, own_head_dim=False), lambda i, start: i >= start)


def moe(view: ConfigView) -> Decoder:
    """Qwen2-MoE: every other layer below `max_window_layers` slides."""
    return _decoder(view, heads(view), lambda i, start: i < start and i % 2 == 0)


def uniform(view: ConfigView) -> Decoder:
    """Qwen3-MoE: every layer slides if sliding is on."""
    sizes = heads(view)
    window = _window(view)
    layer = (sizes.sliding(window) if window else sizes.full(),)
    view.ignore("max_window_layers")
    return sizes.decoder((layer,) * layer_count(view), one_draft(view, layer))


def dots1(view: ConfigView) -> Decoder:
    """dots.llm1: like Qwen2, but a window needs no switch."""
    sizes = heads(view)
    count = layer_count(view)
    window = view.integer_or_none("sliding_window")
    types = layer_list(view, count, "layer_types")
    view.ignore("max_window_layers")
    if types is None:
        start = view.integer_or("max_window_layers", fallback=count, how="num_hidden_layers", minimum=0)
        types = tuple(SLIDING if window and i >= start else FULL for i in range(count))
    return sizes.decoder(windowed.layers(view, sizes, types), one_draft(view, (sizes.full(),)))


def _window(view: ConfigView) -> int | None:
    if not view.flag("use_sliding_window"):
        view.ignore("sliding_window", "max_window_layers")
        return None
    # Files written back by transformers hold 0 where sliding is off.
    return view.integer_or_none("sliding_window", minimum=0) or None


def _decoder(view: ConfigView, sizes: Heads, slides: Slides) -> Decoder:
    count = layer_count(view)
    window = _window(view)
    types = windowed.kinds(view, count, rule="") if view.gives("layer_types") else _types(view, count, window, slides)
    if window is None and SLIDING in types:
        text = f"“{view.prefix}layer_types” lists sliding layers, but sliding is off: counted as full attention."
        view.add(warning("window-off", text, "Set use_sliding_window if the engine you use slides here."))
        types = (FULL,) * count
    return sizes.decoder(windowed.layers(view, sizes, types), one_draft(view, (sizes.full(),)))


def _types(view: ConfigView, count: int, window: int | None, slides: Slides) -> tuple[str, ...]:
    if window is None:
        return (FULL,) * count
    start = view.integer_or("max_window_layers", fallback=count, how="num_hidden_layers", minimum=0)
    types = tuple(SLIDING if slides(i, start) else FULL for i in range(count))
    return view.derive("layer_types", types, "use_sliding_window and max_window_layers")
