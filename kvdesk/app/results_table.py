"""The results as rows of text, for the clipboard: exact figures, plain separators, and what is estimated or typed."""

from kvdesk.app.command_line import command_line
from kvdesk.app.results import OptionResult, Sizing
from kvdesk.app.session import Session
from kvdesk.core.values import replace
from kvdesk.engines.registry import titled

Rows = list[list[str]]


def results_table(sizing: Sizing, session: Session) -> Rows:
    """A column for each GPU option; sizes in bytes. The last row is the command line that gives the same."""
    options = sizing.options
    calls = (command_line(replace(session, gpus=(option.choice,))) for option in options)
    head = [
        ["", *(option.title for option in options)],
        ["model", *(sizing.model.id for _ in options)],
        ["engine", *(titled(sizing.engine, sizing.engine_version) for _ in options)],
        ["context (tokens)", *(str(sizing.workload.context) for _ in options)],
        ["sequences wanted", *(str(sizing.workload.sequences) for _ in options)],
        ["KV format", *(sizing.kv_format.name for _ in options)],
    ]
    figures = ([name, *(_value(option, key) for option in options)] for name, key in _ROWS)
    weights = "" if sizing.weights is None else str(sizing.weights.bytes.source)
    return [
        *head,
        *figures,
        ["estimates (B)", *(_estimates(option) for option in options)],
        ["weights from", *(weights for _ in options)],
        ["command line", *calls],
    ]


_ROWS = (
    ("fits", "fits"),
    ("limit", "limit"),
    ("device memory (B)", "device_bytes"),
    ("budget (B)", "budget_bytes"),
    ("weights per GPU (B)", "weights_bytes"),
    ("reserve per GPU (B)", "reserve_bytes"),
    ("KV pool per GPU (B)", "pool_bytes"),
    ("one sequence, logical, per GPU (B)", "logical_bytes_per_sequence"),
    ("one sequence, allocated, per GPU (B)", "allocated_bytes_per_sequence"),
    ("tokens in the pool", "pool_tokens"),
    ("whole sequences", "full_length_sequences"),
    ("longest context", "max_context"),
)


def _value(option: OptionResult, key: str) -> str:
    if option.answer is None:
        return "no" if key == "fits" else ""
    value = getattr(option.answer, key)
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "" if value is None else str(value)


def _estimates(option: OptionResult) -> str:
    """Each estimated line with its low and high end."""
    lines = option.answer.budget if option.answer else ()
    return "; ".join(f"{line.label} {line.low} to {line.high}" for line in lines if not line.exact)
