"""Weights computed from a model's config, for want of files: parameters counted by family, bytes by number format."""

from collections.abc import Mapping

from kvdesk.core import number_formats
from kvdesk.core.errors import KvdeskError
from kvdesk.core.geometry import Geometry
from kvdesk.core.json_value import JsonValue
from kvdesk.core.sourced import Origin, Source, Sourced
from kvdesk.core.weights import Weights
from kvdesk.hub.config_view import Reading, open_view
from kvdesk.hub.parameters import ParameterCount, count
from kvdesk.hub.parameters.tally import ENCODERS


def estimate(config: Mapping[str, JsonValue], geometry: Geometry, *, weights_dtype: str | None) -> Weights | None:
    """The weights that `config` describes in its own number format or in `weights_dtype`; None where not known."""
    counted = parameters(config)
    if counted is None:
        return None
    fmt = number_formats.get(weights_dtype or geometry.model_dtype.value)
    parts = counted.parts
    return Weights(
        bytes=Sourced(fmt.vector(counted.total), Source(Origin.ESTIMATE, f"parameters in {fmt.name}")),
        parameters=Sourced(counted.total, Source(Origin.ESTIMATE, f"counted by the layers of {geometry.model_type}")),
        replicated_bytes=fmt.vector(counted.replicated),
        draft_bytes=fmt.vector(counted.draft),
        encoder_bytes=fmt.vector(sum(parts.get(part, 0) for part in ENCODERS)),
        expert_bytes=fmt.vector(parts.get("experts", 0)),
        embedding_bytes=fmt.vector(parts.get("embedding", 0)),
        head_bytes=fmt.vector(parts.get("lm_head", 0)),
        exact=False,
    )


def parameters(config: Mapping[str, JsonValue]) -> ParameterCount | None:
    """The parameters of `config`; None where its family's formula is not known or its values make no sense."""
    try:
        return count(open_view(config, Reading()))
    except KvdeskError:
        return None
