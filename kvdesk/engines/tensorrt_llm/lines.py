"""The lines from TensorRT-LLM's pool to sequences."""

from kvdesk.core.budget import BudgetLine
from kvdesk.engines import writing
from kvdesk.engines.base import Question
from kvdesk.engines.budgeting import count_line, derived, states_alone_line
from kvdesk.engines.tensorrt_llm.fill import Fill
from kvdesk.engines.tensorrt_llm.pools import Pool
from kvdesk.engines.tensorrt_llm.settings import Settings


def lines(
    question: Question, chosen: Settings, size: int, filled: Fill, tokens: int, sequences: int
) -> tuple[BudgetLine, ...]:
    """States, blocks of each pool of `size` bytes, tokens, sequences."""
    context, replicas = question.workload.context, question.layout.dp
    found = _states(filled)
    found += [_blocks(pool, index, filled, chosen, size) for index, pool in enumerate(filled.pools)]
    if filled.pools:
        found.append(_tokens(filled, tokens))
    found.append(
        count_line(
            "sequences",
            "Q",
            f"Whole sequences of {context:,} tokens, all GPUs",
            sequences,
            unit="sequences",
            formula="Q = min(each pool without the shared prefix / what a sequence needs of it, max_batch_size) × DP",
            substituted=writing.sequences(filled.holdings, replicas, chosen.batch),
        )
    )
    if not filled.pools:
        found.append(states_alone_line(tokens, sequences // replicas, context))
    return tuple(found)


def _states(filled: Fill) -> list[BudgetLine]:
    slots, state = filled.state_slots, filled.rank.state
    if slots is None:
        return []
    label = f"States of {slots:,} sequences"
    return [derived("states", "Z", label, slots * state, "Z = sequences × state", f"{slots:,} × {state:,}")]


def _blocks(pool: Pool, index: int, filled: Fill, chosen: Settings, size: int) -> BudgetLine:
    window, count = "all tokens" if pool.window is None else f"window {pool.window:,}", len(filled.pools)
    symbol = "n" if count == 1 else f"n_{index}"
    held = f"{size:,}"
    if filled.state_slots is not None:
        held = f"max(0; {size:,} − {filled.state_slots * filled.rank.state:,})"
    tokens = f"floor({held} / {count} / {pool.per_token:,})"
    words = (
        "floor(P / pools / bytes of a token)"
        if filled.state_slots is None
        else ("floor(max(0, P − Z) / pools / bytes of a token)")
    )
    if chosen.most_tokens is not None:
        tokens, words = f"min({tokens}; {chosen.most_tokens:,})", f"min({words}, max_tokens)"
    return count_line(
        "blocks" if count == 1 else f"blocks.{index}",
        symbol,
        f"Blocks of {pool.block} tokens, {window}",
        pool.blocks,
        unit="blocks",
        formula=f"{symbol} = floor({words} / tokens per block)",
        substituted=f"floor({tokens} / {pool.block})",
    )


def _tokens(filled: Fill, tokens: int) -> BudgetLine:
    whole = next((pool for pool in filled.pools if pool.tokens == tokens), filled.pools[0])
    return count_line(
        "tokens",
        "N",
        "Tokens that the blocks hold",
        tokens,
        unit="tokens",
        formula="N = blocks × tokens per block",
        substituted=f"{whole.blocks:,} × {whole.block}",
    )
