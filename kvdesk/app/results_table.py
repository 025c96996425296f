"""The results as rows of text, for the clipboard: exact figures, plain separators."""

from kvdesk.app.results import OptionResult, Sizing

Rows = list[list[str]]


def results_table(sizing: Sizing) -> Rows:
    """A column for each GPU option; sizes in bytes."""
    options = sizing.options
    head = [
        ["", *(option.title for option in options)],
        ["model", *(sizing.model.id for _ in options)],
        ["engine", *(f"{sizing.engine} {sizing.engine_version}" for _ in options)],
        ["context (tokens)", *(str(sizing.workload.context) for _ in options)],
        ["sequences wanted", *(str(sizing.workload.sequences) for _ in options)],
        ["KV format", *(sizing.kv_format.name for _ in options)],
    ]
    return [*head, *([name, *(_value(option, key) for option in options)] for name, key in _ROWS)]


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
