"""Weights computed from a model's config, for want of files: parameters counted by family, bytes by number format."""

from collections.abc import Iterable, Mapping

from kvdesk.core import number_formats
from kvdesk.core.errors import KvdeskError
from kvdesk.core.geometry import Geometry, Layer
from kvdesk.core.json_value import JsonValue
from kvdesk.core.layers import NoCache
from kvdesk.core.number_formats import NumberFormat
from kvdesk.core.sourced import Origin, Source, Sourced
from kvdesk.core.states import State
from kvdesk.core.values import dataclass, field
from kvdesk.core.weights import Weights
from kvdesk.hub import quantization
from kvdesk.hub.config_view import Reading, open_view
from kvdesk.hub.parameters import ParameterCount, count
from kvdesk.hub.parameters.tally import ENCODERS
from kvdesk.hub.quantization import Scheme, formats

LINEAR_ONLY: Mapping[str, NumberFormat] = {
    "int4": formats.integers(4, 128, zeros=True),
    "nvfp4": number_formats.FORMATS["nvfp4"],
    "mxfp4": number_formats.FORMATS["mxfp4"],
    "mxfp8": number_formats.FORMATS["mxfp8"],
}
"""Formats that checkpoints use for linear layers alone; int4 as AWQ and GPTQ store it, with a scale for each 128."""
STATEFUL = ("linear_attention", "mamba", "conv")


def estimate(
    config: Mapping[str, JsonValue],
    geometry: Geometry,
    *,
    weights_dtype: str | None,
    side_files: Mapping[str, bytes] | None = None,
) -> Weights | None:
    """The weights that `config` describes, as the checkpoint stores them or in `weights_dtype`; None where not known.

    As stored, the quantisation config (or that of `side_files`) says which parts have which format; everything else is
    in the model's own 16-bit format. In `weights_dtype` every parameter takes that format (an estimate on paper); but
    4-bit and microscaling formats leave embeddings, head, norms, routers and encoders in 16 bits, as checkpoints do.
    Raises `RefusalError` for a `weights_dtype` that is not known.
    """
    counted = parameters(config)
    if counted is None:
        return None
    plain = number_formats.get(geometry.model_dtype.value)
    if weights_dtype is None:
        pricing = Pricing(
            scheme=quantization.scheme(config, side_files),
            plain=plain,
            layers=geometry.layers,
            counts=counted.layers,
            dense=_leading_dense(geometry),
        )
        how = _as_stored(pricing.scheme, plain)
    else:
        pricing, how = _on_paper(weights_dtype, plain, geometry)
    loaded = [counted.parts] if weights_dtype else [counted.parts, counted.copies]
    formats_of = pricing.by_format(loaded)
    return Weights(
        bytes=Sourced(sum(formats_of.values()), Source(Origin.ESTIMATE, how)),
        parameters=Sourced(counted.total, Source(Origin.ESTIMATE, f"counted by the layers of {geometry.model_type}")),
        replicated_bytes=pricing.total(counted.replicated_parts),
        draft_bytes=pricing.total(counted.draft_parts),
        encoder_bytes=pricing.total(counted.parts, *ENCODERS),
        expert_bytes=pricing.total(counted.parts, "experts"),
        embedding_bytes=pricing.total(counted.parts, "embedding"),
        head_bytes=pricing.total(counted.parts, "lm_head"),
        by_format=formats_of,
        exact=False,
        most_bytes=_most(weights_dtype, plain, geometry, counted),
    )


def parameters(config: Mapping[str, JsonValue]) -> ParameterCount | None:
    """The parameters of `config`; None where its family's formula is not known or its values make no sense."""
    try:
        return count(open_view(config, Reading()))
    except KvdeskError:
        return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Pricing:
    """What a number of parameters of a part takes, in bytes."""

    scheme: Scheme
    plain: NumberFormat
    layers: tuple[Layer, ...]
    counts: Mapping[str, int] = field(default_factory=dict)
    """How many layers have a part, by part."""
    dense: int = 0
    """Layers at the start that have no experts."""

    def split(self, part: str, number: int) -> Iterable[tuple[NumberFormat, int]]:
        """The formats of `number` parameters of `part` with their bytes, each rounded up."""
        shares = self.scheme.formats(part, self._layers_with(part), self.plain, self._among(part))
        for fmt, share in shares.items():
            yield fmt, fmt.vector(-(-number * share.numerator // share.denominator))

    def total(self, parts: Mapping[str, int], *only: str) -> int:
        """Bytes of all of `parts`, or of those named `only`."""
        chosen = [(part, number) for part, number in parts.items() if not only or part in only]
        return sum(size for part, number in chosen for _, size in self.split(part, number))

    def by_format(self, groups: Iterable[Mapping[str, int]]) -> dict[str, int]:
        """Bytes by format over all parts."""
        found: dict[str, int] = {}
        for part, number in (pair for parts in groups for pair in parts.items()):
            for fmt, size in self.split(part, number):
                found[fmt.name] = found.get(fmt.name, 0) + size
        return found

    def _among(self, part: str) -> range | None:
        """The layers that can have `part`: names of draft layers and of layers of another kind do not count."""
        last = len(self.layers)
        if part in ("experts", "shared_experts"):
            return range(min(self.dense, last), last)
        return range(self.dense) if part == "mlp" and 0 < self.dense < last else None

    def _layers_with(self, part: str) -> int:
        """How many layers have `part`: as the count says, those with a state, those with attention, or all."""
        if part in self.counts:
            return self.counts[part]
        stateful = sum(any(isinstance(p, State) for p in layer) for layer in self.layers)
        if part in STATEFUL:
            return stateful
        if part in ("attention", "indexer"):
            return sum(not all(isinstance(p, State | NoCache) for p in layer) for layer in self.layers)
        return len(self.layers)


def _most(name: str | None, plain: NumberFormat, geometry: Geometry, counted: ParameterCount) -> int | None:
    """What checkpoints in the format `name` take: they leave embeddings, head, norms and routers in 16 bits.

    Llama 3.1 8B in fp8: 8,030,261,248 B on paper; with embedding and head (2 x 525,336,576 parameters) and norms
    (266,240) in bf16 9,081,200,640 B. None where nothing is re-quantised, or where the figure on paper leaves them in
    16 bits already.
    """
    fmt = number_formats.get(name) if name is not None else None
    if fmt is None or fmt.name in LINEAR_ONLY or fmt.block_bytes >= 2 * fmt.block:
        return None
    linear = Pricing(scheme=Scheme(name=fmt.name, default=fmt), plain=plain, layers=geometry.layers)
    return sum(linear.by_format([counted.parts]).values())


def _leading_dense(geometry: Geometry) -> int:
    found = [fact.value for key, fact in geometry.facts.items() if key.rpartition(".")[2] == "first_k_dense_replace"]
    return max((n for n in found if isinstance(n, int) and 0 < n < len(geometry.layers)), default=0)


def _as_stored(scheme: Scheme, plain: NumberFormat) -> str:
    if not scheme.name:
        return f"parameters in {plain.name}"
    if not scheme.known:
        return f"parameters in {plain.name}, since the quantisation “{scheme.name}” is not known"
    return f"parameters by the quantisation {scheme.name}, the rest in {plain.name}"


def _on_paper(name: str, plain: NumberFormat, geometry: Geometry) -> tuple[Pricing, str]:
    fmt = number_formats.get(name)
    linear = LINEAR_ONLY.get(fmt.name)
    if linear is not None:
        scheme = Scheme(name=fmt.name, default=linear)
        how = f"linear layers in {linear.name}, embeddings, norms and routers in {plain.name}"
        return Pricing(scheme=scheme, plain=plain, layers=geometry.layers), how
    return Pricing(
        scheme=Scheme(name="", uniform=True), plain=fmt, layers=geometry.layers
    ), f"all parameters in {fmt.name}"
