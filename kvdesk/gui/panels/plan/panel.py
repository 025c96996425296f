"""The plan panel: the decision table over all chosen kinds of GPU."""

import math

from PySide6.QtCore import QTimer
from PySide6.QtWidgets import QVBoxLayout, QWidget

from kvdesk.app.derive import Deriver
from kvdesk.app.plan import PlanRow, plan
from kvdesk.app.results import Sizing
from kvdesk.app.session import Session
from kvdesk.core.errors import KvdeskError
from kvdesk.gui import numbers
from kvdesk.gui.bridge import Bridge
from kvdesk.gui.view import View
from kvdesk.gui.widgets.states import NOT_COMPUTED, States
from kvdesk.gui.widgets.steady import steady
from kvdesk.gui.widgets.table import Cell, Row, Table
from kvdesk.gui.widgets.text import em, label, short_device
from kvdesk.gui.wording import told
from kvdesk.hub.cancel import Cancel

CHANNEL = "plan"
REST_MS = 150
"""How long the session has to stay as it is before the search begins."""
HEADER = (
    "GPU",
    "GPUs",
    "Layout",
    "Replicas",
    "Holds",
    "Headroom",
    "Low end",
    "N+1",
    "Power",
    "Limit below that",
)
LIMITS = {"kv": "KV memory", "weights": "weights", "layout": "layout", None: "–"}


class PlanPanel(QWidget):
    """Worked out beside, since it tries many layouts; rows of an older question are greyed until it is done."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self._bridge = bridge
        self._asked: Session | None = None
        self._stale = ""
        # A field that is held down would start a search at each step, and all of them would slow the steps.
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self._start)
        self.question = steady("title", wrap=True)
        self.table = Table("Decision table", stretch=len(HEADER) - 1)
        self.note = label(
            "Layout: of one replica. Low end: GPUs that hold all sequences with every estimate at its unfavourable "
            "end. N+1: GPUs that still hold them when one replica is lost.",
            "muted",
            wrap=True,
        )
        contents = QWidget()
        layout = QVBoxLayout(contents)
        layout.setContentsMargins(em(self, 0.6), em(self, 0.6), em(self, 0.6), em(self, 0.4))
        layout.addWidget(self.question)
        layout.addWidget(self.table, 1)
        layout.addWidget(self.note)
        self.states = States(contents)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.states)

    def show_view(self, view: View) -> None:
        """The plan for the present session."""
        session = view.session
        self._stale = view.stale
        if session.model is None:
            self._say("No plan yet.", "It is worked out as soon as a model is chosen.")
        elif view.derived.error is not None:
            self._say(*NOT_COMPUTED)
        elif not session.gpus:
            self._say("No GPU is chosen.", "Add the kinds to choose from under Hardware.")
        elif session is not self._asked:
            self._ask(view)
        elif self.states.ready:
            self.states.show_ready(self._stale)

    def _say(self, title: str, text: str) -> None:
        """Why there is no plan; what was being worked out is of no more use."""
        self._asked = None
        self._rest.stop()
        self._bridge.jobs.cancel(CHANNEL)
        self.states.show_empty(title, text)

    def _ask(self, view: View) -> None:
        session, sizing = view.session, view.sizing
        self._asked = session
        if sizing is None:
            return
        workload = sizing.workload
        self.question.setText(
            f"How many GPUs hold {numbers.integer(workload.sequences)} "
            f"{'sequence' if workload.sequences == 1 else 'sequences'} of {numbers.integer(workload.context)} tokens?",
        )
        if self.table.cells.rowCount() == 0:
            self.states.show_loading("Trying layouts …")
            self._start()
        else:
            self.table.setEnabled(False)
            self._bridge.jobs.cancel(CHANNEL)
            self._rest.start()

    def _start(self) -> None:
        session = self._asked
        if session is not None:
            self._bridge.jobs.start(CHANNEL, lambda cancel: _plan(session, cancel), self._show, self._failed)

    def _show(self, rows: tuple[PlanRow, ...]) -> None:
        self.table.setEnabled(True)
        self.table.show_rows(HEADER, [_row(row) for row in rows])
        self.states.show_ready(self._stale)

    def _failed(self, error: KvdeskError) -> None:
        self.table.setEnabled(True)
        self.states.show_failed(error)


class _Deriver(Deriver):
    """One that stops in the middle of a search that nobody waits for."""

    def __init__(self, cancel: Cancel) -> None:
        super().__init__()
        self._cancel = cancel

    def derive(self, session: Session) -> Sizing:
        """The same; raises `Cancelled` once cancelled."""
        self._cancel.check()
        return super().derive(session)


def _plan(session: Session, cancel: Cancel) -> tuple[PlanRow, ...]:
    return plan(session, _Deriver(cancel))[1]


def _row(row: PlanRow) -> Row:
    choice = row.choice
    if choice is None or row.gpus is None:
        reason = told(row.reason)
        none = tuple(Cell(text="–", right=True, tone="dim") for _ in range(len(HEADER) - 3))
        return (
            Cell(text=short_device(row.name), tip=f"{row.name}\n{reason}"),
            *none[:1],
            Cell(text="none holds one sequence", tone="bad", tip=reason),
            *none[1:],
            Cell(text=LIMITS.get(row.limit, row.limit or ""), tip=reason),
        )
    return (
        Cell(text=short_device(row.name), tip=row.name),
        Cell(text=numbers.integer(row.gpus), right=True, tone="strong"),
        Cell(text=str(row.replica), tip="\n".join(row.notes)),
        Cell(text=numbers.integer(row.replicas), right=True),
        Cell(text=numbers.integer(row.holds), right=True),
        # Rounded down, as in the verdict.
        Cell(text=numbers.percent(math.floor(row.headroom * 100 + 1e-9) / 100), right=True),
        Cell(text=numbers.integer(row.gpus_low) if row.gpus_low else "–", right=True),
        Cell(text=numbers.integer(row.gpus_n_plus_1 or 0), right=True),
        Cell(text=f"{numbers.integer(row.watts)} W" if row.watts else "–", right=True),
        Cell(text=LIMITS.get(row.limit, row.limit or "")),
    )
