"""Which layers of a mixture of experts are dense."""

from collections.abc import Callable

from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.parameters import sizes

SparseLayers = Callable[[ConfigView, int], int]
"""How many of so many layers have experts."""


def every(_view: ConfigView, count: int) -> int:
    """All of them."""
    return count


def listed_or_first(view: ConfigView, count: int) -> int:
    """`mlp_layer_types` ("dense" or "sparse") where given, else all after the first `first_k_dense_replace`."""
    kinds = view.texts_or_none("mlp_layer_types")
    if kinds is not None and sizes.fitting(view, "mlp_layer_types", kinds, count):
        return sum(kind == "sparse" for kind in kinds[:count])
    return after_first(view, count)


def listed_or_second(view: ConfigView, count: int) -> int:
    """The same, but with one dense layer where nothing says how many."""
    return _listed_or_after(view, count, 1)


def listed_or_fourth(view: ConfigView, count: int) -> int:
    """The same, but with three dense layers where nothing says how many."""
    return _listed_or_after(view, count, 3)


def _listed_or_after(view: ConfigView, count: int, dense: int) -> int:
    known = view.find("first_k_dense_replace")
    if view.gives("mlp_layer_types", "num_dense_layers") or (known is not None and known.value is not None):
        return listed_or_first(view, count)
    return max(0, count - dense)


def after_first(view: ConfigView, count: int) -> int:
    """All after the first `first_k_dense_replace`; of those, each `moe_layer_freq`-th."""
    dense = sizes.size(view, "first_k_dense_replace", "num_dense_layers", fallback=0)
    period = period_of(view, "moe_layer_freq")
    return sum(layer % period == 0 for layer in range(min(dense, count), count))


def period_of(view: ConfigView, key: str) -> int:
    """A period that may be absent; a list under the same key counts as every layer."""
    found = view.find(key)
    if found is None or found.value is None or isinstance(found.value, list):
        return 1
    return view.integer(key, minimum=1)


def frequency_list(view: ConfigView, count: int) -> int:
    """`moe_layer_freq` as a list of 0 (dense) and 1 (sparse)."""
    flags = view.integers_or_none("moe_layer_freq", maximum=1)
    if flags is None or not sizes.fitting(view, "moe_layer_freq", flags, count):
        return listed_or_first(view, count)
    return sum(flags[:count])


def qwen(view: ConfigView, count: int) -> int:
    """Each `decoder_sparse_step`-th layer that is not in `mlp_only_layers`."""
    step = view.integer_or_none("decoder_sparse_step") or 1
    dense = set(view.integers_or_none("mlp_only_layers") or ())
    return sum(layer not in dense and (layer + 1) % step == 0 for layer in range(count))


def ernie(view: ConfigView, count: int) -> int:
    """Each `moe_layer_interval`-th layer from `moe_layer_start_index` to `moe_layer_end_index` (-1: the last)."""
    start = sizes.size(view, "moe_layer_start_index", fallback=1)
    end = view.integer_or_none("moe_layer_end_index", minimum=-1)
    step = view.integer_or_none("moe_layer_interval") or 1
    last = count - 1 if end is None or end < 0 else min(end, count - 1)
    return sum((layer + 1) % step == 0 for layer in range(start, last + 1))


def flint(view: ConfigView, count: int) -> int:
    """As Qwen's, with the first two dense where nothing is listed (`configuration_flint.py`)."""
    if view.gives("mlp_only_layers"):
        return qwen(view, count)
    step = view.integer_or_none("decoder_sparse_step") or 1
    return sum((layer + 1) % step == 0 for layer in range(2, count))


def step(view: ConfigView, count: int) -> int:
    """`moe_layers_enum`, a list or a string with commas, else `mlp_layer_types`, else all but the first three."""
    found = view.find("moe_layers_enum")
    if found is not None and isinstance(found.value, str):
        numbers = {int(word) for word in found.value.split(",") if word.strip().isdecimal() and len(word) < 8}
        return sum(number < count for number in numbers)
    listed = view.integers_or_none("moe_layers_enum")
    if listed is not None:
        return sum(number < count for number in set(listed))
    return listed_or_fourth(view, count)


def jamba(view: ConfigView, count: int) -> int:
    """One of every `expert_layer_period`, from `expert_layer_offset`; none where there is one expert."""
    if sizes.size(view, "num_experts", fallback=1) <= 1:
        return 0
    period, offset = view.integer("expert_layer_period"), sizes.size(view, "expert_layer_offset", fallback=0)
    return sum(layer % period == offset for layer in range(count))


def first_dense_or_list(view: ConfigView, count: int) -> int:
    """`mlp_layer_types`, or `moe_layer_freq` as a list, where given; else all but the first."""
    found = view.find("moe_layer_freq")
    if view.gives("mlp_layer_types") or (found is not None and isinstance(found.value, list)):
        return frequency_list(view, count)
    return max(0, count - 1)
