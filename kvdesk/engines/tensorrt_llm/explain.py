"""Reasons and findings that say what TensorRT-LLM's pools did."""

from kvdesk.core.findings import Finding, info, warning
from kvdesk.engines.base import Question
from kvdesk.engines.tensorrt_llm import constants
from kvdesk.engines.tensorrt_llm.fill import Fill
from kvdesk.engines.tensorrt_llm.settings import Settings


def reasons(chosen: Settings, filled: Fill) -> tuple[str, ...]:
    """Why allocated differs from logical."""
    said = [f"Tokens are given out in blocks of {chosen.block}."]
    if len(filled.pools) > 1:
        said.append(f"The memory is split equally over {len(filled.pools)} pools, one for each window.")
    return tuple(said)


def findings(question: Question, chosen: Settings, filled: Fill) -> tuple[Finding, ...]:
    """What the user must know about this profile's answer."""
    found = [
        info(
            "profile-read",
            "The TensorRT-LLM profile was made by reading the PyTorch backend, not by running it; the peak after the "
            "dry run is an estimate.",
            "Compare with the engine's start-up log, or give the pool that it prints with --pool-bytes.",
        )
    ]
    windowed = any(part.kind in ("sliding", "chunked") for part in question.geometry.parts())
    if windowed and not chosen.windows:
        found.append(
            info(
                "windows-held-in-full",
                "Without max_attention_window every layer keeps every token, also those with a window.",
                "Give max_attention_window as a list, one entry per layer, repeated.",
            )
        )
    if filled.state_slots is not None and chosen.state_slots is None:
        found.append(
            warning(
                "state-slots-assumed",
                f"States are counted for {filled.state_slots:,} sequences, as many as are asked for; the engine keeps "
                "them for max_batch_size.",
                "Set max_batch_size as the server will have it.",
            )
        )
    version = question.engine_version
    if version and not version.startswith(("1.3", "1.4")):
        found.append(
            info("other-version", f"Sized with the profile of {constants.VERSIONS[0]}; {version[:40]} may differ.")
        )
    return tuple(found)
