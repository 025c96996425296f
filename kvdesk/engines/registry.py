"""The engines by name, each imported when first asked for, so that start-up pays for one only."""

from importlib import import_module

from kvdesk.core.errors import UsageError
from kvdesk.engines.base import Engine

NAMES = ("plain", "vllm", "sglang", "tensorrt_llm", "llama_cpp")


def engine(name: str) -> Engine:
    """The engine of that name; raises `UsageError` (`unknown-engine`)."""
    key = name.strip().lower().replace("-", "_").replace(".", "_")
    if key not in NAMES:
        raise UsageError(
            "unknown-engine", f"“{name[:40]}” is not an engine kvdesk knows.", "", f"Choose one of {', '.join(NAMES)}."
        )
    module = import_module(f"kvdesk.engines.{key}.profile")
    found: Engine = module.ENGINE
    return found
