"""From bytes to blocks, tokens and sequences: the figures of the start-up log.

Source: vLLM 0.33.0 `v1/core/kv_cache_planning.py` `get_kv_cache_configs`, `v1/core/kv_cache_utils.py`
`get_max_concurrency_for_kv_cache_config` and `get_kv_cache_capacity`; the older definition of the token count up to
0.20.0.

By hand, Llama-3.1-8B on one GPU, bf16, pool 54.5 GiB = 58,518,929,408 B: 32 layers x 16 tokens x 8 heads x (128 +
128) x 2 = 2,097,152 B per block; 58,518,929,408 // 2,097,152 = 27,904 blocks; 131,072 / 16 = 8,192 blocks per
sequence; 27,904 / 8,192 = 3.40625; x 131,072 = 446,464 tokens. With 10 GiB: 5,120 blocks, one of them never used, so
at most 5,119 x 16 = 81,904 tokens and no start at 131,072.

gpt-oss-120b, the same pool: 18 layers x 32,768 = 589,824 B, 99,214 blocks; ceil((127 + 16,384) / 16) + 1 = 1,033
blocks of windows and 8,192 of full attention; 99,214 / 9,225 = 10.7549; 1,409,666 tokens.
"""

from math import lcm

from kvdesk.core.values import dataclass, replace
from kvdesk.core.workload import Workload
from kvdesk.engines import common
from kvdesk.engines.vllm.groups import Plan
from kvdesk.engines.vllm.pages import STATE, TOKEN_KINDS
from kvdesk.engines.vllm.versions import Rules

NULL_BLOCKS = 1
"""Block 0 is never handed out (`v1/core/block_pool.py`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Capacity:
    """What a pool of `blocks` blocks holds; `per_request` are the blocks of one sequence at `max_model_len` tokens."""

    plan: Plan
    blocks: int
    max_model_len: int
    block_tokens: int
    in_flight: int
    null_block_checked: bool = True

    @property
    def usable(self) -> int:
        """Blocks that sequences can take."""
        return max(0, self.blocks - NULL_BLOCKS)

    @property
    def per_request(self) -> int:
        """Blocks of one sequence at its longest."""
        return self.plan.blocks.at(self.max_model_len)

    @property
    def needs(self) -> tuple[int, ...]:
        """The same by group."""
        return tuple(group.first.blocks(self.in_flight).at(self.max_model_len) for group in self.plan.groups)

    @property
    def starts(self) -> bool:
        """Whether vLLM starts: one sequence at its longest must fit."""
        return self.per_request <= self._checked

    @property
    def concurrency(self) -> float:
        """What the log calls “Maximum concurrency”."""
        return self.blocks / self.per_request if self.per_request else 0.0

    @property
    def _checked(self) -> int:
        """Blocks that the start-up check counts on."""
        return self.usable if self.null_block_checked else self.blocks

    def tokens(self, rules: Rules, shards: int) -> int:
        """What the log calls “GPU KV cache size”."""
        if rules.tokens_by_request:
            return int(self.concurrency * self.max_model_len)
        groups, block = self.token_groups
        return self.blocks // groups * block * shards

    @property
    def token_groups(self) -> tuple[int, int]:
        """Groups, at least 1, and the smallest block of those that keep tokens, which the older token count uses."""
        groups = self.plan.groups
        sizes = [g.first.block for g in groups if g.first.kind != STATE or g.first.block > 1]
        return max(1, len(groups)), min(sizes, default=self.max_model_len)

    def longest(self, ceiling: int) -> int:
        """Tokens of the longest sequence that fits alone: vLLM's estimated maximum model length."""
        return self.plan.blocks.largest(self._checked, ceiling)

    def holding(self, workload: Workload, replicas: int, *, prefix_caching: bool) -> common.Holding:
        """How sequences fill the usable blocks, in blocks."""
        if not prefix_caching:
            workload = replace(workload, shared_prefix=0)
        return common.Holding(
            allocated=self.plan.blocks, pool=self.usable, workload=workload, replicas=replicas, block=self.prefix_step
        )

    @property
    def prefix_step(self) -> int:
        """Tokens at multiples of which prefixes can be shared: whole blocks of every group."""
        step = 1
        for group in self.plan.groups:
            if group.first.kind in TOKEN_KINDS:
                step = lcm(step, group.first.block * group.first.shards)
        return max(step, self.block_tokens)


def blocks_of(pools: tuple[int, ...], plan: Plan, override: int | None) -> int:
    """Blocks on every GPU: the fewest that any stage's pool holds, or the number that was set."""
    if override is not None:
        return override
    return min(
        (pool // width for pool, width in zip(pools, plan.bytes_per_block, strict=True) if width), default=NULL_BLOCKS
    )
