"""The workspace: up to four scenarios side by side, one of them at work. Frozen, like the sessions in it."""

from kvdesk.app.session import Session
from kvdesk.core.values import dataclass, replace

MOST_SCENARIOS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Scenario:
    """A session with a name."""

    name: str
    session: Session


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """One to four scenarios; `active` is the one that is edited, `pinned` the one that others are compared with."""

    scenarios: tuple[Scenario, ...]
    active: int = 0
    pinned: int = 0

    @property
    def session(self) -> Session:
        """The session that is edited."""
        return self.scenarios[self.active].session

    def with_session(self, session: Session) -> "Workspace":
        """The workspace with `session` in place of the active one."""
        return self._put(replace(self.scenarios[self.active], session=session))

    def renamed(self, name: str) -> "Workspace":
        """The active scenario under another name; an empty name changes nothing."""
        name = " ".join(name.split())[:60]
        return self._put(replace(self.scenarios[self.active], name=name)) if name else self

    def duplicated(self) -> "Workspace":
        """A copy of the active scenario after it, made active; four at most."""
        if len(self.scenarios) >= MOST_SCENARIOS:
            return self
        copy = replace(self.scenarios[self.active], name=self._free_name())
        at = self.active + 1
        scenarios = (*self.scenarios[:at], copy, *self.scenarios[at:])
        return replace(self, scenarios=scenarios, active=at, pinned=self.pinned + (self.pinned >= at))

    def removed(self) -> "Workspace":
        """Without the active scenario; the last one stays."""
        if len(self.scenarios) == 1:
            return self
        scenarios = self.scenarios[: self.active] + self.scenarios[self.active + 1 :]
        pinned = self.pinned - 1 if self.pinned > self.active else self.pinned
        last = len(scenarios) - 1
        return replace(self, scenarios=scenarios, active=min(self.active, last), pinned=min(pinned, last))

    def selected(self, index: int) -> "Workspace":
        """With scenario `index` at work, if there is one."""
        return replace(self, active=index) if 0 <= index < len(self.scenarios) else self

    def pinned_here(self) -> "Workspace":
        """With the active scenario as the one that others are compared with."""
        return replace(self, pinned=self.active)

    def _put(self, scenario: Scenario) -> "Workspace":
        scenarios = (*self.scenarios[: self.active], scenario, *self.scenarios[self.active + 1 :])
        return replace(self, scenarios=scenarios)

    def _free_name(self) -> str:
        taken = {scenario.name for scenario in self.scenarios}
        return next(name for n in range(1, MOST_SCENARIOS + 2) if (name := f"Scenario {n}") not in taken)


def of(session: Session) -> Workspace:
    """A workspace of one scenario."""
    return Workspace(scenarios=(Scenario(name="Scenario 1", session=session),))
