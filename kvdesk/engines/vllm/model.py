"""What vLLM makes of a model: which attention it has, and in which number format it runs."""

from kvdesk.core import number_formats
from kvdesk.core.device import Device
from kvdesk.core.errors import RefusalError
from kvdesk.core.geometry import Geometry, Layer, distinct
from kvdesk.core.layers import Attention, CachePart, Compressed, Cross, Full, Indexer, Mla
from kvdesk.core.number_formats import FORMATS, NumberFormat
from kvdesk.core.states import GatedDelta, KimiDelta, Mamba2, ShortConvolution, State
from kvdesk.core.values import dataclass, replace
from kvdesk.engines.vllm.arguments import Arguments, Speculation

AMPERE = (8, 0)
NVIDIA = "nvidia"


class Model:
    """The layers that vLLM builds, draft layers included, and questions about their kinds."""

    def __init__(self, geometry: Geometry, device: Device, arguments: Arguments) -> None:
        self.geometry = geometry
        self.capability, self.on_nvidia = capability(device), is_nvidia(device)
        self.expert_parallel = arguments.expert_parallel
        self.format = _model_format(geometry, device, arguments)
        own = number_formats.get(geometry.model_dtype.value)
        states = _StateFormats(own, self.format, arguments)
        wide = _expanded(geometry)
        kinds: dict[int, Layer] = {
            id(layer): tuple(wide if wide and isinstance(part, Mla) else states.of(part) for part in layer)
            for layer, _ in distinct(geometry.layers)
        }
        self.layers: tuple[Layer, ...] = tuple(kinds[id(layer)] for layer in geometry.layers)
        self.drafting = draft(geometry, arguments.speculation)
        self.draft: tuple[Layer, ...] = tuple(
            tuple(states.of(part) for part in layer) for layer in self.drafting.layers
        )
        self.parts: tuple[CachePart, ...] = tuple(
            dict.fromkeys(part for layer, _ in distinct(self.layers) for part in layer)
        )
        """The distinct parts, in order."""

    @property
    def is_latent(self) -> bool:
        """MLA: one latent for all heads (`ModelConfig.use_mla`)."""
        return any(isinstance(part, Mla | Compressed) for part in self.parts)

    @property
    def is_sparse(self) -> bool:
        """MLA with an indexer (DeepSeek-V3.2, GLM-5)."""
        return self.is_latent and any(isinstance(part, Indexer) for part in self.parts)

    @property
    def is_compressed(self) -> bool:
        """DeepSeek-V4: latent streams compressed by blocks of tokens."""
        return any(isinstance(part, Compressed) for part in self.parts)

    @property
    def is_block_sparse(self) -> bool:
        """Keys and values with an index key beside them (MiniMax-M3)."""
        return not self.is_latent and any(isinstance(part, Indexer) for part in self.parts)

    @property
    def has_states(self) -> bool:
        """Recurrent or convolution states."""
        return any(isinstance(part, State) for part in self.parts)

    @property
    def has_attention(self) -> bool:
        """Anything that keeps tokens."""
        return any(isinstance(part, Attention | Mla | Compressed) for part in self.parts)

    @property
    def is_hybrid(self) -> bool:
        """States beside attention (`ModelConfig.is_hybrid`)."""
        return self.has_states and self.has_attention

    @property
    def is_encoder_decoder(self) -> bool:
        """Cross-attention over an encoder's tokens."""
        return any(isinstance(part, Cross) for part in self.parts)

    @property
    def states(self) -> tuple[State, ...]:
        """The distinct states."""
        return tuple(part for part in self.parts if isinstance(part, State))

    @property
    def attention(self) -> tuple[Attention, ...]:
        """The distinct attention parts with keys and values."""
        return tuple(part for part in self.parts if isinstance(part, Attention))

    @property
    def latents(self) -> tuple[Mla, ...]:
        """The distinct latents."""
        return tuple(part for part in self.parts if isinstance(part, Mla))

    @property
    def is_glm_sparse(self) -> bool:
        """GLM-5's sparse attention, for which vLLM has a format of its own on SM 10.x (`models/config.py`)."""
        return self.is_sparse and "glm" in self.geometry.model_type.lower()


@dataclass(frozen=True, slots=True, kw_only=True)
class Draft:
    """The layers that speculative decoding adds, and whether they had to be assumed.

    `lookahead` are the tokens that windows keep beside their own, for a chain of several draft modules.
    """

    layers: tuple[Layer, ...] = ()
    assumed: bool = False
    lookahead: int = 0


def draft(geometry: Geometry, speculation: Speculation | None) -> Draft:
    """All MTP modules of the model, or one layer like the model's last one with full attention.

    MTP modules are built once however many tokens are drafted (DeepSeek-V3: 61 -> 62 layers at 1 and at 3 tokens). An
    EAGLE head is one decoder layer; it is taken to have the model's attention.
    """
    if speculation is None or not speculation.reads_hidden_states:
        return Draft()
    modules = max(1, _count(geometry, *MODULE_COUNTS))
    if speculation.method == "mtp" and geometry.draft_layers:
        layers = geometry.draft_layers * (modules if len(geometry.draft_layers) == 1 else 1)
        chain = min(_count(geometry, "num_nextn_predict_layers"), speculation.tokens)
        return Draft(layers=layers, lookahead=speculation.tokens - 1 if chain > 1 else 0)
    keeping = [layer for layer in geometry.layers if any(part.kind in ("full", "mla") for part in layer)]
    layer = tuple(part for part in keeping[-1] if not isinstance(part, State)) if keeping else ()
    return Draft(layers=(layer,) if layer else (), assumed=True)


MODULE_COUNTS = ("num_nextn_predict_layers", "num_mtp_modules", "mtp_num_hidden_layers", "_num_mtp_layers")
"""Keys of the number of draft modules, each a layer (`model_executor/models/deepseek_mtp.py` and its kin)."""

MOST_MODULES = 64


def _count(geometry: Geometry, *keys: str) -> int:
    found = [fact.value for key, fact in geometry.facts.items() if key.rpartition(".")[2] in keys]
    return max((n for n in found if isinstance(n, int) and 0 < n <= MOST_MODULES), default=0)


def capability(device: Device) -> tuple[int, int]:
    """Compute capability of an NVIDIA device, Hopper's where it is not known; (0, 0) for other vendors."""
    if device.compute_capability is not None:
        return device.compute_capability
    return (9, 0) if device.vendor.lower() == NVIDIA else (0, 0)


def is_nvidia(device: Device) -> bool:
    """Whether CUDA backends run on it."""
    return device.vendor.lower() == NVIDIA or device.compute_capability is not None


def _model_format(geometry: Geometry, device: Device, arguments: Arguments) -> NumberFormat:
    """The model's own format; fp32 checkpoints run in bf16, or fp16 before Ampere (`config/model.py`)."""
    if arguments.dtype != "auto":
        return number_formats.get(arguments.dtype)
    own = number_formats.get(geometry.model_dtype.value)
    old = is_nvidia(device) and capability(device) < AMPERE
    if own.name in ("bf16", "fp16") and not (old and own.name == "bf16"):
        return own
    return FORMATS["fp16" if old else "bf16"]


EXPANDED = frozenset({"minicpm3"})
"""Latent models whose heads vLLM expands before it caches them (`model_executor/models/minicpm3.py`)."""


def _expanded(geometry: Geometry) -> Full | None:
    """The attention that is cached instead of latents: every query head's key, and its value padded to the key."""
    if geometry.model_type not in EXPANDED:
        return None
    rope = next((part.rope_dim for part in geometry.parts() if isinstance(part, Mla)), 0)
    plain = [fact.value for key, fact in geometry.facts.items() if key.endswith("qk_nope_head_dim")]
    if not plain or not isinstance(plain[0], int):
        raise RefusalError(
            "unknown-layer", "How vLLM keeps this model's heads cannot be told without qk_nope_head_dim."
        )
    width = plain[0] + rope
    return Full(kv_heads=geometry.query_heads, key_dim=width, value_dim=width)


class _StateFormats:
    """Formats of states: the model's as it runs, or what the options say."""

    def __init__(self, own: NumberFormat, running: NumberFormat, arguments: Arguments) -> None:
        self.own, self.running = own, running
        self.state = None if arguments.state_dtype == "auto" else number_formats.get(arguments.state_dtype)
        self.recurrent = None if arguments.recurrent_dtype == "auto" else number_formats.get(arguments.recurrent_dtype)
        speculation = arguments.speculation
        self.drafted = speculation.tokens if speculation else 0

    def of(self, part: CachePart) -> CachePart:
        if not isinstance(part, State):
            return part
        conv = self.state or (self.running if part.conv_format == self.own else part.conv_format)
        kept = part.recurrent_format
        if self.recurrent is not None:
            kept = self.recurrent
        elif kept == self.own and not (isinstance(part, KimiDelta) and kept.name == "fp32"):
            kept = conv
        part = replace(part, conv_format=conv, recurrent_format=kept)
        if self.drafted and isinstance(part, Mamba2 | GatedDelta | KimiDelta | ShortConvolution):
            # The convolution keeps room for the drafted tokens (`mamba_utils.py`, num_spec).
            part = replace(part, conv_kernel=part.conv_kernel + self.drafted)
        return part
