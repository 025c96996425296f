"""Expected load and offload tiers of each GPU option of a sizing: beside the worst case, never mixed with it."""

from kvdesk.app.distribution import Expected, Lengths, expect
from kvdesk.app.results import OptionResult, Sizing
from kvdesk.core import number_formats
from kvdesk.core.errors import KvdeskError
from kvdesk.core.json_value import JsonValue
from kvdesk.core.values import dataclass
from kvdesk.engines.offload import Tier, tier

JsonObject = dict[str, JsonValue]


@dataclass(frozen=True, slots=True, kw_only=True)
class TierResult:
    """A tier of one GPU option, or why it has none."""

    name: str
    size: int
    tier: Tier | None = None
    error: KvdeskError | None = None


def of_option(sizing: Sizing, option: OptionResult, lengths: Lengths) -> Expected | None:
    """The expected load of an option; None where it has no answer."""
    return expect(option.answer, lengths, shared_prefix=sizing.workload.shared_prefix) if option.answer else None


def tiers_of(sizing: Sizing, option: OptionResult, wanted: tuple[tuple[str, int], ...]) -> tuple[TierResult, ...]:
    """What tiers of these stores and sizes in bytes hold beside the option's pool."""
    answer = option.answer
    if answer is None:
        return ()
    found = []
    for name, size in wanted:
        try:
            one = tier(
                name,
                size,
                sizing.geometry,
                number_formats.get(answer.kv_dtype),
                answer.layout,
                context=sizing.workload.context,
                block=answer.block_size or 16,
            )
        except KvdeskError as error:
            found.append(TierResult(name=name, size=size, error=error))
        else:
            found.append(TierResult(name=name, size=size, tier=one))
    return tuple(found)


def expected_json(found: Expected | None) -> JsonObject | None:
    """An expected load; sizes in bytes of one GPU, counts of all GPUs of the option."""
    if found is None:
        return None
    return {
        "mean_bytes_per_sequence": found.mean_bytes,
        "mean_tokens_per_sequence": round(found.mean_tokens, 3),
        "live_sequences": found.live,
        "preemption_from": found.preemption + 1,
        "longest_request": found.longest,
        "share_too_long": round(found.too_long, 6),
    }


def tier_json(found: TierResult) -> JsonObject:
    """A tier; `tokens` are in addition to the pool's."""
    one = found.tier
    if one is None:
        return {"store": found.name, "size": found.size, "error": str(found.error)}
    return {
        "store": one.store.name,
        "size": one.size,
        "chunk_tokens": one.chunk,
        "chunk_bytes": one.chunk_bytes,
        "ranks": one.ranks,
        "total_bytes": one.total_bytes,
        "chunks": one.chunks,
        "tokens": one.tokens,
        "sequences": one.sequences,
        "source": one.store.source,
    }
