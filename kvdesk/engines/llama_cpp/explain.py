"""Reasons and findings that say what llama.cpp's cells did."""

from kvdesk.core.findings import Finding, info
from kvdesk.engines.base import Question
from kvdesk.engines.llama_cpp import constants
from kvdesk.engines.llama_cpp.settings import Settings


def reasons(question: Question, chosen: Settings) -> tuple[str, ...]:
    """Why allocated differs from logical."""
    layout = chosen.layout(1)
    kinds = {part.kind for part in question.geometry.parts()}
    said = [f"Cells are padded to a multiple of {constants.PADDING}."]
    if kinds & {"sliding", "chunked"}:
        sharing = f"{layout.slots} slots" if layout.unified else "one slot"
        held = "every cell (--swa-full)" if chosen.swa_full else f"the window of {sharing} and one batch"
        said.append(f"Window layers hold {held}.")
    if "state" in kinds:
        said.append(f"Recurrent states are kept in F32, one for each slot ({layout.slots}).")
    if not layout.unified and layout.slots > 1:
        said.append(f"Each of {layout.slots} slots has cells of its own, used or not.")
    if chosen.keys.name != chosen.values.name:
        said.append(f"Keys are kept in {chosen.keys.name}, values in {chosen.values.name}.")
    return tuple(said)


def findings(question: Question, chosen: Settings) -> tuple[Finding, ...]:
    """What the user must know about this profile's answer."""
    found = [
        info(
            "profile-read",
            f"The llama.cpp profile was made by reading commit {constants.VERSIONS[0]}; its compute buffer is an "
            "estimate.",
            "Compare with the engine's start-up log.",
        )
    ]
    wanted = question.workload.sequences
    if chosen.slots is None and wanted > constants.PARALLEL:
        found.append(
            info(
                "more-slots",
                f"{wanted:,} sequences at once need --parallel {wanted}; the server's default is "
                f"{constants.PARALLEL} slots.",
            )
        )
    if question.layout.tp * question.layout.pp > 1:
        found.append(info("split-by-layers", "llama.cpp splits the layers over GPUs; heads are not divided."))
    return tuple(found)
