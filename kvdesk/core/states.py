"""Recurrent and convolution states: what linear-attention and state-space layers keep, whatever the context.

A convolution of kernel k keeps k - 1 columns in the model's format; the recurrent state has its own format. Shapes and
their division over ranks: vLLM 0.33.0 `model_executor/layers/mamba/mamba_utils.py` (`MambaStateShapeCalculator`,
`MambaStateDtypeCalculator`). `tp` is the number of tensor-parallel ranks.
"""

from typing import ClassVar, Self

from kvdesk.core.growth import Term
from kvdesk.core.number_formats import NumberFormat
from kvdesk.core.values import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Base: a convolution state of `conv_shape` and a recurrent state of `recurrent_shape` elements on one rank."""

    kind: ClassVar[str] = "state"
    family: ClassVar[str] = "state"
    conv_format: NumberFormat
    recurrent_format: NumberFormat
    ranks: int = 1

    @property
    def conv_shape(self) -> tuple[int, ...]:
        """Columns x channels of the convolution state; () where there is none."""
        return ()

    @property
    def recurrent_shape(self) -> tuple[int, ...]:
        """Shape of the recurrent state; () where there is none."""
        return ()

    @property
    def conv_bytes(self) -> int:
        """Bytes of the convolution state."""
        return self.conv_format.vector(_product(self.conv_shape))

    @property
    def recurrent_bytes(self) -> int:
        """Bytes of the recurrent state."""
        return self.recurrent_format.vector(_product(self.recurrent_shape))

    @property
    def state_bytes(self) -> int:
        """Bytes of both states of one sequence."""
        return self.conv_bytes + self.recurrent_bytes

    def growth(self, fmt: NumberFormat) -> Term:
        """Fixed: neither the tokens nor the cache's format matter."""
        return Term(fixed=self.state_bytes)

    def on_rank(self, tp: int) -> Self:
        """The same layer as one of `tp` ranks keeps it."""
        return replace(self, ranks=tp)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mamba1(State):
    """Mamba-1: conv (k-1) x d_inner, state d_inner x d_state; d_inner is divided over ranks."""

    family: ClassVar[str] = "mamba1"
    inner: int
    state_size: int
    conv_kernel: int

    @property
    def conv_shape(self) -> tuple[int, ...]:
        """(k-1, d_inner / tp)."""
        return (self.conv_kernel - 1, self.inner // self.ranks)

    @property
    def recurrent_shape(self) -> tuple[int, ...]:
        """(d_inner / tp, d_state)."""
        return (self.inner // self.ranks, self.state_size)


@dataclass(frozen=True, slots=True, kw_only=True)
class Mamba2(State):
    """Mamba-2: conv (k-1) x (d_inner + 2 x groups x d_state), state heads x head_dim x d_state.

    Groups that ranks do not divide are raised to the number of ranks' multiple before the division.
    """

    family: ClassVar[str] = "mamba2"
    inner: int
    heads: int
    head_dim: int
    state_size: int
    groups: int
    conv_kernel: int

    @property
    def conv_shape(self) -> tuple[int, ...]:
        """(k-1, (d_inner + 2 x groups x d_state) / tp)."""
        groups = -(-self.groups // self.ranks) * self.ranks
        return (self.conv_kernel - 1, (self.inner + 2 * groups * self.state_size) // self.ranks)

    @property
    def recurrent_shape(self) -> tuple[int, ...]:
        """(heads / tp, head_dim, d_state)."""
        return (self.heads // self.ranks, self.head_dim, self.state_size)


@dataclass(frozen=True, slots=True, kw_only=True)
class GatedDelta(State):
    """Gated delta net (Qwen3-Next, Qwen3.5): conv (k-1) x (2 Hk dk + Hv dv), state Hv x dv x dk."""

    family: ClassVar[str] = "gated_delta"
    key_heads: int
    value_heads: int
    key_dim: int
    value_dim: int
    conv_kernel: int

    @property
    def conv_shape(self) -> tuple[int, ...]:
        """(k-1, (2 Hk dk + Hv dv) / tp)."""
        channels = 2 * self.key_heads * self.key_dim + self.value_heads * self.value_dim
        return (self.conv_kernel - 1, channels // self.ranks)

    @property
    def recurrent_shape(self) -> tuple[int, ...]:
        """(Hv / tp, dv, dk)."""
        return (self.value_heads // self.ranks, self.value_dim, self.key_dim)


@dataclass(frozen=True, slots=True, kw_only=True)
class KimiDelta(State):
    """Kimi delta attention: conv (k-1) x 3 x heads x d, state heads x d x d."""

    family: ClassVar[str] = "kimi_delta"
    heads: int
    head_dim: int
    conv_kernel: int

    @property
    def conv_shape(self) -> tuple[int, ...]:
        """(k-1, 3 x heads x d / tp)."""
        return (self.conv_kernel - 1, 3 * self.heads * self.head_dim // self.ranks)

    @property
    def recurrent_shape(self) -> tuple[int, ...]:
        """(heads / tp, d, d)."""
        return (self.heads // self.ranks, self.head_dim, self.head_dim)


@dataclass(frozen=True, slots=True, kw_only=True)
class LightningAttention(State):
    """Lightning (linear) attention of MiniMax-Text-01: state heads x d x d, no convolution."""

    family: ClassVar[str] = "lightning"
    heads: int
    head_dim: int

    @property
    def recurrent_shape(self) -> tuple[int, ...]:
        """(heads / tp, d, d)."""
        return (self.heads // self.ranks, self.head_dim, self.head_dim)


@dataclass(frozen=True, slots=True, kw_only=True)
class ShortConvolution(State):
    """A gated short convolution (LFM2): conv (k-1) x channels, no recurrent state."""

    family: ClassVar[str] = "short_conv"
    channels: int
    conv_kernel: int

    @property
    def conv_shape(self) -> tuple[int, ...]:
        """(k-1, channels / tp)."""
        return (self.conv_kernel - 1, self.channels // self.ranks)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rwkv(State):
    """RWKV 5, 6 and 7: the last token's activations of both blocks (2 x hidden) and a state of heads x d x d.

    The shifted activations are kept whole on every rank.
    """

    family: ClassVar[str] = "rwkv"
    hidden: int
    heads: int
    head_dim: int

    @property
    def conv_shape(self) -> tuple[int, ...]:
        """(2, hidden)."""
        return (2, self.hidden)

    @property
    def recurrent_shape(self) -> tuple[int, ...]:
        """(heads / tp, d, d)."""
        return (self.heads // self.ranks, self.head_dim, self.head_dim)


def _product(shape: tuple[int, ...]) -> int:
    if not shape:
        return 0
    result = 1
    for size in shape:
        result *= size
    return result
