"""The verdict of an option in a sentence: fits or not, how many sequences, what limits it, what to change."""

from kvdesk.app.results import OptionResult
from kvdesk.core import number_formats
from kvdesk.core.findings import Severity
from kvdesk.core.units import both
from kvdesk.engines.base import Answer


def verdict(option: OptionResult) -> str:
    """For example "FITS  1 × H100 SXM: 50 sequences of 8,192 tokens fit, 1 is wanted; one alone could have up to ...".

    The longest context is that at which as many as are wanted still fit.
    """
    answer = option.answer
    head = option.title + (f" ({answer.layout})" if answer and answer.layout.gpus > 1 else "")
    return f"{'FITS ' if option.fits else 'NO   '} {head}: {sentence(option)}"


def sentence(option: OptionResult) -> str:
    """The verdict without the option's name: what it holds, how that compares with what is wanted, what to change."""
    answer, question = option.answer, option.question
    if answer is None or question is None:
        error = option.error
        return " ".join(part for part in (error.title, error.detail, error.remedy) if part) if error else ""
    context, wanted = question.workload.context, question.workload.sequences
    holds = f"{answer.full_length_sequences:,} {_sequences(answer.full_length_sequences)} of {context:,} tokens"
    if answer.fits:
        fit = "fits" if answer.full_length_sequences == 1 else "fit"
        are = "is" if wanted == 1 else "are"
        return f"{holds} {fit}, {wanted:,} {are} wanted{_longest(wanted, answer.max_context)}."
    refused = next((f for f in answer.findings if f.severity is Severity.REFUSAL), None)
    return f"{refused.text} {refused.remedy}".strip() if refused else _why(answer, holds, wanted)


def headroom(option: OptionResult) -> str:
    """What is left of the sequences an option holds, such as "7 % headroom.", or "" where it does not fit."""
    answer, question = option.answer, option.question
    if answer is None or question is None or not answer.fits or not answer.full_length_sequences:
        return ""
    spare = answer.full_length_sequences - question.workload.sequences
    if not spare and any(finding.code == "state-slots-assumed" for finding in answer.findings):
        return "The states are counted for that many; how many more fit, max_batch_size decides."
    return f"{spare * 100 // answer.full_length_sequences} % headroom."


def _why(answer: Answer, holds: str, wanted: int) -> str:
    if answer.limit == "weights":
        return (
            f"weights {both(answer.weights_bytes)} and reserve {both(answer.reserve_bytes)} exceed the budget of "
            f"{both(answer.budget_bytes)} per GPU. Try more GPUs, a larger GPU, or fewer bytes per weight."
        )
    if answer.limit == "layout":
        return "the layout is not possible."
    longest = f"; {wanted:,} fit up to {answer.max_context:,} tokens" if answer.max_context else ""
    return f"holds {holds}, {wanted:,} are wanted{longest}. {_remedy(answer)}"


def _remedy(answer: Answer) -> str:
    """What is left to try: a smaller cache only where it has two bytes or more a value."""
    fmt = number_formats.get(answer.kv_dtype)
    smaller = "an fp8 cache, " if fmt.block_bytes >= 2 * fmt.block else ""
    return f"Try a shorter context, {smaller}or more GPUs."


def _longest(wanted: int, context: int) -> str:
    if not context:
        return ""
    those, each = ("one alone", "") if wanted == 1 else (f"{wanted:,}", " each")
    return f"; {those} could have up to {context:,} tokens{each}"


def _sequences(count: int) -> str:
    return "sequence" if count == 1 else "sequences"
