"""Which parallel layouts vLLM starts with.

Sources (vLLM 0.33.0): `config/model.py` `verify_with_parallel_config`, the head checks of the models (`llama.py`),
`model_executor/layers/vocab_parallel_embedding.py` (vocabulary padded to 64, then divided), `distributed/utils.py`
`get_pp_indices`, `v1/kv_cache_interface.py` (windows and chunks do not go with decode context parallelism),
`model_executor/layers/mamba/abstract.py` `supports_dcp`.
"""

from collections.abc import Iterator, Mapping

from kvdesk.core.findings import Finding, refusal
from kvdesk.core.layers import Attention
from kvdesk.core.layout import Layout, pipeline_stages
from kvdesk.core.states import GatedDelta, KimiDelta, LightningAttention, Mamba1, Mamba2, ShortConvolution, State
from kvdesk.engines.vllm.model import Model

VOCABULARY_STEP = 64
"""The vocabulary is padded to a multiple of this before it is divided over ranks."""

WITHOUT_STAGES = frozenset(
    {
        "AliceAI", "DomynEdge", "Dory", "Gemma3n", "HrmText", "IQuestLoopCoder", "Mamba2", "Zamba2", "Aria",
        "FireRedASR2", "FunASR", "DiffusionGemma", "Idefics3", "NemotronH_Nano_VL_V2",
        "NemotronH_Nano_Omni_Reasoning_V3", "NemotronH_Super_Omni_Reasoning_V3", "NemotronH_Omni_Reasoning_V3",
        "PaddleOCRVL", "Phi4MM", "SmolVLM", "CohereAsr", "NemotronParse", "RadioMBartPrefix", "Whisper",
    }
)  # fmt: skip
"""Architectures, less the end of their names, whose classes are no `SupportsPP` (`model_executor/models`)."""


def problems(model: Model, layout: Layout, said: Mapping[str, int]) -> tuple[Finding, ...]:
    """Why vLLM would not start with this layout; `said` are the parallel options given beside it."""
    return (
        *_contradictions(layout, said),
        *_tensor(model, layout),
        *_pipeline(model, layout),
        *_context(model, layout),
    )


def stages(model: Model, layout: Layout) -> tuple[frozenset[int], ...]:
    """The numbers of the layers of each pipeline stage; draft layers, numbered after the model's, are on the last."""
    count = len(model.layers)
    held = [set(range(count)[part]) for part in pipeline_stages(count, layout.pp)]
    held[-1] |= set(range(count, count + len(model.draft)))
    return tuple(frozenset(numbers) for numbers in held)


def _contradictions(layout: Layout, said: Mapping[str, int]) -> Iterator[Finding]:
    sizes = {"tp": layout.tp, "pp": layout.pp, "dp": layout.dp, "dcp": layout.dcp}
    for name, value in said.items():
        if value != sizes[name]:
            yield refusal(
                "contradicting-layout",
                f"The engine's option says {name.upper()} {value}, the layout {name.upper()} {sizes[name]}.",
                f"Give the layout with --{name} only.",
            )


def _tensor(model: Model, layout: Layout) -> Iterator[Finding]:
    tp, geometry = layout.tp, model.geometry
    heads = geometry.query_heads
    if heads and heads % tp:
        good = ", ".join(str(n) for n in range(1, min(heads, 64) + 1) if heads % n == 0)
        yield _impossible(f"TP {tp} does not divide the {heads} query heads.", f"Choose a TP out of {good}.")
    for kept in sorted({part.kv_heads for part in model.attention}):
        if kept % tp and tp % kept:
            yield _impossible(
                f"TP {tp} neither divides the {kept} KV heads nor is a multiple of them.",
                f"Choose a TP that divides {kept} or is a multiple of it.",
            )
    padded = -(-geometry.vocab_size // VOCABULARY_STEP) * VOCABULARY_STEP
    if padded % tp:
        yield _impossible(f"TP {tp} does not divide the vocabulary, padded to {padded:,}.", "Choose a power of two.")
    for state in model.states:
        sizes = [size for size in _divided(state) if size % tp]
        if sizes:
            yield _impossible(
                f"TP {tp} does not divide the {sizes[0]:,} heads or channels of a state.", "Choose another TP."
            )
            return


def _divided(state: State) -> tuple[int, ...]:
    """What ranks divide of a state: heads, or channels where it has none."""
    if isinstance(state, Mamba1):
        return (state.inner,)
    if isinstance(state, Mamba2):
        return (state.heads, state.inner)
    if isinstance(state, GatedDelta):
        return (state.key_heads, state.value_heads)
    if isinstance(state, KimiDelta | LightningAttention):
        return (state.heads,)
    return (state.channels,) if isinstance(state, ShortConvolution) else ()


def _pipeline(model: Model, layout: Layout) -> Iterator[Finding]:
    architecture = model.geometry.architecture
    if layout.pp > 1 and architecture.partition("For")[0] in WITHOUT_STAGES:
        yield _impossible(f"vLLM has no pipeline stages for {architecture}.", "Set PP to 1.")
    count = len(model.layers)
    if layout.pp > count:
        yield _impossible(f"PP {layout.pp} is more than the {count} layers.", f"Choose a PP of at most {count}.")


def _context(model: Model, layout: Layout) -> Iterator[Finding]:
    dcp, tp = layout.dcp, layout.tp
    if dcp == 1:
        return
    if tp % dcp:
        yield _impossible(f"DCP {dcp} does not divide TP {tp}.", "Choose a DCP that divides TP.")
    kinds = {part.kind for part in model.parts}
    windows = any(getattr(part, "window", None) for part in model.parts) or "chunked" in kinds
    if windows or model.has_states:
        what = "recurrent states" if model.has_states else "windows"
        yield _impossible(f"vLLM does not spread the tokens of a model with {what} over ranks.", "Use DCP 1.")
    if not model.is_latent:
        yield from _grouped(model, tp, dcp)


def _grouped(model: Model, tp: int, dcp: int) -> Iterator[Finding]:
    kept = max((part.kv_heads for part in model.parts if isinstance(part, Attention)), default=1)
    if tp <= kept:
        yield _impossible(f"DCP needs a TP above the {kept} KV heads, not TP {tp}.", f"Use TP {2 * kept}, or DCP 1.")
        return
    if dcp > tp // kept:
        yield _impossible(f"DCP {dcp} is more than TP {tp} / {kept} KV heads.", f"Use at most DCP {tp // kept}.")
    queries = model.geometry.query_heads // kept
    if queries and queries % dcp:
        yield _impossible(f"DCP {dcp} does not divide the {queries} query heads per KV head.", "Choose another DCP.")


def _impossible(text: str, remedy: str) -> Finding:
    return refusal("impossible-layout", text, remedy)
