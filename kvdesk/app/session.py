"""The session: everything a user has chosen, frozen. Results are derived from it and never stored in it."""

from collections.abc import Mapping
from types import MappingProxyType

from kvdesk.core.device import DeviceMemory
from kvdesk.core.findings import Finding
from kvdesk.core.json_value import JsonValue
from kvdesk.core.values import dataclass, field, replace
from kvdesk.core.weights import Weights

DEFAULT_MODEL = "llama-3.1-8b"
DEFAULT_GPU = "h100-sxm"
DEFAULT_CONTEXT = 8192


def _nothing() -> Mapping[str, JsonValue]:
    return MappingProxyType({})


@dataclass(frozen=True, eq=False, kw_only=True)
class Model:
    """A model that was looked up: its files, not yet read. Equal only to itself, so that it can key a cache.

    `id` is what to call it, `origin` one of "hub", "file", "catalogue"; `revision` the commit, None for local files.
    `config` is the parsed config.json and `config_sha256` the hash of its bytes (of the card for catalogue models).
    `weights` are exact where file sizes or headers were read. `where` names the file in sources, such as
    "config.json@0e9e39f". `findings` are what had to be said while its files were read.
    """

    id: str
    origin: str
    revision: str | None = None
    config: Mapping[str, JsonValue]
    config_sha256: str = ""
    side_files: Mapping[str, bytes] = field(default_factory=dict)
    weights: Weights | None = None
    where: str = "config.json"
    path: str = ""
    """What was opened, absolute; empty for other models. Never written to a file that may be mailed."""
    looked_up: str = ""
    """ISO date of the look-up, empty for catalogue models."""
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GpuChoice:
    """One GPU option: `count` GPUs of one kind in a layout; None leaves a degree to the default of `core.layout`."""

    gpu: str
    count: int = 1
    tp: int | None = None
    pp: int | None = None
    dp: int | None = None
    dcp: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """All inputs of a sizing. None means the default of the model, the engine or the contract.

    `overrides` replace values of the config by key path; `budget_overrides` measured bytes of single budget lines.
    `context` is in tokens, sizes in bytes, `utilization` a fraction of device memory.
    """

    model: Model | None = None
    overrides: Mapping[str, JsonValue] = field(default_factory=_nothing)
    context: int | None = None
    sequences: int = 1
    shared_prefix: int = 0
    encoder_tokens: int | None = None
    kv_dtype: str = "auto"
    weights_dtype: str | None = None
    weights_bytes: int | None = None
    gpus: tuple[GpuChoice, ...] = ()
    engine: str = "plain"
    engine_version: str | None = None
    engine_arguments: Mapping[str, JsonValue] = field(default_factory=_nothing)
    utilization: float | None = None
    reserve_bytes: int | None = None
    device_memory: DeviceMemory | None = None
    pool_bytes: int | None = None
    budget_overrides: Mapping[str, int] = field(default_factory=dict)

    def with_override(self, key: str, value: JsonValue) -> "Session":
        """The session with one value of the config typed over."""
        return replace(self, overrides=MappingProxyType({**self.overrides, key: value}))

    def without_override(self, key: str) -> "Session":
        """The session with one value of the config as it was read."""
        return replace(self, overrides=MappingProxyType({k: v for k, v in self.overrides.items() if k != key}))
