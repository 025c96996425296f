"""What the user must know beside vLLM's numbers."""

from collections.abc import Iterator

from kvdesk.core.findings import Finding, info, refusal, warning
from kvdesk.core.units import both
from kvdesk.engines.base import Question
from kvdesk.engines.vllm import retired
from kvdesk.engines.vllm.arguments import Arguments
from kvdesk.engines.vllm.capacity import Capacity
from kvdesk.engines.vllm.defaults import Batch
from kvdesk.engines.vllm.model import Model, capability, is_nvidia
from kvdesk.engines.vllm.versions import Rules, is_newer_than_profiles

PAST_MODEL = "context-past-model"
"""Code of the finding that a length is past the model's own."""

UNSIZED_DRAFTS = frozenset({"draft_model", "dflash", "dspark"})
"""Speculative methods with a draft model of several layers of its own."""


def of_question(question: Question, arguments: Arguments) -> Iterator[Finding]:
    """Why nothing is sized: lengths that contradict each other or the model, a draft model that is not known."""
    context, longest = question.workload.context, arguments.max_model_len
    limit = question.geometry.max_context
    if longest is not None and context > longest:
        yield refusal(
            "context-past-max-model-len",
            f"Sequences of {context:,} tokens are longer than max_model_len {longest:,}.",
            "Raise max_model_len or shorten the context.",
        )
    elif limit is not None and (longest or context) > limit.value:
        yield refusal(
            PAST_MODEL,
            f"vLLM does not start with max_model_len {longest or context:,}: the model ends at {limit.value:,}.",
            f"Use at most {limit.value:,}.",
        )
    if arguments.speculation and arguments.speculation.method in UNSIZED_DRAFTS:
        yield refusal(
            "draft-model-not-sized",
            f"Speculative decoding by {arguments.speculation.method} keeps a second model's cache, which is not sized.",
            "Size without it, or give the pool that the engine prints.",
        )


def of_sizing(
    question: Question,
    model: Model,
    rules: Rules,
    batch: Batch,
    capacity: Capacity,
    *,
    prefix_caching: bool,
    graphs: bool,
) -> Iterator[Finding]:
    """What to know beside the numbers; `graphs` says that CUDA graphs are captured."""
    if not capacity.starts:
        yield _too_long(capacity)
    yield from _of_sequences(question, model, rules, batch, capacity, graphs=graphs)
    if question.workload.shared_prefix and not prefix_caching:
        yield info("no-prefix-caching", "Prefix caching is off, so nothing is shared between sequences.")
    if question.engine_version and is_newer_than_profiles(question.engine_version):
        yield warning(
            "newer-engine-version",
            f"vLLM {question.engine_version} is newer than the newest profile, whose rules are used.",
            "Compare with the engine's own log.",
        )
    gone = retired.finding(question.geometry.architecture, rules.version)
    if gone:
        yield gone
    if model.drafting.assumed:
        yield warning(
            "assumed-draft",
            "The config does not describe the draft head; it is taken to be one layer with the model's attention.",
            "Compare with the engine's own log.",
        )
    yield from _of_device(question)


def _too_long(capacity: Capacity) -> Finding:
    width = capacity.plan.bytes_per_block[capacity.plan.widest]
    longest = capacity.longest(capacity.max_model_len)
    return warning(
        "one-sequence-does-not-fit",
        f"vLLM would not start: one sequence of {capacity.max_model_len:,} tokens needs "
        f"{both(capacity.per_request * width)} of cache, and {both(capacity.usable * width)} can be used.",
        f"Set max_model_len to at most {longest:,}." if longest else "Free memory or use more GPUs.",
    )


def _of_sequences(
    question: Question, model: Model, rules: Rules, batch: Batch, capacity: Capacity, *, graphs: bool
) -> Iterator[Finding]:
    wanted, replicas = question.workload.sequences, question.layout.dp
    if wanted > batch.sequences * replicas:
        yield warning(
            "past-max-num-seqs",
            f"vLLM runs {batch.sequences * replicas:,} sequences at once here; more of them wait.",
            f"Set max_num_seqs to at least {-(-wanted // replicas):,}.",
        )
    if model.has_states and graphs and rules.states_bound_sequences and batch.sequences > capacity.blocks:
        # `config/compilation.py`: each decoding sequence needs a state block when graphs are captured.
        yield warning(
            "max-num-seqs-past-state-blocks",
            f"vLLM refuses to capture CUDA graphs for {batch.sequences:,} sequences: "
            f"there are {capacity.blocks:,} blocks for their states.",
            f"Set max_num_seqs to at most {capacity.blocks:,}.",
        )


def _of_device(question: Question) -> Iterator[Finding]:
    device = question.device
    if not is_nvidia(device):
        yield info(
            "unmeasured-device",
            f"vLLM's rules were checked on NVIDIA GPUs; on {device.name} another backend may choose other blocks.",
            "Compare with the engine's own log.",
        )
    elif device.compute_capability is None:
        yield info(
            "assumed-capability",
            f"The compute capability of {device.name} is not known and taken as {capability(device)[0]}.0.",
        )
