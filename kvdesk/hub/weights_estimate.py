"""Weights computed from a model's config, for want of files."""

from collections.abc import Mapping

from kvdesk.core.geometry import Geometry
from kvdesk.core.json_value import JsonValue
from kvdesk.core.weights import Weights


def estimate(config: Mapping[str, JsonValue], geometry: Geometry, *, weights_dtype: str | None) -> Weights | None:
    """The weights that `config` describes in its own number format or in `weights_dtype`; None where not known."""
    return None
