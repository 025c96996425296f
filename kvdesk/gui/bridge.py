"""The bridge between what knows nothing of Qt (store, jobs, derive) and the panels: one signal per event-loop turn."""

from collections.abc import Callable, Mapping

from PySide6.QtCore import QObject, Qt, QTimer, Signal

from kvdesk.app import actions, bands, former
from kvdesk.app.derive import Deriver
from kvdesk.app.jobs import Jobs
from kvdesk.app.session import Model, Session
from kvdesk.app.store import Store
from kvdesk.app.workspace import Workspace
from kvdesk.core.errors import KvdeskError
from kvdesk.core.geometry import FactValue
from kvdesk.core.json_value import JsonValue
from kvdesk.core.sourced import Sourced
from kvdesk.core.values import replace
from kvdesk.gui.view import Derived, Display, LookUp, View
from kvdesk.hub.cancel import Cancel

LOOK_UP = "look-up"
VISIBLE_AFTER_MS = 150

Loader = Callable[[str, Cancel], Model]


class Bridge(QObject):
    """Owns the store, the jobs and the derived results; panels read `view` and call the methods below.

    `changed` carries the new `View`, at most once for each turn of the event loop; `status` a sentence for the status
    line; `looked_up` the text and the model of a look-up that arrived.
    """

    changed = Signal(object)
    status = Signal(str)
    looked_up = Signal(str, object)
    _posted = Signal(object)

    def __init__(
        self, workspace: Workspace, load: Loader, display: Display | None = None, deriver: Deriver | None = None
    ) -> None:
        super().__init__()
        self.store = Store(workspace)
        self.jobs = Jobs(self._posted.emit)
        self._load = load
        self._deriver = deriver or Deriver()
        self._kept: list[tuple[Session, Derived]] = []
        self._option = 0
        self._good: View | None = None
        self._look_up = LookUp()
        self._display = display or Display()
        self._turn = QTimer(self, singleShot=True, interval=0)
        self._turn.timeout.connect(self.flush)
        self._late = QTimer(self, singleShot=True, interval=VISIBLE_AFTER_MS)
        self._late.timeout.connect(self._show_look_up)
        self._posted.connect(self._run, Qt.ConnectionType.QueuedConnection)
        self.store.listen(self.touch)
        self.view = self._derive()

    # ------------------------------------------------------------------------------------------------- what is shown

    def touch(self) -> None:
        """Something changed: redraw once this turn of the event loop is over."""
        if not self._turn.isActive():
            self._turn.start()

    def flush(self) -> None:
        """Derive and redraw now."""
        self._turn.stop()
        self.view = self._derive()
        self.changed.emit(self.view)

    def select_option(self, index: int) -> None:
        """Look at another GPU option."""
        self._option = index
        self.touch()

    def set_display(self, display: Display) -> None:
        """Show results another way."""
        self._display = display
        self.touch()

    # --------------------------------------------------------------------------------------------------------- edits

    def edit(self, title: str, change: Callable[[Session], Session], field: str = "") -> None:
        """Apply a function of `app.actions`; steps of the same `field` within a second merge."""
        self.store.edit(title, change, field=field)

    def arrange(self, title: str, change: Callable[[Workspace], Workspace]) -> None:
        """Apply a change of the workspace itself."""
        self.store.apply(title, change(self.store.workspace))

    # ------------------------------------------------------------------------------------------------------- look-up

    def look_up(self, text: str) -> None:
        """Look a model up; the newest request wins, and inputs stay as they are until it arrives."""
        text = text.strip()
        if not text:
            return
        self._look_up = LookUp(text=text, running=True)
        self._late.start()
        self.touch()
        self.jobs.start(
            LOOK_UP,
            lambda cancel: self._load(text, cancel),
            lambda model: self._arrived(text, model),
            self._look_up_failed,
        )

    def cancel_look_up(self) -> None:
        """Forget the look-up that is under way; what failed stays on show until the next one."""
        if self.jobs.cancel(LOOK_UP):
            self._end_look_up(LookUp(text=self._look_up.text))
            self.status.emit("Look-up cancelled.")

    def signed_in(self) -> None:
        """A look-up that failed may go through with the account: it is tried again."""
        self.status.emit("Signed in to the Hub.")
        if self._look_up.error:
            self.look_up(self._look_up.text)

    def dismiss_look_up_error(self) -> None:
        """Put the message of a failed look-up away."""
        if self._look_up.error:
            self._end_look_up(LookUp(text=self._look_up.text))

    def close(self) -> bool:
        """Cancel all jobs and wait shortly; whether every thread has ended."""
        self._late.stop()
        self._turn.stop()
        return self.jobs.close()

    # --------------------------------------------------------------------------------------------------------- inner

    def _arrived(self, text: str, model: Model) -> None:
        self._end_look_up(LookUp(text=text))
        former = self.store.session
        self.store.edit(f"Model {model.id}", lambda session: actions.set_model(session, model))
        dropped = len(former.overrides) - len(self.store.session.overrides)
        if dropped:
            self.status.emit(f"{dropped} of your values belonged to the former model; undo brings both back.")
        self.looked_up.emit(text, model)

    def _look_up_failed(self, error: KvdeskError) -> None:
        self._end_look_up(LookUp(text=self._look_up.text, error=error))

    def _end_look_up(self, state: LookUp) -> None:
        self._late.stop()
        self._look_up = state
        self.touch()

    def _show_look_up(self) -> None:
        if self._look_up.running:
            self._look_up = replace(self._look_up, visible=True)
            self.touch()

    def _derive(self) -> View:
        workspace = self.store.workspace
        self._kept = [(s.session, self._derived(s.session)) for s in workspace.scenarios]
        options = len(workspace.session.gpus)
        self._option = max(0, min(self._option, options - 1))
        view = View(
            workspace=workspace,
            results=tuple(derived for _, derived in self._kept),
            option=self._option,
            look_up=self._look_up,
            display=self._display,
        )
        if view.derived.error is not None:
            return replace(view, good=self._good)
        self._good = view
        return view

    def _derived(self, session: Session) -> Derived:
        for kept, derived in self._kept:
            if kept is session:
                return derived
        original = self._facts(session.model, {}) if session.overrides else {}
        try:
            sizing = self._deriver.derive(session)
        except KvdeskError as error:
            return Derived(error=error, facts=self._facts(session.model, session.overrides), original=original)
        tight = bands.findings(sizing)
        return Derived(
            sizing=sizing,
            facts=sizing.geometry.facts,
            original=original,
            former=former.sizings(session, self._deriver),
            tight=tight,
        )

    def _facts(self, model: Model | None, overrides: Mapping[str, JsonValue]) -> Mapping[str, Sourced[FactValue]]:
        """The values of a model with what was typed; empty where it cannot be read so."""
        try:
            return self._deriver.geometry(model, overrides).facts if model else {}
        except KvdeskError:
            return {}

    def _run(self, function: Callable[[], None]) -> None:
        function()
