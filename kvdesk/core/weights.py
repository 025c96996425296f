"""The weights of a model: bytes and parameters, and which parts an engine may leave out."""

from collections.abc import Mapping

from kvdesk.core.sourced import Origin, Source, Sourced
from kvdesk.core.values import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Weights:
    """What the checkpoint's weights take when loaded, in bytes, one copy of the whole model.

    `parameters` excludes draft (MTP) layers and includes vision and audio parts, tied embeddings once; None where it is
    not known. `replicated_bytes` is the part that every tensor-parallel rank holds whole. `draft_bytes` are those of
    draft (MTP) layers, beside `bytes` and not in them: engines load them only for speculative decoding. `encoder_bytes`
    is the part of `bytes` that belongs to vision and audio encoders, which text-only serving can leave out. So are
    `expert_bytes` those of routed experts, `embedding_bytes` of the token embedding and `head_bytes` of an output head
    of its own (0 where tied); all are 0 where the parts are not known. `by_format` splits the bytes by stored
    number format where headers were read. `most_bytes` is what the weights may take where `bytes` is a figure on paper
    (parts that checkpoints leave in 16 bits), None without such doubt.
    """

    bytes: Sourced[int]
    parameters: Sourced[int] | None = None
    replicated_bytes: int = 0
    draft_bytes: int = 0
    encoder_bytes: int = 0
    expert_bytes: int = 0
    embedding_bytes: int = 0
    head_bytes: int = 0
    by_format: Mapping[str, int] = field(default_factory=dict)
    exact: bool = True
    most_bytes: int | None = None

    def most_of(self, share: int) -> int | None:
        """What `share` bytes of one GPU may be where the weights take `most_bytes`, rounded up; None without doubt."""
        if self.most_bytes is None or not self.bytes.value:
            return None
        return -(-share * max(self.most_bytes, self.bytes.value) // self.bytes.value)

    def on_rank(self, tp: int, pp: int) -> int:
        """Bytes on the fullest GPU of tp x pp, layers spread evenly: replicated / pp + rest / (tp x pp), rounded up."""
        divided = self.bytes.value - self.replicated_bytes
        return -(-self.replicated_bytes // pp) + -(-divided // (tp * pp))


def typed(size: int) -> Weights:
    """Weights of a size that the user gave."""
    return Weights(bytes=Sourced(size, Source(Origin.USER, "--weights-bytes")))
