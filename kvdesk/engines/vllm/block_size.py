"""Tokens per block.

Source: vLLM 0.33.0 `platforms/interface.py` `update_block_size_for_backend`. Three phases: the backend's own block; for
models with recurrent states a block so large that the attention page holds one state; with layers kept out of
quantisation a block whose quantised page holds the unquantised one.

Phase 2 by hand, Qwen3-Next-80B on an H100, bf16, one GPU: attention takes 2 heads x 512 x 2 = 2,048 B per token, the
state 3 x 8,192 x 2 + 32 x 128 x 128 x 2 = 1,097,728 B, blocks come in steps of lcm(16, 64) = 64 (FlashInfer's
checkpoints); 64 x ceil(1,097,728 / (64 x 2,048)) = 576 tokens. Without prefix caching steps of 16 give 544. Jamba-1.5
Mini at TP 2: 4 heads x 256 x 2 = 2,048 B, state 155,648 B, 16 x ceil(155,648 / 32,768) = 80.

Phase 3, Llama-3.1-8B with fp8 and two layers kept in bf16: 2,048 and 4,096 B per token; the bf16 page of the smallest
block is 65,536 B, 16 x ceil(65,536 / (16 x 2,048)) = 32 tokens.
"""

from math import lcm

from kvdesk.core.device import Device
from kvdesk.core.layers import Attention
from kvdesk.core.number_formats import FORMATS, NumberFormat
from kvdesk.core.states import GatedDelta, KimiDelta, Mamba2
from kvdesk.core.values import dataclass
from kvdesk.engines.vllm.arguments import Arguments
from kvdesk.engines.vllm.backends import Backend
from kvdesk.engines.vllm.model import Model, capability, is_nvidia
from kvdesk.engines.vllm.versions import Rules

MLA_HYBRID_STEP = 128
"""MLA beside states keeps whole groups of kernel blocks (`_align_hybrid_block_size`)."""

FLASHINFER_STEP = 64
"""Tokens between the states that FlashInfer's gated-delta prefill can export (`v1/attention/backends/gdn_attn.py`)."""

FLASHKDA_STEP = 16
"""The same of FlashKDA (`model_executor/layers/mamba/kda_checkpoint.py`)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Blocks:
    """Tokens per block of full attention, and what follows for the other pages.

    `state_page` is the padded page of a state in bytes, 0 without states; `skipped_page` the page that layers kept
    out of quantisation are padded to, 0 without such. `state_blocks` are the blocks that one sequence holds for its
    states in each group, `aligned` says whether states are cached for prefixes.
    """

    tokens: int
    backend: Backend
    aligned: bool = False
    state_page: int = 0
    state_blocks: int = 1
    skipped_page: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """What the choice of a block depends on."""

    model: Model
    format: NumberFormat
    device: Device
    arguments: Arguments
    rules: Rules
    backend: Backend
    tp: int
    prefix_caching: bool
    skips: bool
    """Whether some layers are kept out of quantisation."""
    first_skipped: bool = False
    """Whether the first layer is one of them: its backend then measures the quantised page too."""


def choose(setting: Setting) -> Blocks:
    """The blocks of this setting."""
    tokens = setting.arguments.block_size or setting.backend.preferred
    aligned = setting.model.has_states and setting.prefix_caching
    state_page = max((state.on_rank(setting.tp).state_bytes for state in setting.model.states), default=0)
    if setting.model.is_hybrid:
        per_token = token_bytes(setting.model, setting.format, setting.tp)
        tokens = max(tokens, _with_states(setting, tokens, state_page, per_token, aligned))
        state_page = tokens * per_token
    skipped_page = 0
    if setting.skips:
        tokens, skipped_page = _with_skips(setting, tokens, state_page if setting.model.is_hybrid else 0)
        state_page = skipped_page if setting.model.is_hybrid and skipped_page else state_page
    return Blocks(
        tokens=tokens,
        backend=setting.backend,
        aligned=aligned,
        state_page=state_page,
        state_blocks=_state_blocks(setting, aligned),
        skipped_page=skipped_page,
    )


def token_bytes(model: Model, fmt: NumberFormat, tp: int) -> int:
    """Bytes of one token in one attention layer of one rank: the largest among the layers."""
    latents = [fmt.latent(part.latent_dim, part.rope_dim) for part in model.latents]
    shares = (part.on_rank(tp) for part in model.parts)
    attention = [share.token_bytes(fmt) for share in shares if isinstance(share, Attention)]
    return max([*latents, *attention], default=1)


def checkpoint_step(setting: Setting) -> int | None:
    """Tokens between the states that every state layer can export inside a prefill; None where one cannot."""
    step = 1
    for state in setting.model.states:
        own = _step(setting, state)
        if own is None:
            return None
        step = lcm(step, own)
    return step


def _step(setting: Setting, state: object) -> int | None:
    """Mamba-2 layers export anywhere but do not take part in choosing the block."""
    major = capability(setting.device)[0]
    arguments = setting.arguments
    if isinstance(state, GatedDelta):
        fast = major == 9 or (major in (10, 12) and state.key_dim == 128)
        wanted = arguments.gdn_prefill in ("auto", "flashinfer")
        return FLASHINFER_STEP if setting.rules.delta_checkpoint and fast and wanted else None
    if isinstance(state, KimiDelta):
        fast = major in (9, 10, 12) and state.head_dim == 128 and _has_gate_bound(setting.model)
        wanted = arguments.kda_prefill in ("auto", "flashkda")
        return (
            FLASHKDA_STEP if setting.rules.delta_checkpoint and fast and wanted and is_nvidia(setting.device) else None
        )
    return None


def _has_gate_bound(model: Model) -> bool:
    """FlashKDA needs the config's `gate_lower_bound`; where that key was not looked at, it is taken as there."""
    bounds = [fact.value for key, fact in model.geometry.facts.items() if key.endswith("gate_bounded")]
    return bool(bounds[0]) if bounds else True


def _with_states(setting: Setting, tokens: int, state_page: int, per_token: int, aligned: bool) -> int:
    step = max(setting.backend.kernel, tokens)
    if setting.model.is_latent and setting.rules.latent_hybrid_step:
        step = max(step, MLA_HYBRID_STEP)
    if aligned:
        step = lcm(step, checkpoint_step(setting) or 1)
    needed = step * -(-state_page // (step * per_token))
    kernel = setting.backend.kernel
    return kernel * -(-needed // kernel)


def _with_skips(setting: Setting, tokens: int, state_page: int) -> tuple[int, int]:
    """Tokens per block, and the page that unquantised windows are padded to."""
    quantized = token_bytes(setting.model, _measured_format(setting), setting.tp)
    plain = token_bytes(setting.model, setting.model.format, setting.tp)
    if quantized >= plain:
        return tokens, 0
    kernel = setting.backend.kernel
    step = max(kernel, tokens)
    tokens = max(tokens, step * -(-max(plain * kernel, state_page) // (step * quantized)))
    return tokens, tokens * quantized


def _measured_format(setting: Setting) -> NumberFormat:
    """The quantised format as the first layer's backend packs it: one byte per element where it knows no packing.

    Llama-3.1-8B with TurboQuant: layer 0 runs on FlashAttention, which counts 8 heads x 256 x 1 = 2,048 B per token.
    """
    packs = setting.format.name.startswith("nvfp4") and capability(setting.device)[0] == 10
    return FORMATS["fp8"] if setting.first_skipped and not packs else setting.format


def _state_blocks(setting: Setting, aligned: bool) -> int:
    """Blocks per sequence and group: the state, its copy at the last block boundary, drafts, a prefill checkpoint.

    Source: `v1/kv_cache_interface.py` `MambaSpec.max_memory_usage_bytes`.
    """
    drafted = setting.arguments.speculation.tokens if setting.arguments.speculation else 0
    if not aligned:
        return 1 + drafted
    mamba2 = any(isinstance(state, Mamba2) for state in setting.model.states)
    checkpoint = (setting.rules.mamba2_checkpoint and mamba2) or checkpoint_step(setting) is not None
    return 2 + drafted + (1 if checkpoint and setting.model.states else 0)
