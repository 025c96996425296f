"""Gemma 3, 3n and 4: windows by pattern, larger heads on the full layers, and layers that read another layer's cache.

Source: transformers `models/gemma3/configuration_gemma3.py`, `models/gemma3n/configuration_gemma3n.py`,
`models/gemma4/configuration_gemma4.py` (`__post_init__`, `kv_sharing_modes`); vLLM `models/gemma4.py` (keys and values
are both stored where `attention_k_eq_v` is set).
"""

from kvdesk.core.geometry import Layer
from kvdesk.core.layers import Shared
from kvdesk.core.values import replace
from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.families.common import MAX_DIM, MAX_HEADS, Decoder, Heads, heads, layer_count, own_config
from kvdesk.hub.families.patterns import FULL, SLIDING
from kvdesk.hub.families.windowed import kinds, layers

BOTH_WAYS = "use_bidirectional_attention"


def gemma3(view: ConfigView) -> Decoder:
    """Five sliding layers, then a full one; the window halves where attention is bidirectional (EmbeddingGemma)."""
    sizes = heads(view)
    types = kinds(view, layer_count(view), rule="gemma3_text")
    if not view.flag(BOTH_WAYS):
        return sizes.decoder(layers(view, sizes, types))
    made: dict[str, Layer] = {FULL: (sizes.full(),), SLIDING: (sizes.sliding(_window(view, types, halved=True)),)}
    return sizes.decoder([made[kind] for kind in types])


def gemma3n(view: ConfigView) -> Decoder:
    """Four sliding layers, then a full one; the last `num_kv_shared_layers` keep nothing."""
    sizes = heads(view)
    types = kinds(view, layer_count(view), rule="gemma3n_text")
    return sizes.decoder(_shared(view, layers(view, sizes, types)))


def gemma4(view: ConfigView) -> Decoder:
    """Full layers have `global_head_dim`, `num_global_key_value_heads` where keys are values; the last layer is full.

    Files written by transformers 5 give single layers' sizes in `per_layer_config` instead.
    """
    sizes = heads(view)
    types = kinds(view, layer_count(view), rule="gemma4_text")
    if types[-1] != FULL:
        types = (*types[:-1], FULL)
        view.derive("layer_types", types, "the last layer is always full")
    window = _window(view, types, halved=view.text_or_none(BOTH_WAYS) == "all")
    listed = view.gives("per_layer_config")
    full = sizes if listed else _global(view, sizes)
    made: list[Layer] = []
    for i, kind in enumerate(types):
        own = _own(view, i, sizes) if listed else full if kind == FULL else sizes
        made.append((own.full(),) if kind == FULL else (own.sliding(window),))
    return sizes.decoder(_shared(view, tuple(made)))


def _own(view: ConfigView, index: int, sizes: Heads) -> Heads:
    own = own_config(view, index)
    if own is None:
        return sizes
    dim = own.integer_or_none("head_dim", maximum=MAX_DIM) or sizes.key_dim
    count = own.integer_or_none("num_key_value_heads", maximum=MAX_HEADS) or sizes.kv_heads
    return replace(sizes, kv_heads=count, key_dim=dim, value_dim=dim)


def _global(view: ConfigView, sizes: Heads) -> Heads:
    dim = view.integer_or("global_head_dim", fallback=512, how="512 unless given", maximum=MAX_DIM)
    count = view.integer_or_none("num_global_key_value_heads", maximum=MAX_HEADS)
    if count is None or not view.flag("attention_k_eq_v", fallback=True):
        count = sizes.kv_heads
    return replace(sizes, kv_heads=count, key_dim=dim, value_dim=dim)


def _window(view: ConfigView, types: tuple[str, ...], *, halved: bool) -> int:
    window = view.integer("sliding_window") if SLIDING in types else 1
    if halved:
        how = "sliding_window / 2 + 1, since attention is bidirectional"
        window = view.derive("sliding_window", window // 2 + 1, how)
    return window


def _shared(view: ConfigView, own: tuple[Layer, ...]) -> tuple[Layer, ...]:
    count = view.integer_or("num_kv_shared_layers", fallback=0, how="0 unless given", minimum=0, maximum=len(own))
    if count == len(own):
        view.wrong("num_kv_shared_layers", f"“{view.prefix}num_kv_shared_layers” leaves no layer that keeps a cache.")
    return own[: len(own) - count] + ((Shared(),),) * count
