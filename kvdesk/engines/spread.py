"""Weights per GPU where data parallelism is of attention only: mixtures of experts and latent attention.

In such a layout (SGLang `--enable-dp-attention`, vLLM data parallelism of MoE models) every data-parallel rank keeps
its own attention weights, while experts and the rest are divided over all GPUs of the layout.
"""

from kvdesk.core.geometry import Geometry
from kvdesk.core.layers import Attention, Mla
from kvdesk.engines.base import Question


def attention_only(question: Question) -> bool:
    """Whether data parallelism of this question divides attention only."""
    geometry = question.geometry
    return question.layout.dp > 1 and (geometry.is_latent or geometry.experts > 0)


def weights_on_rank(question: Question) -> int:
    """Bytes of weights on one GPU; a measured figure (`overrides["weights"]`) replaces them, unknown ones count 0."""
    measured = question.overrides.get("weights")
    if measured is not None:
        return measured
    weights, layout = question.weights, question.layout
    if weights is None:
        return 0
    if not attention_only(question):
        return weights.on_rank(layout.tp, layout.pp)
    whole = weights.bytes.value
    parameters = weights.parameters.value if weights.parameters else max(1, whole // 2)
    attention = min(whole, attention_parameters(question.geometry) * whole // parameters)
    return -(-attention // (layout.tp * layout.pp)) + -(-(whole - attention) // layout.gpus)


def attention_parameters(geometry: Geometry) -> int:
    """Parameters of all attention layers, nearly: what data-parallel ranks each keep.

    GQA: hidden x (2 query heads + 2 KV heads) x head width. MLA: hidden x query heads x head width x 1.6, output and
    query-key projections together (DeepSeek-V3: 7,168 x 128 x 128 x 1.6 = 188 M; counted by hand 187 M a layer).
    """
    return sum(_of_part(geometry, part) for layer in geometry.layers for part in layer)


def _of_part(geometry: Geometry, part: object) -> int:
    if isinstance(part, Attention):
        width = part.key_dim + part.value_dim
        return geometry.hidden_size * (geometry.query_heads + part.kv_heads) * width
    if isinstance(part, Mla):
        return geometry.hidden_size * geometry.query_heads * 128 * 8 // 5
    return 0
