"""What a GPU option holds with every estimate at its unfavourable and at its favourable end.

Low: all estimated sizes at their high bound at once; high: all at their low bound. A purchase that only holds the
workload at the expected figures is said so.
"""

from collections.abc import Mapping

from kvdesk.app.results import OptionResult, Sizing
from kvdesk.core.budget import estimates
from kvdesk.core.errors import KvdeskError
from kvdesk.core.findings import Finding, warning
from kvdesk.core.values import dataclass, replace
from kvdesk.engines.base import Answer, Question
from kvdesk.engines.registry import engine


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """Bytes of the pool of one GPU and whole sequences of all GPUs, at either end; `low` and `high` of the answer.

    An end at which the engine has no answer holds nothing.
    """

    pool_low: int
    pool_high: int
    sequences_low: int
    sequences_high: int


def band(option: OptionResult) -> Band | None:
    """The band of an option; None where it has no answer."""
    answer, question = option.answer, option.question
    if answer is None or question is None:
        return None
    low, high = worst(answer), best(answer)
    below = _at(question, answer, low) if low else answer
    above = _at(question, answer, high) if high else answer
    return Band(
        pool_low=below.pool_bytes if below else 0,
        pool_high=above.pool_bytes if above else answer.pool_bytes,
        sequences_low=below.full_length_sequences if below else 0,
        sequences_high=above.full_length_sequences if above else answer.full_length_sequences,
    )


def least_sequences(option: OptionResult) -> int:
    """Whole sequences at the unfavourable end alone; 0 without an answer."""
    answer, question = option.answer, option.question
    if answer is None or question is None:
        return 0
    sizes = worst(answer)
    below = _at(question, answer, sizes) if sizes else answer
    return below.full_length_sequences if below else 0


def worst(answer: Answer) -> Mapping[str, int]:
    """Every estimated line at its largest size, by key."""
    return {line.key: line.high for line in estimates(answer.budget) if line.high is not None}


def best(answer: Answer) -> Mapping[str, int]:
    """Every estimated line at its smallest size, by key."""
    return {line.key: line.low for line in estimates(answer.budget) if line.low is not None}


def findings(sizing: Sizing) -> tuple[Finding, ...]:
    """A warning for every option that holds the workload as expected but not at the unfavourable end."""
    found = []
    for option in sizing.options:
        wanted = sizing.workload.sequences
        least = least_sequences(option) if option.fits and not _has_plenty(option, wanted) else wanted
        if least < wanted:
            found.append(_tight(option, least, wanted))
    return tuple(found)


def _has_plenty(option: OptionResult, wanted: int) -> bool:
    """Whether the pool, less all that the estimates can grow by, holds twice what is wanted.

    Most options do, and need no second answer; twice covers what engines round up and keep beside whole sequences.
    """
    answer = option.answer
    if answer is None:
        return False
    lines = estimates(answer.budget)
    grown = sum(int(line.high - line.value) for line in lines if line.high is not None and line.unit == "B")
    each = -(-wanted // answer.layout.dp)
    return answer.pool_bytes - grown >= 2 * each * answer.allocated_bytes_per_sequence


def _tight(option: OptionResult, least: int, wanted: int) -> Finding:
    fit = "sequence fits" if least == 1 else "sequences fit"
    return warning(
        "fits-only-as-expected",
        f"{option.title}: with every estimate at its high end {least:,} {fit}, fewer than the {wanted:,} wanted.",
        "Keep a margin, or measure: start the engine once, compare with its log, or give the pool with --pool-bytes.",
    )


def _at(question: Question, answer: Answer, sizes: Mapping[str, int]) -> Answer | None:
    typed = None if "reserve" in sizes else question.reserve_bytes
    changed = replace(question, overrides={**question.overrides, **sizes}, reserve_bytes=typed)
    try:
        return engine(answer.engine).answer(changed)
    except KvdeskError:
        return None
