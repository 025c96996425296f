"""What changed between versions of vLLM as far as memory is concerned.

Read in the wheels of 0.9.2 to 0.33.0; file names are those of 0.33.0. Engine V0 (to 0.7) is known from its logs: one
block table for all layers, chunked prefill only past 32,768 tokens.
"""

from fractions import Fraction
from functools import lru_cache

from kvdesk.core.errors import UsageError
from kvdesk.core.values import dataclass

VERSIONS = (
    "0.33.0",
    "0.32.0",
    "0.31.0",
    "0.29.0",
    "0.28.0",
    "0.26.0",
    "0.25.0",
    "0.20.2",
    "0.20.0",
    "0.19.0",
    "0.15.0",
    "0.9.2",
    "0.8.0",
    "0.6.0",
)
"""Versions at which a rule changed or was measured, newest first; one in between takes the next older."""

_MOST_DIGITS = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """The rules of one version."""

    version: str
    first_engine: bool
    """Engine V0, the default to 0.7: 256 sequences, a whole prompt in one step up to 32,768 tokens."""
    windows_in_full: bool
    """Whether windows and chunks are allocated like full attention: before 0.9.2."""
    utilization: float
    """Default of `gpu_memory_utilization` (`config/cache.py`): 0.92 since 0.20.0, 0.90 before."""
    in_flight_windows: bool
    """Whether a window holds all tokens in flight (`config/vllm.py` `max_in_flight_tokens`, since 0.26.0) or only one
    batch (`max_num_batched_tokens`)."""
    tokens_by_request: bool
    """Whether the log's token count is concurrency x max_model_len (since 0.20.2) or blocks // groups x block size."""
    null_block_checked: bool
    """Whether the start-up check leaves out the block that is never handed out: since 0.29.0."""
    largest_batches: bool
    """Whether devices of 160 GiB and more have defaults of their own (`engine/arg_utils.py`): since 0.28.0."""
    small_gb10: bool
    """Whether GB10 has the defaults of small devices in spite of its memory: since 0.33.0."""
    uneven: Fraction
    """Kinds of layers whose counts differ by less than this factor are padded to the larger count
    (`v1/core/kv_cache_planning.py`): 1.5 since 0.19.0, 1.25 since 0.15.0, never before."""
    pads_attention: bool
    """Whether pages that do not divide the largest are padded; before 0.25.0 such models did not start."""
    hybrid_prefix_caching: bool
    """Whether prefix caching is on by default for models with recurrent states: since 0.26.0."""
    state_per_block: bool
    """Whether prefix caching keeps a Mamba state for every block ("all" mode): from 0.15.0 to 0.27."""
    latent_hybrid_step: bool
    """Whether MLA beside states has blocks in steps of 128: since 0.28.0."""
    states_bound_sequences: bool
    """Whether more sequences than blocks are refused for models with states (`config/compilation.py`): since 0.20.0."""
    mamba2_checkpoint: bool
    """One more state block for a checkpoint inside a prefill: Mamba-2 since 0.32.0 (`mamba_mixer2.py`)."""
    delta_checkpoint: bool
    """The same for gated delta nets through FlashInfer and for KDA through FlashKDA, since 0.33.0
    (`qwen_gdn_linear_attn.py`, `kda_checkpoint.py`)."""
    nvfp4_on_any_gpu: bool
    """Whether FlashInfer's FA2 kernels read a cache in NVFP4 (SM 8.x, 9.0 and 12.x): since 0.33.0; not in 0.31.0."""
    mxfp4_hopper_step: int
    """Steps of an MXFP4 expert's width on Hopper: 64 with Triton's kernels, which wheels hold since 0.12.0; before, 128
    with Marlin, where they are not installed (0.11.0 `quantization/mxfp4.py`)."""
    mxfp4_blackwell_step: int
    """The same with TensorRT-LLM's kernels on SM 10.x: 128 since 0.31.0, 256 before (`fused_moe/oracle/mxfp4.py`)."""


@lru_cache(maxsize=16)
def rules(version: str | None) -> Rules:
    """The rules of `version`, or of the newest profile for None.

    Raises `UsageError` (`bad-engine-version`, `unknown-engine-version`) for text that is not a version or one older
    than the oldest profile.
    """
    wanted = parse(version) if version else parse(VERSIONS[0])
    if wanted < parse(VERSIONS[-1]):
        raise UsageError(
            "unknown-engine-version",
            f"vLLM {version} is older than the oldest profile, {VERSIONS[-1]}.",
            "Its memory planning was another.",
            f"Choose a version from {VERSIONS[-1]} to {VERSIONS[0]}.",
        )
    return Rules(
        version=version.strip().lstrip("v") if version else VERSIONS[0],
        first_engine=wanted < (0, 8, 0),
        windows_in_full=wanted < (0, 9, 2),
        utilization=0.92 if wanted >= (0, 20, 0) else 0.90,
        in_flight_windows=wanted >= (0, 26, 0),
        tokens_by_request=wanted >= (0, 20, 2),
        null_block_checked=wanted >= (0, 29, 0),
        largest_batches=wanted >= (0, 28, 0),
        small_gb10=wanted >= (0, 33, 0),
        uneven=Fraction(3, 2) if wanted >= (0, 19, 0) else Fraction(5, 4) if wanted >= (0, 15, 0) else Fraction(1),
        pads_attention=wanted >= (0, 25, 0),
        hybrid_prefix_caching=wanted >= (0, 26, 0),
        state_per_block=(0, 15, 0) <= wanted < (0, 28, 0),
        latent_hybrid_step=wanted >= (0, 28, 0),
        states_bound_sequences=wanted >= (0, 20, 0),
        mamba2_checkpoint=wanted >= (0, 32, 0),
        delta_checkpoint=wanted >= (0, 33, 0),
        nvfp4_on_any_gpu=wanted >= (0, 33, 0),
        mxfp4_hopper_step=64 if wanted >= (0, 12, 0) else 128,
        mxfp4_blackwell_step=128 if wanted >= (0, 31, 0) else 256,
    )


def is_newer_than_profiles(version: str) -> bool:
    """Whether `version` is newer than the newest profile."""
    return parse(version) > parse(VERSIONS[0])


def parse(version: str) -> tuple[int, int, int]:
    """`"v0.20.1rc2.dev3+g1234"` -> `(0, 20, 1)`; raises `UsageError` (`bad-engine-version`)."""
    numbers: list[int] = []
    for piece in version.strip().removeprefix("v").split("+")[0].split(".")[:3]:
        digits = piece[: len(piece) - len(piece.lstrip("0123456789"))]
        if not digits or len(digits) > _MOST_DIGITS:
            break
        numbers.append(int(digits))
        if digits != piece:
            break
    if len(numbers) < 2:
        raise UsageError(
            "bad-engine-version", f"“{version[:40]}” is not a version of vLLM.", "", f"Write for example {VERSIONS[0]}."
        )
    return (numbers[0], numbers[1], numbers[2] if len(numbers) > 2 else 0)
