"""The reserve: what an engine takes from its budget beside weights and cache, as an estimate with a band.

`estimate` gives one line per term with its formula, the numbers put in and the source, and the total as the last line
(`key` "reserve"). A term that was measured replaces its estimate (`Question.overrides` by the line's key), a typed
reserve (`Question.reserve_bytes`) replaces the total.

The model: context and libraries + communication + activation peak + sampler state + CUDA graphs + draft model. The
activation peak is the largest of three dummy runs that never happen at once: the sampler's, the forward pass and the
multimodal encoder's (vLLM 0.33.0 `v1/worker/gpu/model_runner.py` `profile_run`).
"""

from collections.abc import Iterable, Mapping

from kvdesk.core.budget import BudgetLine
from kvdesk.core.geometry import Geometry
from kvdesk.core.sourced import Origin, Source
from kvdesk.core.values import dataclass, replace
from kvdesk.engines import reserve_bands as bands
from kvdesk.engines import sparse_workspace
from kvdesk.engines.base import Question
from kvdesk.engines.reserve_bands import Band

ACTIVATION_PARTS = ("activation.sampler", "activation.forward", "activation.encoder")
TERMS = (
    "reserve.context",
    "reserve.communication",
    "reserve.activation",
    "reserve.sampler_state",
    "reserve.graphs",
    "reserve.draft",
    "reserve.sparse",
)
"""Keys of the lines that add up to "reserve"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """What the engine would run at once while it profiles: sequences, tokens of one forward pass."""

    sequences: int
    tokens: int


def estimate(
    question: Question,
    *,
    engine: str,
    version: str,
    max_num_seqs: int,
    max_num_batched_tokens: int,
    max_model_len: int | None = None,
    chunked_prefill: bool = True,
    cuda_graphs: bool = True,
    large_graphs: bool = False,
    speculative: bool = False,
) -> tuple[BudgetLine, ...]:
    """Lines of the reserve of one GPU in bytes, the total last.

    `max_num_seqs` and `max_num_batched_tokens` are the engine's effective settings. Without chunked prefill one pass
    holds a whole prompt of `max_model_len` tokens. `large_graphs` says that graphs are captured up to 1,024 sequences.
    """
    tokens = max_num_batched_tokens
    if not chunked_prefill and max_model_len:
        tokens = max(tokens, max_model_len)
    load = Load(sequences=max_num_seqs, tokens=tokens)
    parts = [_measured(line, question.overrides) for line in _activation_parts(question, engine, load)]
    lines = [
        *parts,
        _band_line("reserve.context", "R_ctx", "Context and libraries", bands.CONTEXT),
        _communication(question),
        _activation(parts),
        _sampler_state(question.geometry, engine, release(version), load),
        _graphs(engine, release(version), cuda_graphs, large_graphs),
        _draft(speculative),
    ]
    if engine == "vllm":
        buffers = sparse_workspace.line(question.geometry, release(version), max_model_len or 0, tokens)
        lines += [buffers] if buffers else []
    return total(lines, question)


def total(lines: list[BudgetLine], question: Question) -> tuple[BudgetLine, ...]:
    """`lines` with measured values put in, terms of 0 bytes left out, and their sum."""
    measured = [_measured(line, question.overrides) for line in lines]
    shown = [line for line in measured if line.value or line.high]
    terms = [line for line in shown if line.key.startswith("reserve.")]
    whole = BudgetLine(
        key="reserve",
        symbol="R",
        label="Reserve",
        value=sum(int(line.value) for line in terms),
        unit="B",
        formula=f"R = {' + '.join(line.symbol for line in terms) or '0'}",
        substituted=" + ".join(f"{int(line.value):,}" for line in terms) or "0",
        source=Source(Origin.ESTIMATE, "sum of the terms above"),
        low=sum(_low(line) for line in terms),
        high=sum(_high(line) for line in terms),
    )
    if question.reserve_bytes is not None:
        typed = replace(whole, source=Source(Origin.USER, "reserve"), value=question.reserve_bytes)
        return (replace(typed, formula="typed", substituted="", low=None, high=None),)
    return (*shown, _measured(whole, question.overrides))


def term(key: str, symbol: str, label: str, band: Band, question: Question) -> BudgetLine:
    """One term as a line of its own, for profiles that arrange their terms differently."""
    return _measured(_band_line(key, symbol, label, band), question.overrides)


def release(version: str) -> tuple[int, ...]:
    """The leading numbers of a version: `"0.20.1rc0"` -> `(0, 20, 1)`; () where there are none."""
    numbers = []
    for part in version.strip().removeprefix("v").split(".")[:3]:
        digits = part[: len(part) - len(part.lstrip("0123456789"))]
        if not digits or len(digits) > 6:
            break
        numbers.append(int(digits))
    return tuple(numbers)


def feed_forward_width(geometry: Geometry) -> int:
    """Elements of the widest feed-forward layer: `intermediate_size` where it was read, else 3.5 x hidden size.

    3.5 is Llama 3.1 8B's ratio (14,336 / 4,096).
    """
    return _fact(geometry, "intermediate_size", "ffn_hidden_size") or geometry.hidden_size * 7 // 2


def forward_elements_per_token(geometry: Geometry, tp: int) -> int:
    """Peak elements per token of one forward pass, the larger of a dense layer's and a mixture of experts'.

    Dense: 3 x feed-forward / tp + 3 x hidden: gate, up and product, divided over ranks; residual, normed input and
    output, which are not. Llama 3.1 8B: 3 x 14,336 + 3 x 4,096 = 55,296, 110,592 B; two logs of vLLM 0.6.4 without
    chunked prefill at 20,000 and 29,000 tokens show 111,190 and 110,760 B (vllm-project/vllm#10517). Qwen2.5-1.5B at
    32,768 tokens: 2.02 GiB, 66,190 B. Experts: k x (3 x expert width / tp + hidden) + 3 x hidden, the workspaces of
    vLLM 0.33.0 `model_executor/layers/fused_moe/fused_moe.py`.
    """
    hidden = geometry.hidden_size
    return max(_dense_elements(geometry, tp), _routed_elements(geometry, tp)) + 3 * hidden


def _forward_text(geometry: Geometry, tp: int) -> tuple[str, str]:
    """The same in symbols and with the numbers put in."""
    hidden, (chosen, width) = geometry.hidden_size, _routing(geometry)
    if _routed_elements(geometry, tp) > _dense_elements(geometry, tp):
        return (
            "experts per token × (3 × ⌈expert width / TP⌉ + hidden size) + 3 × hidden size",
            f"{chosen:,} × (3 × ⌈{width:,} / {tp}⌉ + {hidden:,}) + 3 × {hidden:,}",
        )
    wide = feed_forward_width(geometry)
    return (
        "3 × ⌈feed-forward width / TP⌉ + 3 × hidden size",
        f"3 × ⌈{wide:,} / {tp}⌉ + 3 × {hidden:,}",
    )


def _dense_elements(geometry: Geometry, tp: int) -> int:
    return 3 * -(-feed_forward_width(geometry) // tp)


def _routed_elements(geometry: Geometry, tp: int) -> int:
    chosen, width = _routing(geometry)
    return chosen * (3 * -(-width // tp) + geometry.hidden_size) if width else 0


def _routing(geometry: Geometry) -> tuple[int, int]:
    """Experts per token and the width of one, 0 where they are not known."""
    chosen = _fact(geometry, "num_experts_per_tok", "num_experts_per_token", "moe_topk", "moe_top_k", "top_k_experts")
    return chosen, _fact(geometry, "moe_intermediate_size", "expert_ffn_hidden_size")


def _fact(geometry: Geometry, *names: str) -> int:
    found = [
        fact.value
        for key, fact in geometry.facts.items()
        if key.rpartition(".")[2] in names and "vision" not in key and "audio" not in key
    ]
    return max((value for value in found if isinstance(value, int) and 0 < value < 2**32), default=0)


def _activation_parts(question: Question, engine: str, load: Load) -> list[BudgetLine]:
    lines = [_forward(question, load)]
    if engine == "vllm":
        lines.insert(0, _sampler(question.geometry, load))
    if question.geometry.multimodal:
        lines.append(_encoder(load))
    return lines


def _encoder(load: Load) -> BudgetLine:
    limit = bands.ENCODER_TOKENS
    tokens = max(load.tokens, limit)
    line = _band_line("activation.encoder", "A_enc", "Multimodal encoder's profile run", bands.ENCODER)
    return replace(
        line,
        value=bands.ENCODER.expected * tokens // limit,
        formula=f"A_enc = {bands.ENCODER.expected:,} × max(batched tokens; {limit:,}) / {limit:,}",
        substituted=f"{bands.ENCODER.expected:,} × {tokens:,} / {limit:,}",
        high=bands.ENCODER.high * tokens // limit,
    )


def _sampler(geometry: Geometry, load: Load) -> BudgetLine:
    cells = geometry.vocab_size * load.sequences
    held = 2 * geometry.hidden_size * load.tokens
    peak = -(-bands.SAMPLER_HALF_BYTES * cells // 2)
    return BudgetLine(
        key="activation.sampler",
        symbol="A_smp",
        label="Sampler's profile run",
        value=peak + held,
        unit="B",
        formula="A_smp = ⌈38.5 × vocabulary × max_num_seqs⌉ + 2 × hidden size × batched tokens",
        substituted=(
            f"⌈38.5 × {geometry.vocab_size:,} × {load.sequences:,}⌉ + 2 × {geometry.hidden_size:,} × {load.tokens:,}"
        ),
        source=Source(Origin.ESTIMATE, "fitted to vLLM logs 0.6 to 0.30; lower with the second model runner"),
        low=bands.SAMPLER_LOW_BYTES * cells + held,
        high=peak + held + peak // 10,
    )


def _forward(question: Question, load: Load) -> BudgetLine:
    elements = forward_elements_per_token(question.geometry, question.layout.tp)
    symbols, numbers = _forward_text(question.geometry, question.layout.tp)
    peak = elements * 2 * load.tokens
    return BudgetLine(
        key="activation.forward",
        symbol="A_fwd",
        label="Forward pass of a full batch",
        value=peak,
        unit="B",
        formula=f"A_fwd = ({symbols}) × 2 × batched tokens",
        substituted=f"({numbers}) × 2 × {load.tokens:,}",
        source=Source(Origin.ESTIMATE, "feed-forward workspaces; fitted to vllm-project/vllm#10517"),
        low=peak * 3 // 4,
        high=peak * 2,
    )


def _activation(parts: list[BudgetLine]) -> BudgetLine:
    largest = max(parts, key=lambda line: int(line.value))
    return BudgetLine(
        key="reserve.activation",
        symbol="R_act",
        label="Activation peak",
        value=largest.value,
        unit="B",
        formula=f"R_act = {_most(line.symbol for line in parts)}",
        substituted=_most(f"{int(line.value):,}" for line in parts),
        source=Source(Origin.ESTIMATE, f"largest: {largest.label.lower()}"),
        low=max(_low(line) for line in parts),
        high=max(_high(line) for line in parts),
    )


def _sampler_state(geometry: Geometry, engine: str, version: tuple[int, ...], load: Load) -> BudgetLine:
    kept = engine == "vllm" and version >= bands.FIRST_WITH_PENALTY_STATE
    size = -(-bands.PENALTY_EIGHTH_BYTES * geometry.vocab_size * load.sequences // 8) if kept else 0
    return BudgetLine(
        key="reserve.sampler_state",
        symbol="R_pen",
        label="Penalty counts of the sampler",
        value=size,
        unit="B",
        formula="R_pen = ⌈4.125 × vocabulary × max_num_seqs⌉",
        substituted=f"⌈4.125 × {geometry.vocab_size:,} × {load.sequences:,}⌉",
        source=Source(Origin.PROFILE, "vLLM 0.33.0 v1/worker/gpu/sample/penalties.py"),
        low=0,
        high=size,
    )


def _communication(question: Question) -> BudgetLine:
    ranks = question.layout.tp * question.layout.pp
    band = bands.COMMUNICATION if ranks > 1 or question.layout.dp > 1 else bands.NOTHING
    return _band_line("reserve.communication", "R_com", f"Communication of {question.layout}", band)


def _graphs(engine: str, version: tuple[int, ...], captured: bool, large: bool) -> BudgetLine:
    inside = engine != "vllm" or version >= bands.FIRST_WITH_GRAPHS_INSIDE
    band = bands.GRAPHS_LARGE if large else bands.GRAPHS
    return _band_line("reserve.graphs", "R_gph", "CUDA graphs", band if captured and inside else bands.NOTHING)


def _draft(speculative: bool) -> BudgetLine:
    return _band_line(
        "reserve.draft",
        "R_dft",
        "Draft model's graphs and buffers",
        bands.DRAFT_GRAPHS if speculative else bands.NOTHING,
    )


def _band_line(key: str, symbol: str, label: str, band: Band) -> BudgetLine:
    return BudgetLine(
        key=key,
        symbol=symbol,
        label=label,
        value=band.expected,
        unit="B",
        formula=f"{symbol} = constant",
        source=Source(Origin.ESTIMATE, band.source),
        low=band.low,
        high=band.high,
    )


def _measured(line: BudgetLine, overrides: Mapping[str, int]) -> BudgetLine:
    value = overrides.get(line.key)
    if value is None:
        return line
    return replace(
        line, value=value, formula="measured", substituted="", low=None, high=None, source=Source(Origin.MEASURED)
    )


def _most(texts: Iterable[str]) -> str:
    found = list(texts)
    return found[0] if len(found) == 1 else f"max({'; '.join(found)})"


def _low(line: BudgetLine) -> int:
    return int(line.value) if line.low is None else line.low


def _high(line: BudgetLine) -> int:
    return int(line.value) if line.high is None else line.high
