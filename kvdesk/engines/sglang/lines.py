"""The lines from SGLang's pool to sequences."""

from kvdesk.core.budget import BudgetLine
from kvdesk.engines import writing
from kvdesk.engines.base import Question
from kvdesk.engines.budgeting import count_line, states_alone_line
from kvdesk.engines.sglang import pools, settings
from kvdesk.engines.sglang.fill import Fill


def lines(fill: Fill, options: pools.Options, size: int) -> tuple[BudgetLine, ...]:
    """State slots and tokens of each pool of `size` bytes."""
    return (*_slots(fill, options, size), *_tokens(fill, options, size))


def results(
    question: Question, fill: Fill, options: pools.Options, tokens: int, sequences: int
) -> tuple[BudgetLine, ...]:
    """Tokens where there are states only, requests that run at once, and whole sequences."""
    context, replicas = question.workload.context, question.layout.dp
    arguments = settings.arguments_of(question)
    slots = options.slots_per_request
    running = settings.running_limit(arguments, fill.pools, context, slots)
    symbols, numbers = settings.running_written(arguments, fill.pools, context, slots)
    found = [
        count_line(
            "running",
            "L",
            "Requests that run at once, one replica",
            running,
            unit="sequences",
            formula=symbols,
            substituted=numbers,
        ),
        count_line(
            "sequences",
            "Q",
            f"Whole sequences of {context:,} tokens, all GPUs",
            sequences,
            unit="sequences",
            formula="Q = min(each pool without the shared prefix / what a sequence needs of it, L) × DP",
            substituted=writing.sequences(fill.holdings, replicas, running),
        ),
    ]
    if not fill.cell.full and not fill.cell.windowed:
        found.append(states_alone_line(tokens, sequences // replicas, context))
    return tuple(found)


def _slots(fill: Fill, options: pools.Options, size: int) -> list[BudgetLine]:
    found, state, ratio = fill.pools.state_slots, fill.cell.state, writing.number(float(options.state_ratio))
    if found is None:
        return []
    given = options.state_slots is not None
    return [
        count_line(
            "slots",
            "K",
            "State slots",
            found,
            unit="slots",
            formula="max_mamba_cache_size" if given else "K = max(0, floor((P × r / (1 + r) − state) / state))",
            substituted="" if given else f"max(0; floor(({size:,} × {ratio} / (1 + {ratio}) − {state:,}) / {state:,}))",
        )
    ]


def _tokens(fill: Fill, options: pools.Options, size: int) -> list[BudgetLine]:
    cell, found, ratio = fill.cell, fill.pools, writing.number(float(options.window_ratio))
    if not cell.full and not cell.windowed:
        return []
    left, symbol = f"{size:,}", "P"
    if found.state_slots is not None:
        left = f"max(0; {size:,} − {cell.state:,} × ({found.state_slots:,} + 1))"
        symbol = "max(0, P − state × (K + 1))"
    both = bool(cell.windowed and cell.full)
    cost = f"({cell.full:,} + {ratio} × {cell.windowed:,})" if both else f"{cell.full or cell.windowed:,}"
    words = "(full + r × window)" if both else "bytes of a token"
    result = [
        count_line(
            "tokens",
            "N",
            "Full tokens" if both else "max_total_num_tokens",
            found.tokens,
            unit="tokens",
            formula=f"N = {_paged(f'floor({symbol} / {words})', options)}",
            substituted=_paged(f"floor({left} / {cost})", options),
        )
    ]
    if both:
        result.append(
            count_line(
                "window_tokens",
                "N_w",
                "Window tokens",
                found.window_tokens or 0,
                unit="tokens",
                formula=f"N_w = {_pages('floor(r × N)', options.page)}",
                substituted=_pages(f"floor({ratio} × {found.tokens:,})", options.page),
            )
        )
    return result


def _paged(tokens: str, options: pools.Options) -> str:
    most = options.max_total_tokens
    return _pages(tokens if most is None else f"min({tokens}; {most:,})", options.page)


def _pages(tokens: str, page: int) -> str:
    """Whole pages of `tokens`, an expression."""
    return tokens if page == 1 else f"floor({tokens} / {page}) × {page}"
