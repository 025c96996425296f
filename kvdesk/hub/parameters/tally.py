"""Adding up a model's parameters by part, and which of them every tensor-parallel rank holds whole."""

from collections.abc import Mapping

from kvdesk.core.values import dataclass, field

VECTORS = ("norms", "vectors")
"""Parts that are not matrices: quantisation never touches them."""
ENCODERS = ("vision", "audio", "projector")
"""Parts that text-only serving can leave out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParameterCount:
    """How many parameters a model has.

    `total` excludes draft (MTP) layers, includes vision and audio parts, and counts tied embeddings once. `parts` sums
    to `total`. `draft` are the parameters of draft layers shipped beside the model. `replicated` is the part of `total`
    that every tensor-parallel rank holds whole in vLLM (norms, routers, MLA down-projections, indexers). `active` are
    those that one token uses: all but the experts it is not routed to.
    """

    total: int
    parts: Mapping[str, int]
    draft: int = 0
    replicated: int = 0
    replicated_parts: Mapping[str, int] = field(default_factory=dict)
    active: int = 0
    layers: Mapping[str, int] = field(default_factory=dict)
    """How many layers have experts, shared experts, and an MLP, where they differ from the rest."""
    copies: Mapping[str, int] = field(default_factory=dict)
    """Beside `total`: what engines load twice."""
    draft_parts: Mapping[str, int] = field(default_factory=dict)


@dataclass(slots=True)
class Tally:
    """What a family has added so far.

    `times` multiplies everything that is added: the number of equal layers, or -1 for none (`at` sets it for a while).
    """

    parts: dict[str, int] = field(default_factory=dict)
    replicated: dict[str, int] = field(default_factory=dict)
    copies: dict[str, int] = field(default_factory=dict)
    layers: dict[str, int] = field(default_factory=dict)
    idle: int = 0
    draft: "Tally | None" = None

    def add(self, part: str, number: int, *, split: bool = True) -> None:
        """`number` parameters of `part`; without `split` every tensor-parallel rank holds all of them."""
        if number:
            self.parts[part] = self.parts.get(part, 0) + number
            if not split:
                self.replicated[part] = self.replicated.get(part, 0) + number

    def on_layers(self, part: str, count: int) -> None:
        """Say that `count` layers have `part`."""
        self.layers[part] = max(count, self.layers.get(part, 0))

    def copy(self, part: str, number: int) -> None:
        """`number` parameters of `part` that engines load a second time."""
        self.copies[part] = self.copies.get(part, 0) + number

    def linear(
        self,
        part: str,
        wide: int,
        out: int,
        *,
        bias: bool = False,
        times: int = 1,
        split: bool = True,
        rows: bool = False,
    ) -> None:
        """A projection from `wide` to `out` features, `times` of it.

        `rows` says that tensor parallelism splits its input, so that its bias is whole on every rank.
        """
        self.add(part, wide * out * times, split=split)
        if bias:
            self.add("vectors", out * times, split=split and not rows)

    def vector(self, size: int, *, times: int = 1, split: bool = False) -> None:
        """A bias, a gate, a sink: anything with one dimension that is no norm."""
        self.add("vectors", size * times, split=split)

    def norm(self, size: int, *, times: int = 1, bias: bool = False, split: bool = False) -> None:
        """A normalisation with a weight, and a bias where it is a LayerNorm."""
        self.add("norms", size * times * (2 if bias else 1), split=split)

    def experts(self, per_expert: int, *, experts: int, chosen: int, times: int = 1) -> None:
        """Routed experts of which a token uses `chosen`."""
        self.add("experts", per_expert * experts * times)
        self.on_layers("experts", times)
        self.idle += per_expert * max(0, experts - chosen) * times

    def into(self, part: str, other: "Tally") -> None:
        """All of `other` as one part of this one."""
        for name, number in other.parts.items():
            whole = other.replicated.get(name, 0)
            self.add(part, number - whole)
            self.add(part, whole, split=False)

    def merge(self, other: "Tally") -> None:
        """All of `other`, part by part."""
        for name in other.parts:
            self.into(name, Tally(parts={name: other.parts[name]}, replicated={name: other.replicated.get(name, 0)}))
        self.idle += other.idle

    def drafts(self) -> "Tally":
        """Where draft layers are added, apart from the rest."""
        if self.draft is None:
            self.draft = Tally()
        return self.draft

    def counted(self) -> ParameterCount:
        """The result."""
        total = sum(self.parts.values())
        draft = self.draft.parts if self.draft else {}
        return ParameterCount(
            total=total,
            parts=dict(self.parts),
            draft=sum(draft.values()),
            draft_parts=dict(draft),
            replicated=sum(self.replicated.values()),
            replicated_parts=dict(self.replicated),
            active=total - self.idle,
            copies=dict(self.copies),
            layers=dict(self.layers),
        )
