"""Which layers slide where a config does not list them: the rules in transformers' configuration classes.

A rule takes the view and the number of layers and gives one kind per layer. Each rule names the class it mirrors
(transformers 5.24.0, `models/*/configuration_*.py`, `__post_init__`).
"""

from collections.abc import Callable, Mapping

from kvdesk.hub.config_view import MAX_LAYERS, ConfigView

FULL = "full_attention"
SLIDING = "sliding_attention"
CHUNKED = "chunked_attention"
Rule = Callable[[ConfigView, int], tuple[str, ...]]


def every(period: int, *, key: str = "") -> Rule:
    """Full on every `period`-th layer, counted from 1; `key` may hold another period."""

    def rule(view: ConfigView, count: int) -> tuple[str, ...]:
        step = period
        if key:
            step = view.integer_or(
                key, fallback=period, how=f"{period} unless the file says otherwise", maximum=MAX_LAYERS
            )
        return tuple(SLIDING if (i + 1) % step else FULL for i in range(count))

    return rule


def first_of(period: int, *, key: str = "") -> Rule:
    """Full on the first of every `period` layers."""

    def rule(view: ConfigView, count: int) -> tuple[str, ...]:
        step = period
        if key:
            step = view.integer_or(
                key, fallback=period, how=f"{period} unless the file says otherwise", maximum=MAX_LAYERS
            )
        return tuple(SLIDING if i % step else FULL for i in range(count))

    return rule


def last_of(period: int) -> Rule:
    """Full on every `period`-th layer counted backward from the last."""
    return lambda _, count: tuple(SLIDING if (count - 1 - i) % period else FULL for i in range(count))


def last_full(rule: Rule) -> Rule:
    """`rule`, but the last layer is always full."""
    return lambda view, count: (*rule(view, count)[: count - 1], FULL)


def all_full(_: ConfigView, count: int) -> tuple[str, ...]:
    """Every layer full."""
    return (FULL,) * count


def all_sliding(view: ConfigView, count: int) -> tuple[str, ...]:
    """Every layer slides where there is a window."""
    return (SLIDING if view.integer_or_none("sliding_window") else FULL,) * count


def flint(_: ConfigView, count: int) -> tuple[str, ...]:
    """Full on the first two, on every fourth from the second, and on the last."""
    return tuple(FULL if i < 2 or i % 4 == 1 or i == count - 1 else SLIDING for i in range(count))


def exaone4(view: ConfigView, count: int) -> tuple[str, ...]:
    """A period as a number, or as a string of L and G that repeats; nothing slides without a window."""
    if view.integer_or_none("sliding_window") is None:
        return (FULL,) * count
    found = view.find("sliding_window_pattern")
    if found is not None and isinstance(found.value, str):
        letters = view.text_or_none("sliding_window_pattern") or "G"
        if not set(letters) <= {"L", "G"}:
            view.wrong("sliding_window_pattern", f"“{view.prefix}sliding_window_pattern” may hold only L and G.")
        return tuple(SLIDING if letters[i % len(letters)] == "L" else FULL for i in range(count))
    return every(4, key="sliding_window_pattern")(view, count)


def cohere2_moe(view: ConfigView, count: int) -> tuple[str, ...]:
    """The leading dense layers have a period of their own."""
    dense = view.integer_or("first_k_dense_replace", fallback=0, how="0 unless given", minimum=0, maximum=count)
    head = every(1, key="prefix_dense_sliding_window_pattern")(view, dense)
    return head + every(4, key="sliding_window_pattern")(view, count - dense)


def smollm3(view: ConfigView, count: int) -> tuple[str, ...]:
    """Layers without rotary embedding slide, if sliding is switched on."""
    view.ignore("max_window_layers")
    if not view.flag("use_sliding_window") or view.integer_or_none("sliding_window") is None:
        return (FULL,) * count
    rope = view.integers_or_none("no_rope_layers", maximum=1)
    if rope is None:
        step = view.integer_or("no_rope_layer_interval", fallback=4, how="4 unless given")
        rope = tuple(int((i + 1) % step != 0) for i in range(count))
    if len(rope) < count:
        view.wrong("no_rope_layers", f"“{view.prefix}no_rope_layers” lists {len(rope)} layers, the model has {count}.")
        return (FULL,) * count
    return tuple(FULL if rope[i] else SLIDING for i in range(count))


def llama4(view: ConfigView, count: int) -> tuple[str, ...]:
    """Layers with rotary embedding are chunked, if there is a chunk size."""
    rope = view.integers_or_none("no_rope_layers", maximum=1)
    if not rope:
        step = view.integer_or("no_rope_layer_interval", fallback=4, how="4 unless given")
        rope = tuple(int((i + 1) % step != 0) for i in range(count))
    if len(rope) < count:
        view.wrong("no_rope_layers", f"“{view.prefix}no_rope_layers” lists {len(rope)} layers, the model has {count}.")
        return (FULL,) * count
    chunk = view.integer_or_none("attention_chunk_size")
    return tuple(CHUNKED if rope[i] and chunk else FULL for i in range(count))


RULES: Mapping[str, Rule] = {
    "afmoe": every(4, key="global_attn_every_n_layers"),
    "beam": last_full(every(6)),
    "cohere2": every(4, key="sliding_window_pattern"),
    "cohere2_moe": cohere2_moe,
    "cohere_compass_text": all_full,
    "cwm": first_of(4),
    "dory": every(4),
    "embedding_gemma2_text": last_full(every(6, key="sliding_window_pattern")),
    "exaone4": exaone4,
    "exaone_moe": exaone4,
    "flint": flint,
    "gemma2": every(2),
    "gemma3_text": every(6, key="sliding_window_pattern"),
    "gemma3n_text": every(5),
    "gemma4_text": last_full(every(6)),
    "gemma4_unified_text": last_full(every(6)),
    "gpt_oss": every(2),
    "granite_swa": first_of(4),
    "granitemoe_swa": first_of(4),
    "kolibri1": every(5),
    "laguna": all_full,
    "llama4_text": llama4,
    "mellum": all_full,
    "ministral": all_sliding,
    "modernbert-decoder": first_of(3, key="global_attn_every_n_layers"),
    "muse_glimmer_text": last_of(4),
    "muse_spark_text": last_of(4),
    "olmo3": every(4),
    "plamo3": every(8, key="sliding_window_pattern"),
    "smollm3": smollm3,
    "step3p5": all_full,
    "t5_gemma_module": every(2),
    "t5gemma2_decoder": every(6, key="sliding_window_pattern"),
    "t5gemma2_text": every(6, key="sliding_window_pattern"),
    "unlimited_ocr_text": all_full,
    "vaultgemma": every(2),
}
"""Rules by config class."""
