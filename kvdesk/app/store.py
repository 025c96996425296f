"""The store: the present workspace and its history."""

import time
from collections.abc import Callable

from kvdesk.app.session import Session
from kvdesk.app.workspace import Workspace
from kvdesk.core.values import dataclass

MERGE_SECONDS = 1.0
MOST_STEPS = 2000

Listener = Callable[[], None]


@dataclass(frozen=True, slots=True)
class _Step:
    """A former (or later) workspace and the title of the step between it and the present one."""

    title: str
    workspace: Workspace


class Store:
    """Holds one workspace; every change is one step that can be undone.

    Changes with the same `field` within a second of each other merge into one step, so that a spin box held down is one
    undo. `clock` gives seconds and only has to go forward.
    """

    def __init__(self, workspace: Workspace, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._now = workspace
        self._saved = workspace
        self._past: list[_Step] = []
        self._future: list[_Step] = []
        self._clock = clock
        self._field = ""
        self._edited = float("-inf")
        self._listeners: list[Listener] = []

    @property
    def workspace(self) -> Workspace:
        """The present workspace."""
        return self._now

    @property
    def session(self) -> Session:
        """The session that is edited."""
        return self._now.session

    @property
    def undo_title(self) -> str | None:
        """What undo would take back, None for nothing."""
        return self._past[-1].title if self._past else None

    @property
    def redo_title(self) -> str | None:
        """What redo would bring back, None for nothing."""
        return self._future[-1].title if self._future else None

    @property
    def modified(self) -> bool:
        """Whether the workspace differs from the one last saved or opened."""
        return self._now != self._saved

    def listen(self, listener: Listener) -> None:
        """Call `listener` after every change."""
        self._listeners.append(listener)

    def apply(self, title: str, workspace: Workspace, *, field: str = "") -> None:
        """Make `workspace` the present one; nothing happens where it equals it."""
        if workspace == self._now:
            return
        moment = self._clock()
        if not (field and field == self._field and moment - self._edited <= MERGE_SECONDS and self._past):
            self._past.append(_Step(title, self._now))
            del self._past[:-MOST_STEPS]
        self._field, self._edited = field, moment
        self._future.clear()
        self._set(workspace)

    def edit(self, title: str, change: Callable[[Session], Session], *, field: str = "") -> None:
        """Apply a function of `app.actions` to the active session."""
        self.apply(title, self._now.with_session(change(self.session)), field=field)

    def undo(self) -> None:
        """One step back."""
        self._step(self._past, self._future)

    def redo(self) -> None:
        """One step forward again."""
        self._step(self._future, self._past)

    def open(self, workspace: Workspace) -> None:
        """Start anew with `workspace`, as after opening a file: no history, not modified."""
        self._past.clear()
        self._future.clear()
        self._field = ""
        self._saved = workspace
        self._set(workspace)

    def mark_saved(self, workspace: Workspace) -> None:
        """Remember that `workspace` is what the file holds."""
        self._saved = workspace
        self._notify()

    def _step(self, source: list[_Step], target: list[_Step]) -> None:
        if not source:
            return
        step = source.pop()
        target.append(_Step(step.title, self._now))
        self._field = ""
        self._set(step.workspace)

    def _set(self, workspace: Workspace) -> None:
        self._now = workspace
        self._notify()

    def _notify(self) -> None:
        for listener in tuple(self._listeners):
            listener()
