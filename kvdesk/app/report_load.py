"""Expected load and tiers as a report takes them."""

import hashlib

from kvdesk.app import expected
from kvdesk.app.distribution import Lengths
from kvdesk.app.results import Sizing
from kvdesk.core.json_value import JsonValue
from kvdesk.core.values import dataclass
from kvdesk.report import inputs


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadAsked:
    """Lengths of requests, and tiers by store and size in bytes; what is None or empty was not asked."""

    lengths: Lengths | None = None
    tiers: tuple[tuple[str, int], ...] = ()

    def as_input(self) -> JsonValue:
        """What identifies it among a scenario's inputs; long lists by their hash."""
        pairs = repr(self.lengths.pairs if self.lengths else ()).encode("ascii")
        return {"lengths": hashlib.sha256(pairs).hexdigest(), "tiers": [[name, size] for name, size in self.tiers]}


def lengths(asked: LoadAsked) -> inputs.Lengths | None:
    """Mean and 95th percentile of prompts and outputs, in tokens."""
    found = asked.lengths
    if found is None:
        return None
    counted = (
        found.mean_prompt,
        float(_p95([prompt for prompt, _ in found.pairs])),
        found.mean_output,
        float(_p95([output for _, output in found.pairs])),
    )
    prompt_mean, prompt_p95, output_mean, output_p95 = found.moments or counted
    return inputs.Lengths(
        prompt_mean=prompt_mean,
        prompt_p95=prompt_p95,
        output_mean=output_mean,
        output_p95=output_p95,
        origin="given; taken as log-normal"
        if found.moments
        else f"counted from a list of {len(found.pairs):,} requests",
    )


def loads(sizing: Sizing, asked: LoadAsked) -> tuple[inputs.Load, ...]:
    """The expected load of every option that was sized."""
    if asked.lengths is None:
        return ()
    found = ((i, expected.of_option(sizing, option, asked.lengths)) for i, option in enumerate(sizing.options))
    return tuple(
        inputs.Load(
            option=i,
            mean_tokens=one.mean_tokens,
            mean_bytes=one.mean_bytes,
            live=one.live,
            preemption=one.preemption,
            longest=one.longest,
            too_long=one.too_long,
        )
        for i, one in found
        if one is not None
    )


def tiers(sizing: Sizing, asked: LoadAsked) -> tuple[inputs.HostTier, ...]:
    """The tiers beside every option that was sized."""
    return tuple(
        _tier(i, one)
        for i, option in enumerate(sizing.options)
        for one in expected.tiers_of(sizing, option, asked.tiers)
    )


def _tier(option: int, found: expected.TierResult) -> inputs.HostTier:
    one = found.tier
    if one is None:
        return inputs.HostTier(option=option, name=found.name, size=found.size, error=str(found.error))
    return inputs.HostTier(
        option=option,
        name=one.store.title,
        size=one.size,
        total=one.total_bytes,
        chunk=one.chunk,
        tokens=one.tokens,
        sequences=one.sequences,
        source=one.store.source,
    )


def _p95(values: list[int]) -> int:
    """The smallest value that 95 in 100 do not exceed."""
    return sorted(values)[-(-len(values) * 95 // 100) - 1]
