"""Layer by layer: the cache's families already know which layer is of which kind and shape."""

from collections import Counter
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import TypeVar

from kvdesk.core.geometry import Layer
from kvdesk.core.layers import Attention
from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.families import registry
from kvdesk.hub.families.common import Decoder
from kvdesk.hub.parameters import sizes
from kvdesk.hub.parameters.decoder import own_type
from kvdesk.hub.parameters.sizes import Heads

P = TypeVar("P")


def decoder(view: ConfigView) -> Decoder:
    """The decoder as the cache's family reads it; raises `RefusalError` for layers that are not known."""
    module, _, function = registry.FAMILIES[own_type(view)].partition(".")
    found: Decoder = getattr(import_module(f"kvdesk.hub.families.{module}"), function)(view)
    return found


def of_kind(layers: Iterable[Layer], kind: type[P]) -> Counter[P]:
    """Equal parts of one kind, with their counts."""
    return Counter(part for layer in layers for part in layer if isinstance(part, kind))


def attention_shapes(view: ConfigView, layers: Iterable[Layer]) -> Iterator[tuple[Heads, int]]:
    """Attention sizes with the number of layers that have them; query heads are those of the config."""
    query = view.integer(*sizes.QUERY_HEADS, maximum=sizes.MAX_COUNT)
    shapes: Counter[tuple[int, int, int]] = Counter()
    for part, count in of_kind(layers, Attention).items():
        shapes[part.kv_heads, part.key_dim, part.value_dim] += count
    for (kv, key_dim, value_dim), count in shapes.items():
        yield Heads(query=query, kv=kv, key_dim=key_dim, value_dim=value_dim), count


def unshared(view: ConfigView) -> Decoder:
    """The decoder as if every layer kept a cache of its own."""
    given = tuple(view.keys())
    values = {key: view.raw(key) for key in given} | {"num_kv_shared_layers": 0}
    return decoder(ConfigView(values, view.reading, prefix=view.prefix, defaults=view.defaults))
