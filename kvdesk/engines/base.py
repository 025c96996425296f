"""What every engine profile takes and gives."""

from collections.abc import Mapping, Sequence
from typing import Protocol

from kvdesk.core.budget import BudgetLine
from kvdesk.core.device import Device, DeviceMemory
from kvdesk.core.findings import Finding
from kvdesk.core.geometry import Geometry
from kvdesk.core.growth import Growth
from kvdesk.core.json_value import JsonValue
from kvdesk.core.layout import Layout
from kvdesk.core.values import dataclass, field
from kvdesk.core.weights import Weights
from kvdesk.core.workload import Workload


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One sizing: a model, a workload and one GPU option under one engine.

    None means the engine's own default. `arguments` are the engine's options by its own names, values as JSON.
    `pool_bytes` is the KV memory per GPU as the engine printed it and replaces the whole budget. `overrides` are
    measured values for single budget lines, by `BudgetLine.key`, in bytes.
    """

    geometry: Geometry
    weights: Weights | None
    workload: Workload
    device: Device
    layout: Layout
    kv_dtype: str = "auto"
    engine_version: str | None = None
    arguments: Mapping[str, JsonValue] = field(default_factory=dict)
    utilization: float | None = None
    reserve_bytes: int | None = None
    device_memory: DeviceMemory | None = None
    pool_bytes: int | None = None
    overrides: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What one GPU option holds. Bytes are per GPU, of the fullest rank; see `CONTRACT` of the command line's JSON.

    `logical` and `allocated` are bytes per GPU of one sequence as functions of its tokens; `allocated` answers for a
    single running sequence at that length with the engine's present settings. `reasons` say in sentences why allocated
    differs from logical. `limit` is "weights", "kv", "layout" or None.
    """

    device: Device
    layout: Layout
    kv_dtype: str
    engine: str
    engine_version: str
    budget: Sequence[BudgetLine]
    device_bytes: int
    budget_bytes: int
    weights_bytes: int
    reserve_bytes: int
    pool_bytes: int
    logical: Growth
    allocated: Growth
    logical_bytes_per_sequence: int
    allocated_bytes_per_sequence: int
    pool_tokens: int
    full_length_sequences: int
    max_concurrency: float
    num_blocks: int | None = None
    block_size: int | None = None
    max_context: int
    fits: bool
    limit: str | None
    reasons: tuple[str, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def refused(self) -> bool:
        """Whether the engine would not start at all: no budget is drawn up, and the findings say why."""
        return not self.budget

    @property
    def usable_bytes(self) -> int:
        """Bytes that the engine may use on one GPU; without a pool, the budget that was too small for one."""
        return self.weights_bytes + self.reserve_bytes + self.pool_bytes if self.pool_bytes else self.budget_bytes


class Engine(Protocol):
    """A serving engine's profile."""

    name: str
    title: str
    versions: tuple[str, ...]
    """Versions with a profile, newest first; a version in between takes the next older one."""

    def resolve_kv_dtype(self, question: Question) -> str:
        """The name of the number format that the engine would use for the cache of this question."""
        ...

    def answer(self, question: Question) -> Answer:
        """Size the question. Raises `KvdeskError` where the engine or kvdesk cannot answer it."""
        ...
