"""The lines from llama.cpp's pool to cells and sequences.

The cache is a sum of stepped sizes, so the most that fits is found by trying; the lines show the cache of what fits and
of one sequence more, so that a reader can check both sides of the limit.
"""

from kvdesk.core.budget import BudgetLine
from kvdesk.core.growth import Growth
from kvdesk.engines import writing
from kvdesk.engines.budgeting import count_line, derived
from kvdesk.engines.llama_cpp.constants import PADDING
from kvdesk.engines.llama_cpp.holding import Holding


def lines(holding: Holding, tokens: int, sequences: int) -> tuple[BudgetLine, ...]:
    """Cells of the context, whole sequences, and the caches that prove their number."""
    question = holding.question
    context, replicas = question.workload.context, question.layout.dp
    each = sequences // replicas
    found = [_tokens(holding, tokens, each)]
    if each:
        found.append(_cache("held", "C_Q", "Cache of the sequences that fit", holding, each))
    if holding.settings.context is None and each < holding.streams(each + 1)[1]:
        found.append(_cache("next", "C_next", "Cache with one sequence more", holding, each + 1))
    found.append(
        count_line(
            "sequences",
            "Q",
            f"Whole sequences of {context:,} tokens, all GPUs",
            sequences,
            unit="sequences",
            formula="Q = the most with C_Q ≤ P in one replica × DP",
            substituted=f"{each:,} × {replicas:,}",
        )
    )
    return tuple(found)


def _cache(key: str, symbol: str, label: str, holding: Holding, sequences: int) -> BudgetLine:
    size, at = holding.cache(sequences), holding.cells_of(sequences)
    formula = f"{symbol} = Σ bytes of {PADDING} cells × paddings of {at:,} cells, {sequences:,} sequences"
    return derived(key, symbol, label, size.at(at), formula, writing.growth(size, at))


def _tokens(holding: Holding, tokens: int, each: int) -> BudgetLine:
    formula, numbers = _tokens_written(holding, tokens, each)
    return count_line(
        "tokens", "N", "Cells of the context", tokens, unit="tokens", formula=formula, substituted=numbers
    )


def _tokens_written(holding: Holding, tokens: int, each: int) -> tuple[str, str]:
    settings, question = holding.settings, holding.question
    wanted = -(-question.workload.sequences // question.layout.dp)
    layout, cache = settings.layout(wanted), holding.cache(wanted)
    if settings.context is not None:
        if not tokens:
            return "N = 0: the context asked for does not fit", "0"
        whole = f"⌈{settings.context:,} / {PADDING}⌉ × {PADDING}"
        if layout.unified:
            return "N = ctx_size in whole paddings", whole
        split = f"⌈⌈{whole} / {layout.slots}⌉ / {PADDING}⌉ × {PADDING} × {layout.slots}"
        return "N = ctx_size / slots in whole paddings × slots", split
    if not any(term.unit for term in cache.terms):
        return "N = Q / DP × T", f"{each:,} × {question.workload.context:,}"
    streams = 1 if layout.unified else layout.slots
    return "N = the most cells whose cache is at most P", _divided(cache, holding.pool, tokens, streams)


def _divided(cache: Growth, pool: int, tokens: int, streams: int) -> str:
    """The cells as a division, where all that still grows does so in single paddings; else empty."""
    stream = tokens // streams
    grows = [term for term in cache.terms if term.unit and (term.cap is None or term.cap > stream)]
    unit = sum(term.unit for term in grows)
    still = cache.at(stream) - sum(term.at(stream) - term.fixed for term in grows)
    if any(term.step != PADDING for term in grows) or not unit:
        return ""
    if max(0, pool - still) // unit * PADDING != stream:
        return ""
    left = f"max(0; {pool:,} − {still:,})" if still else f"{pool:,}"
    text = f"floor({left} / {unit:,}) × {PADDING}"
    return text if streams == 1 else f"{text} × {streams}"
