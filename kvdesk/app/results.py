"""What is derived from a session."""

from kvdesk.app.session import GpuChoice, Model
from kvdesk.core.errors import KvdeskError
from kvdesk.core.findings import Finding
from kvdesk.core.geometry import Geometry
from kvdesk.core.growth import Growth
from kvdesk.core.number_formats import NumberFormat
from kvdesk.core.values import dataclass
from kvdesk.core.weights import Weights
from kvdesk.core.workload import Workload
from kvdesk.engines.base import Answer, Question


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionResult:
    """One GPU option: the question put to the engine and its answer, or why there is none.

    Exactly one of `answer` and `error` is set.
    """

    choice: GpuChoice
    title: str
    question: Question | None = None
    answer: Answer | None = None
    error: KvdeskError | None = None

    @property
    def fits(self) -> bool:
        """Whether the workload fits."""
        return self.answer is not None and self.answer.fits


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizing:
    """Everything the window, the command line and the report show of one session.

    `logical` is the whole model's cache of one sequence by tokens, one copy, without blocks.
    """

    model: Model
    geometry: Geometry
    workload: Workload
    kv_format: NumberFormat
    logical: Growth
    weights: Weights | None
    engine: str
    engine_version: str
    options: tuple[OptionResult, ...]
    findings: tuple[Finding, ...]

    @property
    def logical_bytes(self) -> int:
        """Logical bytes of one sequence of the workload's context."""
        return self.logical.at(self.workload.context)
