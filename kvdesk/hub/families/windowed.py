"""Decoders whose layers are full, sliding or chunked: by list, by the class's own pattern, or all alike."""

from kvdesk.core.findings import warning
from kvdesk.core.geometry import Layer
from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.families.common import Decoder, Heads, heads, layer_count, layer_list, one_draft, unknown_kind
from kvdesk.hub.families.patterns import CHUNKED, FULL, RULES, SLIDING

KINDS = {
    "full_attention": FULL,
    "attention": FULL,
    "global": FULL,
    "sliding_attention": SLIDING,
    "local": SLIDING,
    "chunked_attention": CHUNKED,
    # Unlimited-OCR keeps its whole prompt and a window of what it wrote; at worst a sequence is all prompt.
    "reference_sliding_attention": FULL,
}
"""Spellings of layer kinds in config files."""


def decoder(view: ConfigView) -> Decoder:
    """`layer_types` where listed, else the class's pattern."""
    return _decoder(view, heads(view))


def divided(view: ConfigView) -> Decoder:
    """The same for architectures whose head_dim is always hidden_size / heads (Cohere 2, Qwen2-VL)."""
    return _decoder(view, heads(view, own_head_dim=False))


def modernbert(view: ConfigView) -> Decoder:
    """ModernBERT-decoder: the window is half of `local_attention` (transformers `models/modernbert_decoder`)."""
    sizes = heads(view, own_head_dim=False)
    count = layer_count(view)
    types = kinds(view, count, rule="modernbert-decoder")
    window = view.integer_or_none("sliding_window")
    if window is None and not view.states("sliding_window"):
        both = view.integer("local_attention", minimum=2)
        window = view.derive("sliding_window", both // 2, "local_attention / 2")
    view.ignore("local_attention")
    made: dict[str, Layer] = {FULL: (sizes.full(),), SLIDING: (sizes.sliding(window) if window else sizes.full(),)}
    return sizes.decoder([made[kind] for kind in types])


def layout(view: ConfigView) -> Decoder:
    """SmallThinker: `sliding_window_layout` has 1 for layers that slide (its own `modeling_smallthinker.py`)."""
    sizes = heads(view)
    count = layer_count(view)
    flags = view.integers_or_none("sliding_window_layout", maximum=1) or (0,) * count
    if len(flags) != count:
        text = f"“{view.prefix}sliding_window_layout” lists {len(flags)} of {count} layers."
        view.wrong("sliding_window_layout", text)
    view.ignore("sliding_window_size")
    window = view.integer("sliding_window_size", "sliding_window") if any(flags) else 1
    return sizes.decoder([(sizes.sliding(window),) if flag else (sizes.full(),) for flag in flags])


def plamo3(view: ConfigView) -> Decoder:
    """PLaMo 3: `window_size` on all but every eighth layer (the checkpoint's `modeling_plamo.py`, vLLM `plamo3.py`)."""
    sizes = heads(view)
    types = kinds(view, layer_count(view), rule="plamo3")
    window = view.integer("window_size", "sliding_window") if SLIDING in types else 1
    made: dict[str, Layer] = {FULL: (sizes.full(),), SLIDING: (sizes.sliding(window),)}
    return sizes.decoder([made[kind] for kind in types])


def uniform(view: ConfigView) -> Decoder:
    """Every layer slides where `sliding_window` is a number (Mistral 7B v0.1, Mixtral, Phi-3, StarCoder2)."""
    sizes = heads(view)
    window = view.integer_or_none("sliding_window")
    layer: Layer = (sizes.sliding(window) if window else sizes.full(),)
    return sizes.decoder((layer,) * layer_count(view), one_draft(view, layer))


def kinds(view: ConfigView, count: int, *, rule: str = "") -> tuple[str, ...]:
    """One of FULL, SLIDING, CHUNKED for each layer."""
    listed = layer_list(view, count, "layer_types", spare=8)
    if listed is None:
        name = _rule(view, rule)
        if name is None:
            view.missing("layer_types")
            return (FULL,) * count
        return view.derive("layer_types", RULES[name](view, count), f"the pattern of {name}")
    view.ignore("sliding_window_pattern", "global_attn_every_n_layers", "use_sliding_window", "max_window_layers")
    view.ignore("_sliding_window_pattern")
    for kind in listed:
        if kind not in KINDS:
            raise unknown_kind(view, "layer_types", kind)
    return tuple(KINDS[kind] for kind in listed)


def _rule(view: ConfigView, named: str) -> str | None:
    own = view.defaults.model_type if view.defaults else ""
    return next((name for name in (named, own, view.model_type) if name in RULES), None)


def layers(view: ConfigView, sizes: Heads, types: tuple[str, ...]) -> tuple[Layer, ...]:
    """The layers of `types`, all of the same sizes.

    A window or chunk size of null keeps everything, as engines read it (vLLM `attention/layer.py`: no window).
    """
    view.ignore("sliding_window", "attention_chunk_size")
    made: dict[str, Layer] = {FULL: (sizes.full(),)}
    if SLIDING in types:
        window = limit(view, "sliding_window")
        made[SLIDING] = made[FULL] if window is None else (sizes.sliding(window),)
    if CHUNKED in types:
        chunk = limit(view, "attention_chunk_size")
        made[CHUNKED] = made[FULL] if chunk is None else (sizes.chunked(chunk),)
    return tuple(made[kind] for kind in types)


def limit(view: ConfigView, key: str) -> int | None:
    """The tokens a limited layer holds; None, with a warning, where the file says null; a fault where it is silent."""
    found = view.find(key)
    if found is None or found.value is not None:
        return view.integer(key)
    view.add(
        warning(
            "no-window",
            f"Some layers are listed as limited, but “{found.path}” is null: they are counted as full attention.",
            f"Set {key} if the engine you use limits them.",
        )
    )
    return None


def _decoder(view: ConfigView, sizes: Heads) -> Decoder:
    found = layers(view, sizes, kinds(view, layer_count(view)))
    return sizes.decoder(found, one_draft(view, (sizes.full(),)))
