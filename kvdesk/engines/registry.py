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


def titled(name: str, version: str) -> str:
    """An engine and its version as people write them; of a commit seven digits, of the textbook no version.

    >>> titled("tensorrt_llm", "1.4.0"), titled("llama_cpp", "0c1e57098"), titled("plain", "1")
    ('TensorRT-LLM 1.4.0', 'llama.cpp 0c1e570', 'Textbook')
    """
    title = engine(name).title
    return title if name == "plain" else f"{title} {version if '.' in version else version[:7]}"
