"""From a config to its count: the family is looked up and loaded, and an answer that cannot be right is withheld."""

from collections.abc import Callable
from importlib import import_module

from kvdesk.hub.config_view import ConfigView
from kvdesk.hub.parameters import registry
from kvdesk.hub.parameters.tally import ParameterCount, Tally

Family = Callable[[ConfigView, Tally], None]


def count(view: ConfigView) -> ParameterCount | None:
    """The parameters of the model that `view` describes.

    None where the family's formula is not known, or where values that it needs are absent or make no sense; those are
    then among the view's faults. Give it a view with a reading of its own, so that faults of keys that only matter here
    do not refuse the whole config.
    """
    family = find(view)
    if family is None:
        return None
    tally = Tally()
    family(view, tally)
    if view.reading.faults or not tally.parts or min(tally.parts.values()) < 0:
        return None
    return tally.counted()


def find(view: ConfigView) -> Family | None:
    """The function that counts this model type, or, where that is unknown, this architecture."""
    name = registry.FAMILIES.get(view.model_type)
    if name is None:
        for architecture in view.texts_or_none("architectures") or ():
            name = name or registry.ARCHITECTURES.get(architecture)
    return load(name) if name else None


def load(name: str) -> Family:
    """`module.function` of this package."""
    module, _, function = name.partition(".")
    family: Family = getattr(import_module(f"kvdesk.hub.parameters.{module}"), function)
    return family
