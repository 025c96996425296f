"""What a GPU of each pipeline stage holds of the weights.

Sources (vLLM 0.33.0): `model_executor/layers/linear.py` `QKVParallelLinear` (KV heads copied past their count),
`model_executor/layers/fused_moe` (routed experts are divided over TP x DP, by expert or by width),
`model_executor/layers/vocab_parallel_embedding.py`, `distributed/utils.py` `get_pp_indices` and the models' first and
last stages (embedding on the first; output head on the last, which needs the embedding where it is tied).

By hand, Llama-3.1-70B in bf16 at TP 4 and PP 3: 141,107,412,992 B, of which embedding and head 2 x 2,101,346,304 B and
norms 161 x 8,192 x 2 = 2,637,824 B that every rank holds. The first stage has 27 of 80 layers:
(2,637,824 x 4 + 136,902,082,560) x 27 / (80 x 4) + 2,101,346,304 / 4 = 12,077,340,057 B; the engine's own model has
12,077,334,528, since its last norm is on the last stage.
"""

from collections.abc import Iterable

from kvdesk.core.geometry import Geometry
from kvdesk.core.layers import Attention, heads_on_rank
from kvdesk.core.layout import Layout, pipeline_stages
from kvdesk.core.values import dataclass
from kvdesk.core.weights import Weights
from kvdesk.engines.vllm.model import Model
from kvdesk.engines.vllm.versions import Rules

_TRITON_STEP = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Shares:
    """Bytes of one GPU of each stage, and how they came about for the fullest."""

    stages: tuple[int, ...]
    formula: str
    substituted: str

    @property
    def fullest(self) -> int:
        """The largest of them."""
        return max(self.stages)


def shares(weights: Weights, model: Model, layout: Layout, rules: Rules) -> Shares:
    """The weights of `layout`; draft layers, where speculative decoding loads them, are on the last stage."""
    geometry, tp, dp = model.geometry, layout.tp, layout.dp
    whole, experts = weights.replicated_bytes, _padded_experts(weights, model, layout, rules)
    ends = weights.embedding_bytes + weights.head_bytes
    rest = max(0, weights.bytes.value - whole - weights.expert_bytes - ends)
    copied = _copied_heads(weights, geometry, tp)
    # One GPU's share of all layers, in fractions of tp x dp so that every step stays an integer.
    body = whole * tp * dp + rest * dp + copied * tp * dp
    count = max(1, len(geometry.layers))
    dense = min(_first_dense(geometry), count - 1)
    sizes, texts = [], []
    for number, part in enumerate(pipeline_stages(count, layout.pp)):
        layers = part.stop - part.start
        end = weights.embedding_bytes if number == 0 else 0
        if number == layout.pp - 1:
            end += weights.head_bytes or (weights.embedding_bytes if layout.pp > 1 else 0)
            end += _draft(weights, model)
        routed = max(0, part.stop - max(part.start, dense))
        shared = body * layers * (count - dense) + experts * routed * count
        sizes.append(-(-shared // (count * (count - dense) * tp * dp)) + -(-end // tp))
        bodies = (
            Part("whole", whole, (layers,), (count,)),
            Part("copied", copied, (layers,), (count,)),
            Part("divided", rest, (layers,), (count, tp)),
            Part("experts", experts, (routed,), (count - dense, tp, dp)),
        )
        texts.append(_text(bodies, Part("ends", end, (), (tp,))))
    symbols, numbers = texts[sizes.index(max(sizes))]
    return Shares(stages=tuple(sizes), formula=f"W = {symbols}", substituted=numbers)


def _draft(weights: Weights, model: Model) -> int:
    """Bytes of the draft layers that are loaded; of a head that nothing describes, those of as many mean layers."""
    if not model.draft or weights.draft_bytes:
        return weights.draft_bytes if model.draft else 0
    body = max(0, weights.bytes.value - weights.embedding_bytes - weights.head_bytes - weights.encoder_bytes)
    return -(-body * len(model.draft) // max(1, len(model.geometry.layers)))


@dataclass(frozen=True, slots=True)
class Part:
    """A part of the weights: its bytes, what they are multiplied with and what they are divided by."""

    name: str
    size: int
    times: tuple[int, ...]
    over: tuple[int, ...]

    @property
    def symbols(self) -> str:
        """In words; what is the same on every rank is not divided."""
        return self.name + _fraction(self.times, self.over, _DEGREES[self.name])

    @property
    def numbers(self) -> str:
        """With numbers put in."""
        return f"{self.size:,}" + _fraction(self.times, self.over, ())


_DEGREES = {
    "whole": ("stage layers", "layers"),
    "copied": ("stage layers", "layers"),
    "divided": ("stage layers", "layers", "TP"),
    "experts": ("stage expert layers", "expert layers", "TP", "DP"),
    "ends": ("TP",),
}


def _fraction(times: tuple[int, ...], over: tuple[int, ...], names: tuple[str, ...]) -> str:
    """` × a / (b × c)`, factors that cancel or are 1 left out; `names` instead of numbers where given."""
    words = names or tuple(f"{n:,}" for n in (*times, *over))
    above = list(zip(times, words, strict=False))
    below = list(zip(over, words[len(times) :], strict=True))
    if above and below and above[0][0] == below[0][0]:
        above, below = above[1:], below[1:]
    tops = [word for size, word in above if size != 1]
    bottoms = [word for size, word in below if size != 1]
    text = "".join(f" × {word}" for word in tops)
    if not bottoms:
        return text
    return f"{text} / {bottoms[0]}" if len(bottoms) == 1 else f"{text} / ({' × '.join(bottoms)})"


def _text(bodies: Iterable[Part], end: Part) -> tuple[str, str]:
    """The sum in symbols and in numbers, without parts of 0 bytes; each of both summands is rounded up."""
    kept = [term for term in bodies if term.size and all(term.times)]
    symbols = [_rounded(" + ".join(term.symbols for term in kept))] if kept else []
    numbers = [_rounded(" + ".join(term.numbers for term in kept))] if kept else []
    if end.size:
        symbols.append(_rounded(end.symbols))
        numbers.append(_rounded(end.numbers))
    words = " + ".join(symbols) or "0"
    return "weights" if words == "divided" else words, " + ".join(numbers) or "0"


def _rounded(text: str) -> str:
    return f"⌈{text}⌉" if "/" in text else text


def _padded_experts(weights: Weights, model: Model, layout: Layout, rules: Rules) -> int:
    """Bytes of all experts with the padding of MXFP4 kernels.

    Source: `model_executor/layers/fused_moe/oracle/mxfp4.py`: Triton on Hopper pads the width of a shard to 64, Marlin
    (and TensorRT-LLM on SM 10.x) to 128 or more, and the hidden size to 256. gpt-oss-120b on a B200: 2,880 x 2,880
    becomes 2,944 x 3,072, 9 % more; so on an H100 before 0.12, where logs show 64.38 GiB with Triton's kernels of that
    time and 65.9 with Marlin, against 60.77 as stored.
    """
    geometry = model.geometry
    width = _fact(geometry, "moe_intermediate_size") or _fact(geometry, "intermediate_size")
    known = width and geometry.hidden_size and model.on_nvidia
    if "mxfp4" not in geometry.quantization or not known:
        return weights.expert_bytes
    shard = max(1, width if model.expert_parallel else width // (layout.tp * layout.dp))
    step = {9: rules.mxfp4_hopper_step, 10: rules.mxfp4_blackwell_step}.get(model.capability[0], 128)
    hidden = geometry.hidden_size
    tall = hidden if step == _TRITON_STEP else -(-hidden // 256) * 256
    return weights.expert_bytes * (-(-shard // step) * step) * tall // (shard * hidden)


def _fact(geometry: Geometry, name: str) -> int:
    found = [fact.value for key, fact in geometry.facts.items() if key.rpartition(".")[2] == name]
    return max((n for n in found if isinstance(n, int) and 0 < n < 1 << 32), default=0)


def _first_dense(geometry: Geometry) -> int:
    """Layers at the start that have no experts."""
    return _fact(geometry, "first_k_dense_replace")


def _copied_heads(weights: Weights, geometry: Geometry, tp: int) -> int:
    """Bytes that one rank holds of key and value projections beyond an even share, where heads are copied."""
    parameters = weights.parameters.value if weights.parameters else 0
    if not parameters or not geometry.hidden_size:
        return 0
    extra = 0
    for part in geometry.parts():
        if isinstance(part, Attention) and part.kv_heads < tp:
            width = part.key_dim + part.value_dim
            extra += (heads_on_rank(part.kv_heads, tp) * tp - part.kv_heads) * width * geometry.hidden_size
    return extra * weights.bytes.value // (parameters * tp)
