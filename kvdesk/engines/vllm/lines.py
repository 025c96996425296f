"""The lines from the pool to sequences, as vLLM counts them."""

from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from math import floor

from kvdesk.core.budget import BudgetLine
from kvdesk.core.sourced import Origin, Source
from kvdesk.core.values import dataclass
from kvdesk.engines import writing
from kvdesk.engines.common import Holding, profile_source
from kvdesk.engines.vllm.capacity import NULL_BLOCKS, Capacity
from kvdesk.engines.vllm.versions import Rules

TITLE = "vLLM"
PLANNING = "v1/core/kv_cache_planning.py"
UTILS = "v1/core/kv_cache_utils.py"
NEVER_HANDED_OUT = Source(Origin.DERIVED, "block 0 is never handed out")


@dataclass(frozen=True, slots=True, kw_only=True)
class Stages:
    """Bytes of the pool of the fullest pipeline stage, what each stage has more, and whether blocks were set."""

    pool: int
    spared: tuple[int, ...]
    given: bool


def capacity_lines(
    capacity: Capacity, rules: Rules, stages: Stages, holding: Holding, *, shards: int, sequences: int
) -> tuple[BudgetLine, ...]:
    """Bytes per block, blocks, blocks per sequence, concurrency, tokens, sequences of the workload's context.

    `shards` is the decode context parallelism, `holding` how sequences fill the blocks.
    """
    return (
        *_blocks(capacity, rules, stages),
        *_engine_figures(capacity, rules, shards),
        *_sequences(capacity, rules, holding, sequences),
    )


def _blocks(capacity: Capacity, rules: Rules, stages: Stages) -> Iterator[BudgetLine]:
    plan = capacity.plan
    counts = Counter(plan.pages[plan.widest])
    yield BudgetLine(
        key="block",
        symbol="b",
        label="Bytes per block",
        value=plan.bytes_per_block[plan.widest],
        unit="B",
        formula="b = Σ pages of the widest group of layers",
        substituted=" + ".join(f"{count:,} × {page:,}" for page, count in counts.items()) or "0",
        source=profile_source(TITLE, rules.version, f"{PLANNING} _get_kv_cache_bytes_per_block"),
    )
    pools = zip(stages.spared, plan.bytes_per_block, strict=True)
    texts = list(dict.fromkeys(_floor(stages.pool, more, width) for more, width in pools if width))
    several = len(plan.bytes_per_block) > 1
    yield BudgetLine(
        key="blocks",
        symbol="n",
        label="Blocks",
        value=capacity.blocks,
        unit="blocks",
        formula=_blocks_formula(given=stages.given, nothing=not texts, several=several),
        substituted="" if stages.given else _least(texts, str(NULL_BLOCKS)),
        source=Source(Origin.USER, "num_gpu_blocks_override")
        if stages.given
        else profile_source(TITLE, rules.version, f"{PLANNING} get_kv_cache_configs"),
    )


def _floor(pool: int, more: int, width: int) -> str:
    return f"floor(({pool:,} + {more:,}) / {width:,})" if more else f"floor({pool:,} / {width:,})"


def _least(texts: list[str], default: str) -> str:
    return f"min({'; '.join(texts)})" if len(texts) > 1 else texts[0] if texts else default


def _blocks_formula(*, given: bool, nothing: bool, several: bool) -> str:
    if given:
        return "as given"
    if nothing:
        return "n = the one block that is always there"
    return (
        "n = least of all stages: floor((P + weights that the stage has less) / b)" if several else "n = floor(P / b)"
    )


def _engine_figures(capacity: Capacity, rules: Rules, shards: int) -> Iterator[BudgetLine]:
    length, need = capacity.max_model_len, capacity.per_request
    yield BudgetLine(
        key="per_request",
        symbol="k",
        label=f"Blocks of one sequence of {length:,} tokens",
        value=need,
        unit="blocks",
        formula="k = Σ groups blocks(max_model_len)",
        substituted=writing.growth(capacity.plan.blocks, length),
        source=profile_source(TITLE, rules.version, "v1/kv_cache_interface.py"),
    )
    yield BudgetLine(
        key="concurrency",
        symbol="c",
        label=f"Maximum concurrency for {length:,} tokens",
        value=capacity.concurrency,
        unit="",
        formula="c = n / k",
        substituted=f"{capacity.blocks:,} / {need:,}" if need else "0",
        source=profile_source(TITLE, rules.version, UTILS),
    )
    tokens = capacity.tokens(rules, shards)
    formula, numbers = _tokens(capacity, rules, shards, tokens)
    yield BudgetLine(
        key="tokens",
        symbol="N",
        label="GPU KV cache size",
        value=tokens,
        unit="tokens",
        formula=formula,
        substituted=numbers,
        source=profile_source(TITLE, rules.version, UTILS),
    )


def _tokens(capacity: Capacity, rules: Rules, shards: int, value: int) -> tuple[str, str]:
    need, length = capacity.per_request, capacity.max_model_len
    if not rules.tokens_by_request:
        groups, block = capacity.token_groups
        text = f"floor({capacity.blocks:,} / {groups}) × {block:,}"
        return "N = floor(n / groups) × smallest block × DCP", f"{text} × {shards}"
    if not need:
        return "N = floor(n / k × max_model_len)", "0"
    exact = floor(Fraction(capacity.blocks * length, need))
    text, formula = f"floor({capacity.blocks:,} / {need:,} × {length:,})", "N = floor(n / k × max_model_len)"
    # The engine multiplies in floating point, which can lose a token.
    return (f"{formula} − lost to rounding", f"{text} − {exact - value}") if exact != value else (formula, text)


def _sequences(capacity: Capacity, rules: Rules, holding: Holding, sequences: int) -> Iterator[BudgetLine]:
    context, shared = holding.workload.context, holding.prefix_bytes
    each = holding.allocated.at(context)
    name = "k" if context == capacity.max_model_len else "k_T"
    if name == "k_T":
        yield BudgetLine(
            key="per_sequence",
            symbol=name,
            label=f"Blocks of one sequence of {context:,} tokens",
            value=each,
            unit="blocks",
            formula="k_T = Σ groups blocks(T)",
            substituted=writing.growth(holding.allocated, context),
            source=profile_source(TITLE, rules.version, "v1/kv_cache_interface.py"),
        )
    if shared:
        yield BudgetLine(
            key="prefix",
            symbol="s",
            label=f"Shared prefix of {holding.prefix_tokens:,} tokens, held once",
            value=shared,
            unit="blocks",
            formula="s = Σ groups that keep every token",
            substituted=writing.growth(holding.allocated.uncapped(), holding.prefix_tokens),
            source=Source(Origin.DERIVED),
        )
    pool = f"{capacity.blocks:,} − {NULL_BLOCKS}"
    least = f"max(0, floor((n − 1 − s) / ({name} − s)))" if shared else f"floor((n − 1) / {name})"
    yield BudgetLine(
        key="sequences",
        symbol="Q",
        label=f"Whole sequences of {context:,} tokens, all GPUs",
        value=sequences,
        unit="sequences",
        formula=f"Q = {least} × DP" if capacity.starts else "Q = 0: no start, one sequence of max_model_len must fit",
        substituted=f"{writing.per_replica(holding, pool)} × {holding.replicas:,}" if capacity.starts else "0",
        source=NEVER_HANDED_OUT,
    )
