"""Reasons and findings that say what SGLang's pools did."""

from kvdesk.core.findings import Finding, info
from kvdesk.engines.base import Question
from kvdesk.engines.sglang import constants, pools
from kvdesk.engines.sglang.fill import Fill


def reasons(fill: Fill, options: pools.Options, context: int) -> tuple[str, ...]:
    """Why allocated differs from logical."""
    said = []
    if options.page > 1:
        said.append(f"Tokens are given out in pages of {options.page}.")
    if fill.cell.windowed:
        said.append("A window holds one page more than its length.")
    if fill.cell.state and options.slots_per_request > 1:
        said.append(
            f"A running request takes {options.slots_per_request} state slots: its own and those of the prefix cache."
        )
    if not said and fill.allocated.at(context) != fill.logical.at(context):
        said.append("Layers with a window keep every token: SGLang gives this architecture no window pool.")
    return tuple(said)


def findings(question: Question, fill: Fill) -> tuple[Finding, ...]:
    """What the user must know about this profile's answer."""
    found = [
        info(
            "profile-read",
            "The SGLang profile was made by reading 0.5.23, not by running it; the free memory before loading is an "
            "estimate.",
            "Compare with the engine's start-up log, or give the pool that it prints with --pool-bytes.",
        )
    ]
    windows = any(part.kind in pools.WINDOWED for part in question.geometry.parts())
    if windows and not fill.cell.windowed:
        found.append(
            info(
                "windows-held-in-full",
                f"SGLang has no window pool for {question.geometry.architecture or 'this architecture'}: window layers "
                "keep every token.",
            )
        )
    version = question.engine_version
    if version and version != constants.VERSIONS[0]:
        found.append(
            info("other-version", f"Sized with the profile of {constants.VERSIONS[0]}; {version[:40]} may differ.")
        )
    return tuple(found)
