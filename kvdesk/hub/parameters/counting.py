"""From a config to its count: the families are looked up and loaded, and an answer that cannot be right is withheld."""

from collections.abc import Callable
from importlib import import_module

from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.families.registry import ARCHITECTURES
from kvdesk.hub.parameters import registry
from kvdesk.hub.parameters.decoder import own_type
from kvdesk.hub.parameters.tally import ParameterCount, Tally
from kvdesk.hub.reader import language_model

AROUND = (
    "vision_config",
    "audio_config",
    "vision_tower_cfg",
    "visual",
    "vit_config",
    "img_processor",
    "audio_processor",
    "vision_tower",
    "mm_vision_tower",
    "mm_vision_model",
)
"""Keys that speak of an encoder: a model with one of them is more than its language model."""
MOST = 10**18
"""A million times the largest model: more comes of a value that makes no sense."""
UNEQUAL = ("gemma4_text", "gemma4_unified_text", "step3p5")
"""Types whose family reads single layers' sizes in `per_layer_config`, as transformers 5 may write it for any type."""
Family = Callable[[ConfigView, Tally, ConfigView], None]
"""Adds the parameters of a language model (first view) inside a config (last view)."""
Surroundings = Callable[[ConfigView, Tally, ConfigView], None]
"""Adds what a multimodal config (first view) has around its language model (last view)."""


def count(view: ConfigView) -> ParameterCount | None:
    """The parameters of the model that `view` describes.

    None where the family's formula is not known, or where values that it needs are absent or make no sense; those are
    then among the view's faults. Give it a view with a reading of its own, so that faults of keys that only matter here
    do not refuse the whole config. Raises `RefusalError` where the config has no language model that is known.
    """
    text, _ = language_model(view)
    nested = text.prefix != view.prefix
    family = registry.FAMILIES.get(own_type(text))
    if family is None:
        text, family = by_architecture(text)
    around = registry.SURROUNDINGS.get(own_type(view))
    if family is None or (around is None and (nested or any(view.gives(key) for key in AROUND))):
        return None
    if text.gives("per_layer_config") and own_type(text) not in UNEQUAL:
        return None
    tally = Tally()
    load(family)(text, tally, view)
    if around is not None:
        load(around)(view, tally, text)
    if view.reading.faults or not tally.parts or min(tally.parts.values()) < 0:
        return None
    counted = tally.counted()
    return counted if counted.total <= MOST else None


def by_architecture(view: ConfigView) -> tuple[ConfigView, str | None]:
    """The view with the defaults of the class that its architecture names, and that class's family."""
    for name in view.texts_or_none("architectures") or ():
        known = ARCHITECTURES.get(name, "")
        if known in registry.FAMILIES:
            return view.with_defaults_of(known), registry.FAMILIES[known]
    return view, None


def load(name: str) -> Family:
    """`module.function` of this package."""
    module, _, function = name.partition(".")
    found: Family = getattr(import_module(f"kvdesk.hub.parameters.{module}"), function)
    return found
