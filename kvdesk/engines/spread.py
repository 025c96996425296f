"""Weights per GPU: pipeline stages, and data parallelism that is of attention only.

In a layout of attention data parallelism (SGLang `--enable-dp-attention`, TensorRT-LLM attention DP, for mixtures of
experts and latent attention) every data-parallel rank keeps its own attention and dense weights, while routed experts
are divided over all GPUs.
"""

from kvdesk.core.geometry import Geometry
from kvdesk.core.layers import Attention, Mla
from kvdesk.core.layout import Layout
from kvdesk.core.weights import Weights
from kvdesk.engines.base import Question


def attention_only(question: Question) -> bool:
    """Whether data parallelism of this question divides attention only."""
    geometry = question.geometry
    return question.layout.dp > 1 and (geometry.is_latent or geometry.experts > 0)


def weights_on_rank(question: Question, *, draft: bool = False) -> int:
    """Bytes of weights on the fullest GPU, with those of draft layers where they are loaded.

    A measured figure (`overrides["weights"]`) replaces them, unknown ones count 0.
    """
    measured = question.overrides.get("weights")
    if measured is not None:
        return measured
    weights, layout = question.weights, question.layout
    if weights is None:
        return 0
    spread = _experts(question.geometry, weights) if attention_only(question) else 0
    size = fullest_stage(weights, layout, len(question.geometry.layers), without=spread)
    size += -(-spread // layout.gpus)
    return size + (-(-weights.draft_bytes // layout.tp) if draft else 0)


def weights_written(question: Question, *, draft: bool = False) -> tuple[str, str]:
    """How `weights_on_rank` comes about: in symbols, and with numbers put in; empty where the figure is given."""
    weights, layout = question.weights, question.layout
    if weights is None or "weights" in question.overrides:
        return ("", "")
    spread = _experts(question.geometry, weights) if attention_only(question) else 0
    symbols, numbers = stage_written(weights, layout, len(question.geometry.layers), without=spread)
    if spread:
        symbols, numbers = f"{symbols} + ⌈experts / GPUs⌉", f"{numbers} + ⌈{spread:,} / {layout.gpus}⌉"
    if draft and weights.draft_bytes:
        symbols += " + ⌈draft / TP⌉"
        numbers += f" + ⌈{weights.draft_bytes:,} / {layout.tp}⌉"
    return symbols, numbers


def stage_written(weights: Weights, layout: Layout, layers: int, *, without: int = 0) -> tuple[str, str]:
    """The same of `fullest_stage`."""
    whole, size, tp = weights.replicated_bytes, weights.bytes.value, layout.tp
    body = f"{size:,} − {without:,}" if without else f"{size:,}"
    rest = "weights − experts" if without else "weights"
    if size < without + whole:
        return "whole", f"{whole:,}"
    if layout.pp == layout.tp == 1 and not without:
        return "weights", f"{size:,}"
    if layout.pp == 1 or not layers:
        if not whole:
            return f"⌈({rest}) / TP⌉", f"⌈({body}) / {tp}⌉"
        return f"whole + ⌈({rest} − whole) / TP⌉", f"{whole:,} + ⌈({body} − {whole:,}) / {tp}⌉"
    ends = min(size - without - whole, weights.embedding_bytes + weights.head_bytes)
    last, longest = max(weights.embedding_bytes, weights.head_bytes), -(-layers // layout.pp)
    return (
        f"⌈(whole × TP + {rest} − whole − ends) × stage layers / (layers × TP)⌉ + ⌈larger end / TP⌉",
        f"⌈({whole:,} × {tp} + {body} − {whole:,} − {ends:,}) × {longest} / ({layers} × {tp})⌉ + ⌈{last:,} / {tp}⌉",
    )


def fullest_stage(weights: Weights, layout: Layout, layers: int, *, without: int = 0) -> int:
    """Bytes on a GPU of the largest pipeline stage, `without` some bytes that are counted apart.

    The embedding is on the first stage and the output head, or the tied embedding once more, on the last.
    """
    whole = weights.replicated_bytes
    body = max(0, weights.bytes.value - without - whole)
    if layout.pp == 1 or not layers:
        return whole + -(-body // layout.tp)
    ends = min(body, weights.embedding_bytes + weights.head_bytes)
    longest = -(-layers // layout.pp)
    share = -(-(whole * layout.tp + body - ends) * longest // (layers * layout.tp))
    return share + -(-max(weights.embedding_bytes, weights.head_bytes) // layout.tp)


def attention_parameters(geometry: Geometry) -> int:
    """Parameters of all attention layers, nearly: what data-parallel ranks each keep.

    GQA: hidden x (2 query heads + 2 KV heads) x head width. MLA: hidden x query heads x head width x 1.6, output and
    query-key projections together (DeepSeek-V3: 7,168 x 128 x 128 x 1.6 = 188 M; counted by hand 187 M a layer).
    """
    return sum(_of_part(geometry, part) for layer in geometry.layers for part in layer)


def _experts(geometry: Geometry, weights: Weights) -> int:
    """Bytes of routed experts; where they are not known, all that is not attention."""
    if weights.expert_bytes:
        return weights.expert_bytes
    whole = weights.bytes.value
    parameters = weights.parameters.value if weights.parameters else max(1, whole // 2)
    return max(0, whole - weights.replicated_bytes - attention_parameters(geometry) * whole // parameters)


def _of_part(geometry: Geometry, part: object) -> int:
    if isinstance(part, Attention):
        width = part.key_dim + part.value_dim
        return geometry.hidden_size * (geometry.query_heads + part.kv_heads) * width
    if isinstance(part, Mla):
        return geometry.hidden_size * geometry.query_heads * 128 * 8 // 5
    return 0
