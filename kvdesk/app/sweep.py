"""Sweeps over the context: the points of the plots and of the report's tables."""

from functools import lru_cache

from kvdesk.app.results import OptionResult, Sizing
from kvdesk.core.growth import Growth
from kvdesk.core.values import dataclass

SMALLEST = 256
_STEPS_PER_OCTAVE = 8
_KEPT = 64
"""Growths whose points are kept: more than the options of all scenarios of a window."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """Memory of one GPU of an option by context: bytes at each of `contexts` tokens.

    `total` = `base` (weights and reserve) + cache of `each` sequences of one replica. `single` is the cache of one
    sequence, `shared` the part of it that all have in common. `pool` is the room for it, `capacity` what the engine may
    use in all and `crossing` the context at which the total reaches it (0: never fits; None: beyond the range).
    """

    title: str
    contexts: tuple[int, ...]
    weights: int
    reserve: int
    each: int
    replicas: int
    single: tuple[int, ...]
    shared: tuple[int, ...]
    total: tuple[int, ...]
    pool: int
    capacity: int
    crossing: int | None

    @property
    def base(self) -> int:
        """Bytes of weights and reserve."""
        return self.weights + self.reserve

    @property
    def allocated(self) -> tuple[int, ...]:
        """Bytes of the cache of all sequences."""
        base = self.base
        return tuple(total - base for total in self.total)

    @property
    def fitting(self) -> tuple[int, ...]:
        """The number of whole sequences of each length that all GPUs of the option hold."""
        return tuple(
            (self.pool - common) // (size - common) * self.replicas if size > common < self.pool else 0
            for size, common in zip(self.single, self.shared, strict=True)
        )


@lru_cache(maxsize=_KEPT)
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
    base = answer.weights_bytes + answer.reserve_bytes

    # Every plot and bar is made of these sums, and a step of the workload changes neither of the two growths.
    single = _over(answer.allocated, points)
    once = answer.allocated.uncapped().over(min(prefix, t) // block * block for t in points) if prefix else ()
    shared = once or (0,) * len(points)
    total = (
        tuple(base + each * size - (each - 1) * common for size, common in zip(single, shared, strict=True))
        if once
        else tuple(base + each * size for size in single)
    )
    return Curve(
        title=option.title,
        contexts=points,
        weights=answer.weights_bytes,
        reserve=answer.reserve_bytes,
        each=each,
        replicas=answer.layout.dp,
        single=single,
        shared=shared,
        total=total,
        pool=answer.pool_bytes,
        capacity=answer.usable_bytes,
        crossing=answer.max_context if answer.max_context < points[-1] else None,
    )


def _over(growth: Growth, points: tuple[int, ...]) -> tuple[int, ...]:
    """The growth at each point; a single one costs less than looking it up."""
    return _swept(growth, points) if len(points) > 1 else growth.over(points)


@lru_cache(maxsize=_KEPT)
def _swept(growth: Growth, points: tuple[int, ...]) -> tuple[int, ...]:
    return growth.over(points)
