"""How far the answer moves with each input: the same question derived again with one input changed."""

from collections.abc import Iterator, Mapping

from kvdesk.app import bands
from kvdesk.app.derive import Deriver
from kvdesk.app.results import OptionResult, Sizing
from kvdesk.app.session import Session
from kvdesk.core import number_formats
from kvdesk.core.budget import BudgetLine
from kvdesk.core.device import DeviceMemory
from kvdesk.core.errors import KvdeskError
from kvdesk.core.units import both
from kvdesk.core.values import dataclass, replace
from kvdesk.engines.base import Answer
from kvdesk.report.inputs import Band, Swing

UTILIZATION_STEP = 0.05
"""Either side of the present utilization, about the range in which engines are run."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One input at two other values; None is a value left as it is."""

    key: str
    label: str
    low_text: str
    high_text: str
    low: Session | None
    high: Session | None


def swings(session: Session, sizing: Sizing, option: OptionResult, deriver: Deriver) -> tuple[Swing, ...]:
    """The swings of one option that has an answer, the widest first."""
    answer = option.answer
    if answer is None:
        return ()
    alone = replace(session, gpus=(option.choice,))
    found = [_swing(change, answer, deriver) for change in _changes(alone, sizing, option, answer)]
    return tuple(sorted((swing for swing in found if swing), key=_width, reverse=True))


def band(option: OptionResult) -> Band | None:
    """Pool and sequences with all estimates at their bounds at once; None where the option has no answer."""
    answer, ends = option.answer, bands.band(option)
    if answer is None or ends is None:
        return None
    return Band(
        low=ends.sequences_low,
        expected=answer.full_length_sequences,
        high=ends.sequences_high,
        pool_low=ends.pool_low,
        pool_expected=answer.pool_bytes,
        pool_high=ends.pool_high,
    )


def _changes(session: Session, sizing: Sizing, option: OptionResult, answer: Answer) -> Iterator[Change]:
    lines = {line.key: line for line in answer.budget}
    if "utilization" in lines:
        yield _utilization(session, lines["utilization"])
    yield from _estimates(session, answer)
    yield from _formats(session, sizing, answer)
    yield from _lengths(session, sizing)
    if session.pool_bytes is None and option.question is not None:
        yield _device_memory(session)


def _utilization(session: Session, line: BudgetLine) -> Change:
    now = float(line.value)
    low, high = round(max(now - UTILIZATION_STEP, 0.01), 4), round(min(now + UTILIZATION_STEP, 1.0), 4)
    return Change(
        key="utilization",
        label="Utilization",
        low_text=f"{low:g}",
        high_text=f"{high:g}",
        low=replace(session, utilization=low),
        high=replace(session, utilization=high),
    )


def _estimates(session: Session, answer: Answer) -> Iterator[Change]:
    """Each estimated line of the budget at its own bounds; the larger figure is the unfavourable end."""
    for line in answer.budget:
        if line.low is not None and line.high is not None:
            yield Change(
                key=line.key,
                label=line.label,
                low_text=both(line.high),
                high_text=both(line.low),
                low=_overridden(session, {line.key: line.high}),
                high=_overridden(session, {line.key: line.low}),
            )


def _overridden(session: Session, sizes: Mapping[str, int]) -> Session:
    without = replace(session, reserve_bytes=None) if "reserve" in sizes else session
    return replace(without, budget_overrides={**session.budget_overrides, **sizes})


def _formats(session: Session, sizing: Sizing, answer: Answer) -> Iterator[Change]:
    """The cache in 8 bits instead of 16, or the other way round."""
    now = number_formats.get(answer.kv_dtype)
    half = now.block_bytes >= 2 * now.block
    other = replace(session, kv_dtype="fp8" if half else "bf16")
    yield Change(
        key="kv_dtype",
        label="Cache format",
        low_text=now.name if half else "bf16",
        high_text="fp8" if half else now.name,
        low=None if half else other,
        high=other if half else None,
    )
    weights = sizing.weights
    if weights and weights.parameters and weights.bytes.value >= 2 * weights.parameters.value:
        yield Change(
            key="weights_dtype",
            label="Weights format",
            low_text="as they are",
            high_text="fp8 (on paper)",
            low=None,
            high=replace(session, weights_dtype="fp8", weights_bytes=None),
        )


def _lengths(session: Session, sizing: Sizing) -> Iterator[Change]:
    context, workload = sizing.workload.context, sizing.workload
    limit = sizing.geometry.max_context
    longer = context * 2 if limit is None or context * 2 <= limit.value else None
    shorter = max(context // 2, 1)
    prefix = min(session.shared_prefix, shorter)
    yield Change(
        key="context",
        label="Context",
        low_text=f"{longer:,} tokens" if longer else f"{context:,} tokens",
        high_text=f"{shorter:,} tokens",
        low=replace(session, context=longer) if longer else None,
        high=replace(session, context=shorter, shared_prefix=prefix),
    )
    if workload.sequences > 1:
        shared = workload.shared_prefix
        yield Change(
            key="shared_prefix",
            label="Shared prefix",
            low_text="0 tokens",
            high_text=f"{shared or context // 2:,} tokens",
            low=replace(session, shared_prefix=0) if shared else None,
            high=None if shared else replace(session, context=context, shared_prefix=context // 2),
        )


def _device_memory(session: Session) -> Change:
    marketed = replace(session, device_memory=DeviceMemory.MARKETED)
    reported = replace(session, device_memory=DeviceMemory.REPORTED)
    return Change(
        key="device_memory",
        label="Device memory",
        low_text=DeviceMemory.REPORTED.value,
        high_text=DeviceMemory.MARKETED.value,
        low=reported,
        high=marketed,
    )


def _swing(change: Change, answer: Answer, deriver: Deriver) -> Swing | None:
    """The change's two answers; None where they tell nothing beside the present one."""
    now = answer.full_length_sequences
    low = _sequences(change.low, deriver) if change.low else now
    high = _sequences(change.high, deriver) if change.high else now
    if {low, high} <= {None, now} and None in (low, high):
        return None
    if low is not None and high is not None and low > high:
        low, high, change = high, low, replace(change, low_text=change.high_text, high_text=change.low_text)
    return Swing(key=change.key, label=change.label, from_=change.low_text, to=change.high_text, low=low, high=high)


def _sequences(session: Session, deriver: Deriver) -> int | None:
    try:
        answer = deriver.derive(session).options[0].answer
    except KvdeskError:
        return None
    return answer.full_length_sequences if answer else None


def _width(swing: Swing) -> int:
    ends = [end for end in (swing.low, swing.high) if end is not None]
    return max(ends) - min(ends) if len(ends) > 1 else 0
