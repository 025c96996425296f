"""How much of a cache a model's architecture saves, and how two sizings differ."""

from fractions import Fraction

from kvdesk.app.results import Sizing
from kvdesk.core.layers import Attention, Mla


def full_attention_ratio(sizing: Sizing) -> Fraction | None:
    """How many times more full multi-head attention would keep: query heads x (key + value dim) in every layer.

    The dims are those of the model's own attention; for a latent, `qk_nope_head_dim + qk_rope_head_dim` and
    `v_head_dim`.
    None where the model has no attention, or its dims or query heads are not known.
    """
    geometry, fmt = sizing.geometry, sizing.kv_format
    widths = _widths(sizing)
    logical = sizing.logical_bytes
    if widths is None or not geometry.query_heads or not logical:
        return None
    token = geometry.query_heads * (fmt.vector(widths[0]) + fmt.vector(widths[1]))
    return Fraction(token * len(geometry.layers) * sizing.workload.context, logical)


def _widths(sizing: Sizing) -> tuple[int, int] | None:
    for part in sizing.geometry.parts():
        if isinstance(part, Attention):
            return part.key_dim, part.value_dim
        if isinstance(part, Mla):
            return _latent_widths(sizing)
    return None


def _latent_widths(sizing: Sizing) -> tuple[int, int] | None:
    """What the cache does not depend on is not among the facts, so that the config itself is asked."""
    config = sizing.model.config
    text = config.get("text_config")
    found = {**config, **(text if isinstance(text, dict) else {})}
    nope, rope, value = (found.get(key) for key in ("qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"))
    if isinstance(nope, int) and isinstance(rope, int) and isinstance(value, int):
        return nope + rope, value
    return None
