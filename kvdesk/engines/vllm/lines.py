"""The lines from the pool to sequences, as vLLM counts them."""

from kvdesk.core.budget import BudgetLine
from kvdesk.core.sourced import Origin, Source
from kvdesk.engines.common import profile_source
from kvdesk.engines.vllm.capacity import Capacity
from kvdesk.engines.vllm.versions import Rules

TITLE = "vLLM"


def capacity_lines(
    capacity: Capacity,
    rules: Rules,
    *,
    pool: int,
    shards: int,
    context: int,
    sequences: int,
    replicas: int,
    given: bool,
) -> tuple[BudgetLine, ...]:
    """Bytes per block, blocks, blocks per sequence, concurrency, tokens, sequences of `context` tokens.

    `shards` is the decode context parallelism, `given` says that the number of blocks was set.
    """
    plan, length = capacity.plan, capacity.max_model_len
    width, need = plan.bytes_per_block[plan.widest], capacity.per_request
    planning = "v1/core/kv_cache_planning.py"
    widest = max(plan.groups, key=lambda g: g.page()) if plan.groups else None
    return (
        BudgetLine(
            key="block",
            symbol="b",
            label="Bytes per block",
            value=width,
            unit="B",
            formula="b = widest group of layers, one page each",
            substituted=f"{len(widest.members)} pages of {widest.first.block:,} tokens" if widest else "",
            source=profile_source(TITLE, rules.version, f"{planning} _get_kv_cache_bytes_per_block"),
        ),
        BudgetLine(
            key="blocks",
            symbol="n",
            label="Blocks",
            value=capacity.blocks,
            unit="blocks",
            formula=_blocks_formula(given, len(plan.bytes_per_block)),
            substituted="" if given or len(plan.bytes_per_block) > 1 else f"{pool:,} / {width:,}",
            source=Source(Origin.USER, "num_gpu_blocks_override")
            if given
            else profile_source(TITLE, rules.version, f"{planning} get_kv_cache_configs"),
        ),
        BudgetLine(
            key="per_request",
            symbol="k",
            label=f"Blocks of one sequence of {length:,} tokens",
            value=need,
            unit="blocks",
            formula="k = Σ groups blocks(T)",
            substituted=" + ".join(_counted(capacity)),
            source=profile_source(TITLE, rules.version, "v1/kv_cache_interface.py"),
        ),
        BudgetLine(
            key="concurrency",
            symbol="c",
            label=f"Maximum concurrency for {length:,} tokens",
            value=capacity.concurrency,
            unit="",
            formula="c = n / k",
            substituted=f"{capacity.blocks:,} / {need:,}",
            source=profile_source(TITLE, rules.version, "v1/core/kv_cache_utils.py"),
        ),
        BudgetLine(
            key="tokens",
            symbol="N",
            label="GPU KV cache size",
            value=capacity.tokens(rules, shards),
            unit="tokens",
            formula="N = floor(c × T)" if rules.tokens_by_request else "N = n // groups × smallest block",
            substituted=f"{capacity.concurrency:g} × {length:,}" if rules.tokens_by_request else "",
            source=profile_source(TITLE, rules.version, "v1/core/kv_cache_utils.py"),
        ),
        BudgetLine(
            key="sequences",
            symbol="Q",
            label=f"Whole sequences of {context:,} tokens, all GPUs",
            value=sequences,
            unit="sequences",
            formula="Q = floor((n − 1) / k(T)) × DP",
            substituted=f"({capacity.blocks:,} − 1) / {plan.blocks.at(context):,} × {replicas}",
            source=Source(Origin.DERIVED, "block 0 is never handed out"),
        ),
    )


def _blocks_formula(given: bool, stages: int) -> str:
    if given:
        return "as given"
    return "n = floor(P / b), the fewest of all stages" if stages > 1 else "n = floor(P / b)"


def _counted(capacity: Capacity) -> list[str]:
    """Blocks of each group at the longest sequence, equal neighbours put together: `6 × 1,089`."""
    sizes: list[tuple[int, int]] = []
    for need in capacity.needs:
        if sizes and sizes[-1][1] == need:
            sizes[-1] = (sizes[-1][0] + 1, need)
        else:
            sizes.append((1, need))
    return [f"{count} × {need:,}" if count > 1 else f"{need:,}" for count, need in sizes]
