"""Gemma 3, 3n and 4: windows by pattern, larger heads on the full layers, and layers that read another layer's cache.

Source: transformers `models/gemma3/configuration_gemma3.py`, `models/gemma3n/configuration_gemma3n.py`,
`models/gemma4/configuration_gemma4.py` (`__post_init__`, `kv_sharing_modes`); vLLM `models/gemma4.py` (keys and values are both
stored where `attention_k_eq_v` is set).
"""

from dataclasses import replace

from kvdesk.core.geometry import Layer
from kvdesk.core.layers import Shared
from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.families.common import MAX_DIM, MAX_HEADS, Decoder, Heads, heads, layer_count, own_config
from kvdesk.hub.families.patterns import FULL, SLIDING
from kvdesk.hub.families.windowed import kinds

BOTH_WAYS = "use_bidirectional_attention"


def gemma3(view: ConfigView) -> Decoder:
    """Five sliding layers, then a full one."""
    sizes = heads(view)
    types = kinds(view, layer_count(view), rule="gemma3_text")
    return sizes.decoder(_layers(view, sizes, sizes, types, halved=view.flag(BOTH_WAYS)))


def gemma3n(view: ConfigView) -> Decoder:
    """Four sliding layers, then a full one; the last `num_kv_shared_layers` keep nothing."""
    sizes = heads(view)
    types = kinds(view, layer_count(view), rule="gemma3n_text")
    return sizes.decoder(_shared(view, _layers(view, sizes, sizes, types)))


def gemma4(view: ConfigView) -> Decoder:
    """Full layers have `global_head_dim`, and `num_global_key_value_heads` where keys are values; the last layer is full."""
    sizes = heads(view)
    types = kinds(view, layer_count(view), rule="gemma4_text")
    if types[-1] != FULL:
        types = (*types[:-1], FULL)
        view.derive("layer_types", types, "the last layer is always full")
    both = view.text_or_none(BOTH_WAYS) == "all"
    return sizes.decoder(_shared(view, _layers(view, sizes, _global(view, sizes, types), types, halved=both)))


def _global(view: ConfigView, sizes: Heads, types: tuple[str, ...]) -> Heads:
    own = own_config(view, types.index(FULL)) if view.gives("per_layer_config") else None
    if own is not None:
        # Files written by transformers 5 keep the full layers' sizes layer by layer; all full layers are alike.
        dim = own.integer_or_none("head_dim", maximum=MAX_DIM) or sizes.key_dim
        count = own.integer_or_none("num_key_value_heads", maximum=MAX_HEADS) or sizes.kv_heads
        return replace(sizes, kv_heads=count, key_dim=dim, value_dim=dim)
    dim = view.integer_or("global_head_dim", fallback=512, how="512 unless given", maximum=MAX_DIM)
    count = view.integer_or_none("num_global_key_value_heads", maximum=MAX_HEADS)
    if count is None or not view.flag("attention_k_eq_v", fallback=True):
        count = sizes.kv_heads
    return replace(sizes, kv_heads=count, key_dim=dim, value_dim=dim)


def _layers(
    view: ConfigView, sliding: Heads, full: Heads, types: tuple[str, ...], *, halved: bool = False
) -> tuple[Layer, ...]:
    window = view.integer("sliding_window") if SLIDING in types else 1
    if halved:
        window = view.derive(
            "sliding_window", window // 2 + 1, "sliding_window / 2 + 1, since attention is bidirectional"
        )
    made: dict[str, Layer] = {FULL: (full.full(),), SLIDING: (sliding.sliding(window),)}
    return tuple(made[kind] for kind in types)


def _shared(view: ConfigView, layers: tuple[Layer, ...]) -> tuple[Layer, ...]:
    count = view.integer_or("num_kv_shared_layers", fallback=0, how="0 unless given", minimum=0, maximum=len(layers))
    if count == len(layers):
        view.wrong("num_kv_shared_layers", f"“{view.prefix}num_kv_shared_layers” leaves no layer that keeps a cache.")
    return layers[: len(layers) - count] + ((Shared(),),) * count
