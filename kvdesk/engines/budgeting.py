"""Budget lines that several profiles write alike."""

from kvdesk.core.budget import BudgetLine
from kvdesk.core.sourced import Origin, Source, Sourced
from kvdesk.engines.base import Question

DERIVED = Source(Origin.DERIVED)


def device_line(device: Sourced[int]) -> BudgetLine:
    """Memory that the budget starts from."""
    return BudgetLine(
        key="device", symbol="M", label="Device memory", value=device.value, unit="B", source=device.source
    )


def derived(key: str, symbol: str, label: str, value: int, formula: str, substituted: str) -> BudgetLine:
    """A line in bytes that follows from the lines above it."""
    return BudgetLine(
        key=key,
        symbol=symbol,
        label=label,
        value=value,
        unit="B",
        formula=formula,
        substituted=substituted,
        source=DERIVED,
    )


def count_line(
    key: str, symbol: str, label: str, value: int, *, unit: str, formula: str, substituted: str = ""
) -> BudgetLine:
    """A count (tokens, blocks, sequences) that follows from the lines above it."""
    return BudgetLine(
        key=key,
        symbol=symbol,
        label=label,
        value=value,
        unit=unit,
        formula=formula,
        substituted=substituted,
        source=DERIVED,
    )


def states_alone_line(tokens: int, each: int, context: int) -> BudgetLine:
    """The tokens of a model that keeps states only: `each` sequences of a replica, of any length, here `context`."""
    return count_line(
        "tokens",
        "N",
        "Tokens of sequences of states alone, any length",
        tokens,
        unit="tokens",
        formula="N = Q / DP × T",
        substituted=f"{each:,} × {context:,}",
    )


def weights_line(question: Question, size: int, written: tuple[str, str]) -> BudgetLine:
    """Weights of one GPU; `written` is how they came about, in symbols and with numbers put in."""
    weights, (symbols, numbers) = question.weights, written
    if "weights" in question.overrides:
        symbols, source = "measured", Source(Origin.MEASURED, "typed over the estimate")
    else:
        source = weights.bytes.source if weights else Source(Origin.ESTIMATE, "unknown, counted as 0")
    return BudgetLine(
        key="weights",
        symbol="W",
        label="Weights per GPU",
        value=size,
        unit="B",
        formula=f"W = {symbols}" if symbols else "unknown",
        substituted=numbers,
        source=source,
        low=size if most_weights(question, size) is not None else None,
        high=most_weights(question, size),
    )


def most_weights(question: Question, size: int) -> int | None:
    """What the weights of one GPU, `size` bytes, may take at most; None where they are no figure on paper."""
    if question.weights is None or "weights" in question.overrides:
        return None
    return question.weights.most_of(size)


def pool_given(size: int) -> tuple[BudgetLine, ...]:
    """The pool as the engine printed it; it replaces the budget."""
    return (
        BudgetLine(
            key="pool",
            symbol="P",
            label="KV pool",
            value=size,
            unit="B",
            formula="as given",
            source=Source(Origin.USER, "--pool-bytes"),
        ),
    )
