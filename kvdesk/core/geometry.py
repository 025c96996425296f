"""The geometry of a model: what kvdesk needs to know of it, each fact with its source."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from kvdesk.core.findings import Finding
from kvdesk.core.growth import Growth
from kvdesk.core.layers import CachePart, Cross
from kvdesk.core.number_formats import NumberFormat
from kvdesk.core.sourced import Sourced
from kvdesk.core.values import dataclass, field, replace

Layer = tuple[CachePart, ...]
"""One decoder layer: the parts of the cache that it keeps, in the order of the model."""

FactValue = int | float | str | bool | None | tuple[int | str | None, ...]


def distinct(layers: Sequence[Layer]) -> list[tuple[Layer, int]]:
    """Layers that are one and the same object once, with their counts, in order of first appearance.

    Equal layers of a geometry are one object (`hub.reader`), so that a model of 80 layers costs what its kinds cost.
    Where they are not, they only come out several times.
    """
    by_id = {id(layer): layer for layer in layers}
    return [(by_id[key], count) for key, count in Counter(map(id, layers)).items()]


def shared(layers: Sequence[Layer]) -> tuple[Layer, ...]:
    """The same layers, those that are equal as one object."""
    known: dict[Layer, Layer] = {}
    return tuple(known.setdefault(layer, layer) for layer in layers)


@dataclass(frozen=True, slots=True, kw_only=True)
class Geometry:
    """A model as far as its memory is concerned.

    `layers` are the decoder's, in order; `draft_layers` those of multi-token-prediction or draft heads shipped with the
    model, which count only under speculative decoding. `facts` are the values read, by the config's own key path
    (`text_config.num_key_value_heads`), in the order of reading; they are what a user can override. `max_context` is in
    tokens. `encoder_tokens` is the number of tokens cross-attention sees by default, 0 without an encoder.
    """

    model_type: str
    architecture: str
    layers: tuple[Layer, ...]
    draft_layers: tuple[Layer, ...] = ()
    query_heads: int = 0
    hidden_size: int = 0
    vocab_size: int = 0
    max_context: Sourced[int] | None = None
    encoder_tokens: int = 0
    model_dtype: Sourced[str]
    checkpoint_kv_dtype: Sourced[str] | None = None
    """The cache's format that the checkpoint itself asks for, never inferred from the weights' format."""
    quantization: str = ""
    """The weights' quantisation method as the checkpoint names it ("fp8", "modelopt", "awq"), "" for none."""
    multimodal: bool = False
    experts: int = 0
    """Routed experts per MoE layer, 0 for dense models."""
    facts: Mapping[str, Sourced[FactValue]] = field(default_factory=dict)
    findings: tuple[Finding, ...] = ()

    @property
    def is_latent(self) -> bool:
        """Whether attention keeps latents (MLA), which tensor parallelism does not divide."""
        return any(part.kind in ("mla", "compressed") for part in self.parts())

    def with_encoder_tokens(self, tokens: int) -> "Geometry":
        """The same model whose cross-attention sees `tokens` encoder tokens."""
        layers = tuple(
            tuple(replace(part, encoder_tokens=tokens) if isinstance(part, Cross) else part for part in layer)
            for layer in self.layers
        )
        return replace(self, layers=layers, encoder_tokens=tokens)

    def parts(self, *, draft: bool = False) -> Iterator[CachePart]:
        """Every part of every layer, in order; with `draft`, those of the draft layers after them."""
        for layer in self.layers:
            yield from layer
        if draft:
            for layer in self.draft_layers:
                yield from layer

    def counted(self) -> tuple[tuple[CachePart, int], ...]:
        """Equal parts with their counts, in order of first appearance."""
        counts: dict[CachePart, int] = {}
        for layer, count in distinct(self.layers):
            for part in layer:
                counts[part] = counts.get(part, 0) + count
        return tuple(counts.items())

    def logical(self, fmt: NumberFormat) -> Growth:
        """What one sequence must keep: whole model, one copy, no blocks; bytes as a function of tokens."""
        return Growth.of(part.growth(fmt).times(count) for part, count in self.counted())

    def on_rank(self, tp: int, layers: slice = slice(None)) -> tuple[tuple[CachePart, int], ...]:
        """Equal parts with their counts as one of `tp` ranks of the pipeline stage that holds `layers` keeps them."""
        counts: dict[CachePart, int] = {}
        for layer, count in distinct(self.layers[layers]):
            for part in layer:
                mine = part.on_rank(tp)
                counts[mine] = counts.get(mine, 0) + count
        return tuple(counts.items())

    def logical_on_rank(self, fmt: NumberFormat, tp: int, layers: slice = slice(None)) -> Growth:
        """What one sequence must keep on one of `tp` ranks of the pipeline stage that holds `layers`."""
        return Growth.of(part.growth(fmt).times(count) for part, count in self.on_rank(tp, layers))
