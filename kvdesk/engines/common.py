"""What the profiles share: device memory, layout checks, whole sequences in a pool, shared prefixes."""

from collections.abc import Iterable
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from kvdesk.core.device import Device, DeviceMemory
from kvdesk.core.errors import UsageError
from kvdesk.core.geometry import Geometry
from kvdesk.core.growth import Growth
from kvdesk.core.layout import Layout, pipeline_stages
from kvdesk.core.sourced import Origin, Source, Sourced
from kvdesk.core.values import dataclass
from kvdesk.core.workload import Workload


def device_memory(device: Device, basis: DeviceMemory) -> Sourced[int]:
    """Bytes that a budget starts from.

    `marketed`: GB on the box x 1e9. `reported`: what a process sees in total where known, else the driver's total.
    Raises `UsageError` (`no-reported-memory`) where no driver's figure is known for the device.
    """
    if basis is DeviceMemory.MARKETED:
        return device.marketed_bytes
    found = device.engine_bytes or device.reported_bytes
    if found is None:
        raise UsageError(
            "no-reported-memory",
            f"No driver's figure is known for the memory of {device.name}.",
            "",
            "Use --device-memory marketed, or give the pool with --pool-bytes.",
        )
    return found


def known_memory(device: Device, basis: DeviceMemory | None) -> Sourced[int]:
    """The same for where it decides nothing, since the pool is given: the driver's figure, else the marketed one."""
    if basis is not None:
        return device_memory(device, basis)
    return device.engine_bytes or device.reported_bytes or device.marketed_bytes


def fraction_of(size: int, fraction: float, *, up: bool = False) -> int:
    """`size x fraction` in whole bytes, computed in decimals so that 0.92 means 92/100; rounded down unless `up`."""
    exact = size * Decimal(repr(fraction))
    return int(exact.to_integral_value(rounding=ROUND_CEILING if up else ROUND_FLOOR))


def check_utilization(fraction: float) -> float:
    """The fraction itself if 0 < fraction <= 1; raises `UsageError` (`bad-utilization`)."""
    if not 0 < fraction <= 1:
        raise UsageError(
            "bad-utilization", f"The utilization must be above 0 and at most 1, not {fraction:g}.", "", "Try 0.92."
        )
    return fraction


def check_layout(geometry: Geometry, layout: Layout) -> tuple[slice, ...]:
    """The pipeline stages of a possible layout.

    Raises `UsageError` (`bad-layout`) where tp does not divide the query heads or pp is past the layers.
    Source: vLLM 0.33.0 `vllm/config/model.py` `verify_with_parallel_config`.
    """
    heads = geometry.query_heads
    if heads and heads % layout.tp:
        good = [n for n in range(1, min(heads, 64) + 1) if heads % n == 0]
        raise UsageError(
            "bad-layout",
            f"TP {layout.tp} does not divide the {heads} query heads.",
            "Tensor parallelism gives every rank the same number of query heads.",
            f"Choose a TP out of {', '.join(map(str, good))}.",
        )
    return pipeline_stages(len(geometry.layers), layout.pp)


def refuse_dcp(layout: Layout, title: str) -> None:
    """Raise `UsageError` (`bad-layout`) for decode context parallelism, for engines whose profile does not have it."""
    if layout.dcp > 1:
        raise UsageError(
            "bad-layout", f"DCP {layout.dcp} is not in the profile of {title}.", "", "Set dcp to 1, or use vLLM."
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Holding:
    """How a pool is filled by equal sequences, some leading tokens of which may be shared.

    `allocated` is one sequence's bytes on one GPU by tokens, `pool` the GPU's KV bytes, `replicas` the number of
    independent copies of the model that share the sequences (data parallelism), `block` the tokens per block.
    """

    allocated: Growth
    pool: int
    workload: Workload
    replicas: int = 1
    block: int = 1

    @property
    def prefix_tokens(self) -> int:
        """Tokens of the shared prefix that are held once: whole blocks only."""
        return min(self.workload.shared_prefix, self.workload.context) // self.block * self.block

    @property
    def prefix_bytes(self) -> int:
        """Their bytes, of the parts that keep every token."""
        return self.allocated.uncapped().at(self.prefix_tokens)

    @property
    def full_length_sequences(self) -> int:
        """Whole sequences of `context` tokens that all replicas hold together."""
        prefix = self.prefix_bytes
        own = self.allocated.at(self.workload.context) - prefix
        room = self.pool - prefix
        if room < 0 or self.pool <= 0:
            return 0
        if not own:  # nothing grows with another sequence, which no engine would promise: count whole ones
            return self.pool // prefix * self.replicas if prefix else 0
        return room // own * self.replicas

    def largest_context(self, ceiling: int) -> int:
        """Tokens per sequence, at most `ceiling`, at which `sequences` sequences fit; 0 where none does."""
        each = -(-self.workload.sequences // self.replicas)
        others = each - 1
        prefix = self.workload.shared_prefix // self.block * self.block
        shared = self.allocated.uncapped().at(prefix)
        found = self.allocated.times(each).largest(self.pool + others * shared, ceiling)
        if found >= prefix or not others:
            return found
        own = Growth.of(t for t in self.allocated.terms if t.cap is not None or not t.unit)
        return self.allocated.uncapped().plus(own.times(each)).largest(self.pool, min(prefix, ceiling))


def fullest(growths: Iterable[Growth], tokens: int) -> Growth:
    """The growth that is largest at `tokens` tokens: the pipeline stage that decides."""
    return max(growths, key=lambda growth: growth.at(tokens))


def profile_source(engine: str, version: str, detail: str) -> Source:
    """The source of a constant of an engine's profile."""
    return Source(Origin.PROFILE, f"{engine} {version}: {detail}" if version else f"{engine}: {detail}")
