"""vLLM as an engine profile.

Golden examples, worked by hand and equal to what the engine's own code gives (0.33.0, a pool of 54.5 GiB =
58,518,929,408 B where none is named):

| model | by hand |
|---|---|
| Llama-3.1-8B, TP 1 | `capacity.py`: 27,904 blocks, 446,464 tokens, 3.41x at 131,072 |
| Gemma-3-27B, TP 1 | 6 window groups x 1,089 + 8,192 = 14,726 blocks; 44,646 / 14,726 = 3.0318; 397,381 tokens |
| DeepSeek-V3, TP 8 | 61 x 16 x 1,152 = 1,124,352 B on every rank; 52,046 blocks; 832,736 tokens; DCP 2 doubles it |
| DeepSeek-V3.2, TP 8 | block 64: 61 x 64 x (1,152 + 132) = 5,012,736 B; 11,674 blocks; 747,136 tokens |
| Qwen3-Next-80B, TP 1 | block 576: 12 x 576 x 2,048 = 14,155,776 B; 456 + 3 x 3 = 465; 4,133 blocks; 2,329,980 tokens |
| Whisper-large-v3 | 448 / 16 = 28 and 8,192 / 16 = 512 blocks; 2,621,440 B; 10 GiB hold 4,096 / 540 = 7.59 |
| H100 budget | ceil(0.92 x 85,520,809,984) = 78,679,145,186 B |
"""

from kvdesk.core.findings import Finding, Severity, refusal
from kvdesk.core.states import Mamba1, Mamba2, ShortConvolution
from kvdesk.core.values import replace
from kvdesk.engines.base import Answer, Question
from kvdesk.engines.vllm import notes, start_up, versions
from kvdesk.engines.vllm.refused import refused
from kvdesk.engines.vllm.sizing import Sizing
from kvdesk.engines.vllm.start import Start, started


class VllmEngine:
    """The memory planning of vLLM."""

    name = "vllm"
    title = "vLLM"
    versions = versions.VERSIONS

    def resolve_kv_dtype(self, question: Question) -> str:
        """The format of the cache; of a format that the engine would refuse, its own name."""
        return started(question).format.name

    def answer(self, question: Question) -> Answer:
        """What vLLM would allocate and print; with a `refusal` finding and no numbers where it would not start."""
        rules = versions.rules(question.engine_version)
        start = started(question)
        args = start.arguments
        layout = start.layout_problems
        found = (*args.findings, *layout, *notes.of_question(question, args), *_of_versions(start))
        found = (*found, *start_up.steps(question, args, rules), *start.option_problems)
        if start.resolved.problem:
            found = (*found, start.resolved.problem)
        refusals = [finding.code for finding in found if finding.severity is Severity.REFUSAL]
        longest = question.geometry.max_context
        if refusals == [notes.PAST_MODEL] and longest is not None:
            shorter = replace(question, workload=replace(question.workload, context=longest.value))
            free = Start(question, replace(args, max_model_len=None))
            within = Sizing(shorter, free, ()).answer().max_context
            return refused(question, rules, start.format, found, limit=None, max_context=within)
        if refusals:
            return refused(question, rules, start.format, found, limit="layout" if layout else None)
        return Sizing(question, start, found).answer()


def _of_versions(start: Start) -> tuple[Finding, ...]:
    """What older versions keep in ways that are not worked out."""
    model, rules = start.model, start.rules
    kept = any(isinstance(state, Mamba1 | Mamba2 | ShortConvolution) for state in model.states)
    if kept and start.prefix_caching and rules.state_per_block:
        return (
            _not_modelled(
                rules,
                "keeps a state for every block with prefix caching",
                "Set enable_prefix_caching=false, or choose 0.28",
            ),
        )
    if model.has_states and rules.windows_in_full:
        return (_not_modelled(rules, "keeps states outside its pool of blocks", "Choose 0.9.2 or newer"),)
    if model.is_latent and rules.first_engine:
        return (_not_modelled(rules, "does not keep latents as such", "Choose 0.8.0 or newer"),)
    return ()


def _not_modelled(rules: versions.Rules, what: str, instead: str) -> Finding:
    return refusal("version-not-modelled", f"vLLM {rules.version} {what}, which is not sized.", f"{instead}.")


ENGINE = VllmEngine()
