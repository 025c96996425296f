"""Why what is allocated differs from what one sequence must keep, in sentences."""

from collections.abc import Iterator

from kvdesk.core.units import binary
from kvdesk.engines.vllm.block_size import Blocks
from kvdesk.engines.vllm.groups import Group, Plan
from kvdesk.engines.vllm.pages import CHUNKED, CROSS, LATENT_WINDOW, SLIDING, STATE, TOKEN_KINDS

WINDOWS = (SLIDING, LATENT_WINDOW)


def sentences(plan: Plan, blocks: Blocks, in_flight: int, tp: int, dcp: int, smallest_heads: int) -> tuple[str, ...]:
    """The reasons that apply to this plan, the heaviest kinds first."""
    return (
        *_windows(plan, in_flight),
        *_states(plan, blocks),
        *_encoder(plan),
        *_padding(plan),
        *_replicas(plan, tp, dcp, smallest_heads),
        f"Memory is handed out in blocks of {blocks.tokens:,} tokens; the last one is reserved whole.",
    )


def _windows(plan: Plan, in_flight: int) -> Iterator[str]:
    counts = plan.layers_by_kind
    for kinds, noun in ((WINDOWS, "windows"), ((CHUNKED,), "chunks")):
        count = sum(counts[kind] for kind in kinds)
        if count:
            yield (
                f"{count} layers with {noun} keep room for {in_flight:,} tokens in flight beside their {noun}, "
                "as while a prompt is read; once it is read they hold less."
            )


def _states(plan: Plan, blocks: Blocks) -> Iterator[str]:
    count = plan.layers_by_kind[STATE]
    if not count:
        return
    page = next(spec.page for group in plan.groups for spec in group.members.values() if spec.kind == STATE)
    held = blocks.state_blocks
    yield (
        f"{count} state layers keep {held} block{'s' if held > 1 else ''} of {binary(page)} for each sequence, "
        "however short: "
        + ("the state, copies at block boundaries for prefix caching and drafts." if held > 1 else "one state.")
    )
    if any(group.first.kind in TOKEN_KINDS for group in plan.groups):
        yield f"A block is {blocks.tokens:,} tokens so that its attention page can hold a state."


def _encoder(plan: Plan) -> Iterator[str]:
    held = [group.first for group in plan.groups if group.first.kind == CROSS]
    if held:
        tokens = held[0].held * held[0].block
        yield f"Cross-attention reserves the encoder's budget of {tokens:,} tokens for each sequence."


def _padding(plan: Plan) -> Iterator[str]:
    pages = [group.page() for group in plan.groups]
    if len(plan.groups) > 1:
        yield (
            f"{len(plan.groups)} groups of layers share one pool of blocks of {binary(max(pages))}, "
            "as wide as the widest group"
            + (f"; the narrowest uses {binary(min(pages))}." if min(pages) < max(pages) else ".")
        )


def _replicas(plan: Plan, tp: int, dcp: int, smallest_heads: int) -> Iterator[str]:
    if any(_is_latent(group) for group in plan.groups) and tp > dcp:
        yield f"Each of the {tp} tensor-parallel ranks keeps a whole copy of the latents" + (
            f", spread over {dcp} ranks." if dcp > 1 else "."
        )
    elif 0 < smallest_heads < tp:
        yield f"{smallest_heads} KV heads are copied so that each of the {tp} ranks has one."


def _is_latent(group: Group) -> bool:
    return any(spec.kind.startswith("latent") and spec.shape[0] != "index" for spec in group.members.values())
