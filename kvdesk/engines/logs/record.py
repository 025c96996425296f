"""What was read from a log: every figure with the line it stands on."""

from collections.abc import Mapping

from kvdesk.core.findings import Finding
from kvdesk.core.json_value import JsonValue
from kvdesk.core.values import dataclass, field

FIGURES: Mapping[str, str] = {
    "total_memory": "Device memory in total",
    "free_memory": "Free at start",
    "utilization": "Utilization",
    "requested_memory": "Requested memory",
    "weights": "Weights",
    "consumed": "Weights and what lies outside torch",
    "activation": "Activation peak",
    "non_torch": "Outside torch",
    "peak": "Peak with weights",
    "graphs": "CUDA graphs",
    "graphs_estimated": "CUDA graphs, estimated",
    "available_kv": "KV memory",
    "needed_kv": "KV memory of one request",
    "num_blocks": "Blocks",
    "block_size": "Tokens per block",
    "kv_tokens": "Tokens",
    "window_tokens": "Window tokens",
    "concurrency_tokens": "Tokens per request of the concurrency",
    "max_concurrency": "Maximum concurrency",
    "max_context": "Estimated maximum model length",
    "state_slots": "State slots",
    "states": "State memory",
    "compute": "Compute buffer",
}
"""Keys of figures in the order of a report, with their names."""

_UNITS = {
    "num_blocks": "blocks", "kv_tokens": "tokens", "window_tokens": "tokens", "block_size": "tokens",
    "max_context": "tokens", "state_slots": "slots", "max_concurrency": "", "utilization": "",
    "concurrency_tokens": "tokens",
}  # fmt: skip


def unit_of(key: str) -> str:
    """The unit of a figure: "B" for sizes, "" for ratios."""
    return _UNITS.get(key, "B")


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One value of a log.

    Sizes are bytes, `step` is the distance between two values that the log could have printed (a size with two decimals
    of GiB: 2^30 / 100), so that a true value lies within `step` of it; 0 for exact values. `line` counts from 1, `text`
    is that line, shortened.
    """

    value: JsonValue
    line: int
    text: str
    step: int | float = 0

    @property
    def number(self) -> int | float:
        """The value as a number, 0 where it is none."""
        return self.value if isinstance(self.value, (int, float)) else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class EngineLog:
    """One start-up as its log tells it.

    `options` are the engine's options by its own names, `figures` measured or planned values by the keys of `FIGURES`;
    figures that ranks print differently hold the one that decides. `lines` is how many lines were read.
    """

    engine: str
    version: Figure | None = None
    model: Figure | None = None
    gpu: Figure | None = None
    options: Mapping[str, Figure] = field(default_factory=dict)
    figures: Mapping[str, Figure] = field(default_factory=dict)
    lines: int = 0
    findings: tuple[Finding, ...] = ()

    def option(self, name: str) -> JsonValue:
        """The value of an option, None where the log does not say."""
        found = self.options.get(name)
        return None if found is None else found.value
