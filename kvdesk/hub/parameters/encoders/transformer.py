"""The transformer layers that all encoders are made of."""

from kvdesk.core.values import dataclass
from kvdesk.hub.parameters.tally import Tally


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderLayer:
    """One layer of a bidirectional encoder: sizes, and where biases are."""

    hidden: int
    width: int
    kv: int = 0
    """Elements of keys (and of values), where they are fewer than `hidden`."""
    gated: bool = False
    query_bias: bool = True
    key_bias: bool = True
    value_bias: bool = True
    output_bias: bool = True
    mlp_bias: bool = True
    norms: int = 2
    norm_bias: bool = True

    def add(self, tally: Tally, times: int, *, part: str = "vision") -> None:
        """`times` such layers."""
        keys = self.kv or self.hidden
        tally.linear(part, self.hidden, self.hidden, bias=self.query_bias, times=times)
        tally.linear(part, self.hidden, keys, bias=self.key_bias, times=times)
        tally.linear(part, self.hidden, keys, bias=self.value_bias, times=times)
        tally.linear(part, self.hidden, self.hidden, bias=self.output_bias, times=times, rows=True)
        tally.linear(part, self.hidden, self.width, bias=self.mlp_bias, times=times * (2 if self.gated else 1))
        tally.linear(part, self.width, self.hidden, bias=self.mlp_bias, times=times, rows=True)
        tally.norm(self.hidden, times=self.norms * times, bias=self.norm_bias)


def linear(tally: Tally, part: str, wide: int, out: int, *, bias: bool = True, split: bool = True) -> None:
    """One projection; without `split` every rank holds it whole."""
    tally.linear(part, wide, out, bias=bias, split=split)
