"""What the panels draw: one frozen value for each redraw."""

from collections.abc import Mapping

from kvdesk.app.results import OptionResult, Sizing
from kvdesk.app.session import Session
from kvdesk.app.workspace import Workspace
from kvdesk.core.errors import KvdeskError
from kvdesk.core.findings import Finding
from kvdesk.core.geometry import FactValue
from kvdesk.core.sourced import Sourced
from kvdesk.core.values import dataclass, field
from kvdesk.gui import numbers, standing
from kvdesk.gui.theme import LIGHT, Theme


@dataclass(frozen=True, slots=True, kw_only=True)
class LookUp:
    """Where the look-up of a model stands: at rest, under way (`text`), or failed (`text` and `error`).

    `visible` turns true 150 ms after the start, so that quick answers do not flash.
    """

    text: str = ""
    running: bool = False
    visible: bool = False
    error: KvdeskError | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Display:
    """How results are shown; kept in the settings, not in the session."""

    unit: str = numbers.DEFAULT_UNIT
    theme: Theme = LIGHT


@dataclass(frozen=True, slots=True, kw_only=True)
class Derived:
    """The results of one scenario: a sizing, or why there is none.

    `facts` are the model's values, known also where the workload makes no sense; `original` those of the file alone.
    """

    sizing: Sizing | None = None
    error: KvdeskError | None = None
    facts: Mapping[str, Sourced[FactValue]] = field(default_factory=dict)
    original: Mapping[str, Sourced[FactValue]] = field(default_factory=dict)
    former: Mapping[str, Sizing] = field(default_factory=dict)
    """What the user's own values took the place of, see `app.former`."""
    tight: tuple[Finding, ...] = ()
    """Warnings of options that hold the workload as expected only."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """All findings of the sizing."""
        return (*self.sizing.findings, *self.tight) if self.sizing else ()


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """The window's whole state. `results` has one entry for each scenario; `option` is the GPU option looked at.

    `good` is the last view with a result where this one has none; `stale` says in words that the results are not those
    of the present inputs.
    """

    workspace: Workspace
    results: tuple[Derived, ...]
    option: int = 0
    look_up: LookUp = field(default_factory=LookUp)
    display: Display = field(default_factory=Display)
    good: "View | None" = None
    stale: str = ""

    @property
    def answers(self) -> "View":
        """What the panels of results draw."""
        return standing.of(self)

    @property
    def session(self) -> Session:
        """The session that is edited."""
        return self.workspace.session

    @property
    def derived(self) -> Derived:
        """The results of the active scenario."""
        return self.results[self.workspace.active]

    @property
    def sizing(self) -> Sizing | None:
        """The sizing of the active scenario."""
        return self.derived.sizing

    @property
    def chosen(self) -> OptionResult | None:
        """The GPU option looked at."""
        sizing = self.sizing
        return sizing.options[self.option] if sizing and self.option < len(sizing.options) else None
