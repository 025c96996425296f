"""The workload: what is held in memory at once."""

from kvdesk.core.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Workload:
    """`sequences` sequences of `context` tokens each, prompt and output together.

    The first `shared_prefix` tokens are the same in all and are held once, in whole blocks. `encoder_tokens` is what
    cross-attention sees; None means the model's own maximum.
    """

    context: int
    sequences: int = 1
    shared_prefix: int = 0
    encoder_tokens: int | None = None
