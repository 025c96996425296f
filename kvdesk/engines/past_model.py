"""Sequences that are longer than the model: findings, not numbers, for engines that do not take them."""

from kvdesk.core.findings import refusal
from kvdesk.core.growth import Growth
from kvdesk.core.values import replace
from kvdesk.engines.base import Answer, Question


def shortened(question: Question) -> Question | None:
    """The question at the model's own longest context; None where its context is within that."""
    longest = question.geometry.max_context
    if longest is None or question.workload.context <= longest.value:
        return None
    return replace(question, workload=replace(question.workload, context=longest.value))


def refused(within: Answer, question: Question, title: str) -> Answer:
    """`within`, the answer at the model's own length, without what it holds: only `max_context` stays true."""
    longest = question.geometry.max_context
    limit = longest.value if longest else 0
    return replace(
        within,
        budget=(),
        logical=Growth(),
        allocated=Growth(),
        logical_bytes_per_sequence=0,
        allocated_bytes_per_sequence=0,
        pool_tokens=0,
        full_length_sequences=0,
        max_concurrency=0.0,
        num_blocks=None,
        block_size=None,
        fits=False,
        limit=None,
        reasons=(),
        findings=(
            refusal(
                "context-past-model",
                f"{title} takes no sequences of {question.workload.context:,} tokens: the model ends at {limit:,}.",
                f"Use at most {limit:,}.",
            ),
        ),
    )
