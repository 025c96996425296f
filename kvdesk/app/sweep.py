"""Sweeps over the context: the points of the plots and of the report's tables."""

from kvdesk.app.results import OptionResult, Sizing
from kvdesk.core.values import dataclass

SMALLEST = 256
_STEPS_PER_OCTAVE = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Memory of one GPU of an option by context: bytes at each of `contexts` tokens.

    `total` = `base` (weights and reserve) + cache of `sequences` sequences, spread over the replicas. `capacity` is
    what the engine may use, in bytes, and `crossing` the context at which the total reaches it (0: never fits; None:
    beyond the range). `fitting` is the number of whole sequences of that length that all GPUs of the option hold.
    """

    title: str
    contexts: tuple[int, ...]
    base: int
    weights: int
    reserve: int
    logical: tuple[int, ...]
    allocated: tuple[int, ...]
    total: tuple[int, ...]
    fitting: tuple[int, ...]
    capacity: int
    crossing: int | None


def contexts(longest: int) -> tuple[int, ...]:
    """Contexts from 256 tokens to `longest`, eight to an octave, all powers of two among them."""
    points = {longest}
    octave = SMALLEST
    while octave < longest:
        points.update(t for i in range(_STEPS_PER_OCTAVE) if (t := octave + octave * i // _STEPS_PER_OCTAVE) < longest)
        octave *= 2
    return tuple(sorted(points))


def longest_context(sizing: Sizing) -> int:
    """The right end of the plots: the model's maximum, but at least the context asked for."""
    limit = sizing.geometry.max_context
    return max(limit.value if limit else 131072, sizing.workload.context, SMALLEST * 2)


def curve(sizing: Sizing, option: OptionResult, points: tuple[int, ...]) -> Curve | None:
    """The curve of one option, None where it has no answer or the engine would not start."""
    answer = option.answer
    if answer is None or answer.refused:
        return None
    each = -(-sizing.workload.sequences // answer.layout.dp)
    prefix = min(sizing.workload.shared_prefix, sizing.workload.context)
    block = answer.block_size or 1
    shared = answer.allocated.uncapped()
    base = answer.weights_bytes + answer.reserve_bytes

    # Every plot and bar is made of these sums, so each growth is asked once for each point.
    single = answer.allocated.over(points)
    once = shared.over(min(prefix, t) // block * block for t in points) if prefix else (0,) * len(points)
    held = tuple(each * size - (each - 1) * common for size, common in zip(single, once, strict=True))
    pool, replicas = answer.pool_bytes, answer.layout.dp
    return Curve(
        title=option.title,
        contexts=points,
        base=base,
        weights=answer.weights_bytes,
        reserve=answer.reserve_bytes,
        logical=tuple(each * size for size in answer.logical.over(points)),
        allocated=held,
        total=tuple(base + size for size in held),
        fitting=tuple(
            (pool - common) // (size - common) * replicas if size > common < pool else 0
            for size, common in zip(single, once, strict=True)
        ),
        capacity=answer.usable_bytes,
        crossing=answer.max_context if answer.max_context < points[-1] else None,
    )
