"""The scenario that the window starts with: Llama 3.1 8B on one H100 under the newest vLLM profile."""

from kvdesk.app import lookup
from kvdesk.app.session import DEFAULT_GPU, DEFAULT_MODEL, GpuChoice, Session

DEFAULT_ENGINE = "vllm"


def default_session() -> Session:
    """Driver-reported memory and the engine's own defaults; the textbook (`plain`) is one choice away."""
    return Session(
        model=lookup.from_card(DEFAULT_MODEL),
        gpus=(GpuChoice(gpu=DEFAULT_GPU),),
        engine=DEFAULT_ENGINE,
    )
