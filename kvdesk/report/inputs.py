"""What a report is built from: the nouns of core and engines, and what the application adds to them."""

from collections.abc import Mapping
from decimal import Decimal

from kvdesk.core.device import Device
from kvdesk.core.errors import KvdeskError
from kvdesk.core.findings import Finding
from kvdesk.core.geometry import Geometry
from kvdesk.core.growth import Growth
from kvdesk.core.json_value import JsonValue
from kvdesk.core.number_formats import NumberFormat
from kvdesk.core.values import dataclass, field
from kvdesk.core.weights import Weights
from kvdesk.core.workload import Workload
from kvdesk.engines.base import Answer


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportDetails:
    """What the user adds for the page: who, what for, and prices.

    `date` is ISO (2026-05-01); None leaves it to SOURCE_DATE_EPOCH or the day of the model's look-up. `paper` is "a4"
    or "letter". `prices` are amounts for one GPU by the catalogue's id, in `currency`. `logo` is a PNG or SVG file's
    bytes.
    """

    title: str = ""
    organisation: str = ""
    author: str = ""
    reviewer: str = ""
    purpose: str = ""
    date: str | None = None
    paper: str = "a4"
    prices: Mapping[str, Decimal] = field(default_factory=dict)
    currency: str = ""
    logo: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """Memory of one GPU of an option by context: bytes at each of `contexts` tokens, for the sequences asked for.

    `total` is weights, reserve and cache; `capacity` what the engine may use; `crossing` the largest context that stays
    within it (None: it never crosses, 0: nothing fits); `fitting` the whole sequences that all GPUs hold.
    """

    contexts: tuple[int, ...]
    total: tuple[int, ...]
    held: tuple[int, ...]
    fitting: tuple[int, ...]
    capacity: int
    crossing: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Swing:
    """How far the answer moves with one input: `low` and `high` are whole sequences of the context asked for.

    `from_` and `to` are the input's values as text. None where the question at that value has no answer.
    """

    key: str
    label: str
    from_: str
    to: str
    low: int | None
    high: int | None

    def moves(self, now: int) -> bool:
        """Whether either end differs from the present answer."""
        return self.low != now or self.high != now


@dataclass(frozen=True, slots=True, kw_only=True)
class Band:
    """Sequences that fit with every estimate at its unfavourable bound, as printed, and at its favourable bound.

    `pool_low`, `pool_expected` and `pool_high` are the bytes of the KV pool of one GPU that go with them.
    """

    low: int
    expected: int
    high: int
    pool_low: int
    pool_expected: int
    pool_high: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One GPU option: either an answer with its series, or the error that says why there is none.

    `held_bytes` is the cache on one GPU of the sequences asked for, at their full length; `price` is for one GPU.
    """

    gpu: str
    count: int
    title: str
    device: Device | None = None
    answer: Answer | None = None
    error: KvdeskError | None = None
    series: Series | None = None
    held_bytes: int = 0
    price: Decimal | None = None
    band: Band | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """One input of the session: its name, its value as text, and whether the user gave it or it is a default."""

    name: str
    value: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciled:
    """One figure of a start-up log beside ours, in `unit`; `low` and `high` are what ours can be.

    `outcome` is "equal", "in the band" or "differs"; `reason` why, where one is known. `line` counts the log's lines
    from 1, `text` is that line.
    """

    label: str
    unit: str
    ours: int | float
    logged: int | float
    low: int | float
    high: int | float
    outcome: str
    reason: str
    line: int
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Lengths:
    """Lengths of requests in tokens, mean and 95th percentile of prompts and outputs; `origin` says who gave them."""

    prompt_mean: float
    prompt_p95: float
    output_mean: float
    output_p95: float
    origin: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Load:
    """The expected load of option number `option`: tokens and bytes on one GPU of a live sequence on average.

    `live` sequences are live on average when the pool is full; above `preemption` more than one moment in twenty
    overflows it; `longest` is the longest request in tokens, `too_long` the share of requests that never fit.
    """

    option: int
    mean_tokens: float
    mean_bytes: int
    live: int
    preemption: int
    longest: int
    too_long: float


@dataclass(frozen=True, slots=True, kw_only=True)
class HostTier:
    """A host or disk tier beside the pool of option number `option`, or in `error` why there is none.

    `size` is what the store is given, `total` what it takes on all ranks, in bytes; `tokens` and `sequences` are held
    in addition to the pool's, in chunks of `chunk` tokens.
    """

    option: int
    name: str
    size: int
    total: int = 0
    chunk: int = 0
    tokens: int = 0
    sequences: int = 0
    source: str = ""
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """The model as it was looked up."""

    id: str
    origin: str
    revision: str | None
    config_sha256: str
    where: str
    looked_up: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportInput:
    """Everything that a report says. `swings` belong to the option number `lead`; `sizing` is the sizing's own JSON."""

    details: ReportDetails
    date: str
    version: str
    scenario_hash: str
    model: ModelFacts
    geometry: Geometry
    workload: Workload
    kv_format: NumberFormat
    logical: Growth
    weights: Weights | None
    engine_title: str
    engine_version: str
    options: tuple[Option, ...]
    findings: tuple[Finding, ...]
    given: tuple[Given, ...]
    swings: tuple[Swing, ...] = ()
    reconciled: tuple[Reconciled, ...] = ()
    lengths: Lengths | None = None
    loads: tuple[Load, ...] = ()
    tiers: tuple[HostTier, ...] = ()
    sizing: JsonValue = None

    @property
    def lead(self) -> int | None:
        """The option that single-option parts speak of: the first that fits, else the first that was sized."""
        sized = [i for i, option in enumerate(self.options) if option.answer]
        fitting = [i for i in sized if (answer := self.options[i].answer) and answer.fits]
        return next(iter(fitting or sized), None)
