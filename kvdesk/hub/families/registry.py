"""Which family reads which model type. A new family is one line here, one module beside it and one fixture."""

from collections.abc import Mapping

FAMILIES: Mapping[str, str] = {
    "llama": "plain",
    "manual": "plain",
    "qwen3": "plain",
    "qwen3_moe": "plain",
    "granite": "plain",
}
"""Model type -> name of the module in this folder."""
