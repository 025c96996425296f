"""MiMo-V2: sliding layers with twice the KV heads, and values narrower than keys.

Sliding layers' sizes are the `swa_*` keys, as engines read them (vLLM `model_executor/models/mimo_v2.py`); without
them, twice `num_key_value_heads` (transformers `models/mimo_v2_flash/modeling_mimo_v2_flash.py`, which ignores the
keys). The window is `sliding_window_size` + 1, since a token sees that many before itself
(`configuration_mimo_v2_flash.py`).
"""

from kvdesk.core.findings import warning
from kvdesk.core.geometry import Layer
from kvdesk.core.values import replace
from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.families.common import (
    MAX_DIM,
    MAX_HEADS,
    Decoder,
    heads,
    layer_count,
    layer_list,
    unknown_kind,
)


def decoder(view: ConfigView) -> Decoder:
    """By `hybrid_layer_pattern` (0 full, 1 sliding), else full on the first and every sixth layer."""
    full = heads(view)
    full = replace(
        full, value_dim=view.integer_or("v_head_dim", fallback=full.key_dim, how="head_dim", maximum=MAX_DIM)
    )
    twice, how = 2 * full.kv_heads, "2 x num_key_value_heads"
    sliding = replace(
        full,
        kv_heads=view.integer_or("swa_num_key_value_heads", fallback=twice, how=how, maximum=MAX_HEADS),
        key_dim=view.integer_or("swa_head_dim", fallback=full.key_dim, how="head_dim", maximum=MAX_DIM),
        value_dim=view.integer_or("swa_v_head_dim", fallback=full.value_dim, how="v_head_dim", maximum=MAX_DIM),
    )
    view.ignore("swa_num_attention_heads", "attention_chunk_size")
    slides = _slides(view, layer_count(view))
    window = _window(view) if any(slides) else 1
    made: dict[bool, Layer] = {False: (full.full(),), True: (sliding.sliding(window),)}
    # The checkpoint ships draft modules that no key mentions; engines run one, which slides (vLLM 0.33.0
    # `config/speculative.py`, `model_executor/models/mimo_v2_mtp.py`).
    return sliding.decoder([made[s] for s in slides], (made[True],) if any(slides) else ())


def _slides(view: ConfigView, count: int) -> tuple[bool, ...]:
    types = layer_list(view, count, "layer_types")
    if types is not None:
        for kind in types:
            if kind not in ("full_attention", "sliding_attention"):
                raise unknown_kind(view, "layer_types", kind)
        return tuple(kind == "sliding_attention" for kind in types)
    pattern = view.integers_or_none("hybrid_layer_pattern", maximum=1)
    if pattern is not None and len(pattern) == count:
        return tuple(bool(kind) for kind in pattern)
    slides = tuple(i != 0 and (i + 1) % 6 != 0 for i in range(count))
    if pattern is not None and tuple(bool(kind) for kind in pattern[:count]) != slides[: len(pattern)]:
        view.wrong(
            "hybrid_layer_pattern", f"“{view.prefix}hybrid_layer_pattern” lists {len(pattern)} of {count} layers."
        )
    elif pattern is not None:
        view.add(
            warning(
                "pattern-length",
                f"“{view.prefix}hybrid_layer_pattern” lists {len(pattern)} of {count} layers and is continued.",
            )
        )
    return view.derive("layer_types", slides, "full on the first and every sixth layer")


def _window(view: ConfigView) -> int:
    size = view.integer_or_none("sliding_window_size")
    if size is None:
        return view.integer("sliding_window")
    view.ignore("sliding_window")
    return view.derive("sliding_window", size + 1, "sliding_window_size + 1")
