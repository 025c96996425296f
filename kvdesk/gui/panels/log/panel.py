"""The log panel."""

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QFileDialog, QHBoxLayout, QPlainTextEdit, QSplitter, QVBoxLayout, QWidget

from kvdesk.app import start_up_log
from kvdesk.app.log_model import described
from kvdesk.app.log_scenario import model_name
from kvdesk.app.reconcile import Reconciliation, with_measured
from kvdesk.core.errors import KvdeskError
from kvdesk.core.findings import Severity
from kvdesk.engines.logs.record import EngineLog
from kvdesk.gui import numbers
from kvdesk.gui.bridge import VISIBLE_AFTER_MS, Bridge
from kvdesk.gui.panels.log.rows import HEADER, rows
from kvdesk.gui.view import View
from kvdesk.gui.widgets.buttons import push
from kvdesk.gui.widgets.message import Message, Offer
from kvdesk.gui.widgets.states import States
from kvdesk.gui.widgets.table import Table
from kvdesk.gui.widgets.text import em
from kvdesk.gui.widgets.veil import Veil

if TYPE_CHECKING:
    from collections.abc import Callable

    from kvdesk.app.session import Session

CHANNEL = "log"
MODEL_CHANNEL = "log-model"
REST_MS = 150
"""How long the scenario has to stay as it is before the log is compared anew."""
OF_BEFORE = "Of the scenario as it was"
MAKE = "Make the log's scenario"


class LogPanel(QWidget):
    """Paste or open a start-up log; each of its figures stands beside ours, and measured ones can be taken over.

    The box to paste into folds away once a log is read. The comparison follows the scenario; until it does, it is
    greyed.
    """

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self._bridge = bridge
        self._log: EngineLog | None = None
        self._of: Session | None = None
        self._found: Reconciliation | None = None
        self._stale = ""
        self._unit = numbers.DEFAULT_UNIT
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self._compare)
        self._late = QTimer(self, singleShot=True, interval=VISIBLE_AFTER_MS)
        self._late.timeout.connect(self._say_looking_up)
        self.text = QPlainTextEdit()
        self.text.setAccessibleName("Start-up log")
        self.text.setPlaceholderText("Paste the start-up log of vLLM, SGLang, TensorRT-LLM or llama.cpp here.")
        self.text.setTabChangesFocus(True)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.open = push("Open log …", self.choose)
        self.compare = push("Compare", self.read)
        self.head = Message()
        self.make = push(MAKE, self.make_scenario, tip="Model, engine, options and GPUs as the log tells them")
        self.take = push("Use measured values", self.take_measured)
        self.another = push("Another log …", self.fold)
        self.table = Table("Figures of the log beside ours", stretch=5, wrap=True)
        self._arrange()

    # ------------------------------------------------------------------------------------------------- what is shown

    def show_view(self, view: View) -> None:
        """The unit of sizes; and another scenario than was compared with is compared with once it stays."""
        self._stale = view.stale
        if view.display.unit != self._unit:
            self._unit = view.display.unit
            self._show_rows()
        if self._log is None:
            return
        if view.session is not self._of:
            self._of = view.session
            self._rest.start()
        self._show_standing()

    def fold(self) -> None:
        """Show or hide the box that a log is pasted into."""
        self.paste.setVisible(self.paste.isHidden())
        if self.paste.isVisible():
            self.text.setFocus()

    # ------------------------------------------------------------------------------------------------------- reading

    def choose(self) -> None:
        """Ask for a file and read it."""
        name, _ = QFileDialog.getOpenFileName(self, "Open log", str(Path.home()), "Logs (*.log *.txt);;All files (*)")
        if name:
            self.open_path(Path(name))

    def open_path(self, path: Path) -> None:
        """Read a file's log."""
        self._start(lambda: start_up_log.read_log(path))

    def read(self) -> None:
        """Read what was pasted."""
        text = self.text.toPlainText()
        if text.strip():
            self._start(lambda: start_up_log.read_text(text))

    def _start(self, read: "Callable[[], EngineLog]") -> None:
        self._log = self._found = None
        self._rest.stop()
        self._bridge.jobs.cancel(MODEL_CHANNEL)
        self.states.show_loading("Reading the log …")
        self._bridge.jobs.start(CHANNEL, lambda _: read(), self._have, self._failed)

    def _have(self, log: EngineLog) -> None:
        self._log = log
        self._of = self._bridge.view.answers.session
        self._compare()

    def _compare(self) -> None:
        log, session = self._log, self._of
        if log is not None and session is not None:
            self._rest.stop()
            self._bridge.jobs.start(CHANNEL, lambda _: start_up_log.compare(log, session), self._show, self._failed)

    def _failed(self, error: KvdeskError) -> None:
        self._found = None
        self.paste.show()
        self.states.show_failed(error, self._offers())

    def _show(self, found: Reconciliation) -> None:
        self._found = found
        within = self.paste.isAncestorOf(QApplication.focusWidget() or self)
        if not self.states.ready:
            self.paste.hide()
        self._show_rows()
        self._show_head()
        self._show_standing()
        if within and self.paste.isHidden():
            self.table.setFocus()

    def _show_rows(self) -> None:
        found = self._found
        if found is not None:
            notes = [one for one in found.findings if one is not found.other]
            grave = [one for one in notes if found.other is None and one.severity is not Severity.INFO]
            self.table.show_rows(HEADER, rows(found, [one for one in notes if one not in grave], self._unit))

    def _show_head(self) -> None:
        """Whose log it is and how much of it agrees; what is grave, unless the log is of another model anyway."""
        found = self._found
        if found is None:
            return
        other = found.other
        self.make.setVisible(other is not None and bool(self._offers()))
        self.take.setVisible(other is None)
        if other is not None:
            self.head.say(other.text, icon="warning")
            return
        differing = sum(not row.agrees for row in found.rows)
        words = f"{differing} of {len(found.rows)} figures differ" if differing else "every figure agrees"
        grave = [f"{one.text} {one.remedy}".strip() for one in found.findings if one.severity is not Severity.INFO]
        said = words if found.rows else "no figure to compare"
        self.head.say(f"{described(found.log)}: {said}.", "\n".join(grave), icon="warning" if grave else "info")

    def _show_standing(self) -> None:
        """Greyed while the figures are not those of the present scenario; measured values only while they are."""
        found = self._found
        if found is None or not self._log:
            return
        before = self._rest.isActive() or self._bridge.jobs.busy(CHANNEL)
        stale = self._stale or (OF_BEFORE if before else "")
        self.states.show_ready()
        for veil in self.veils:
            veil.say(stale)
        self.make.setEnabled(not stale)
        self.take.setEnabled(not stale and bool(found.measured) and with_measured(found) != self._of)

    # ------------------------------------------------------------------------------------------------------ what to do

    def take_measured(self) -> None:
        """The log's own scenario, with measured weights and reserve in place of the estimates, as one step."""
        found = self._found
        if found is not None:
            self._bridge.edit("Use measured values", lambda _: with_measured(found))

    def make_scenario(self) -> None:
        """The log's own scenario in place of the present one, its model looked up, as one step."""
        log, gpus = self._log, self._bridge.store.session.gpus
        if log is not None:
            self._late.start()
            self._bridge.jobs.start(
                MODEL_CHANNEL,
                lambda cancel: start_up_log.own_scenario(log, gpus, cancel),
                self._made,
                self._not_made,
            )

    def _offers(self) -> list[Offer]:
        return [(MAKE, self.make_scenario)] if self._log and model_name(self._log) else []

    def _made(self, session: "Session") -> None:
        self._late.stop()
        self._bridge.edit("Scenario of the log", lambda _: session)
        if session.model and self._log:
            self._bridge.looked_up.emit(model_name(self._log), session.model)

    def _not_made(self, error: KvdeskError) -> None:
        self._late.stop()
        self.head.say_error(error, [("Try again", self.make_scenario), ("Dismiss", self._give_up)])

    def _give_up(self) -> None:
        self._late.stop()
        self._bridge.jobs.cancel(MODEL_CHANNEL)
        self._show_head()

    def _say_looking_up(self) -> None:
        if self._log and self._bridge.jobs.busy(MODEL_CHANNEL):
            self.head.say(f"Looking {model_name(self._log)} up …", offers=[("Cancel", self._give_up)], icon="info")

    def _arrange(self) -> None:
        gap = em(self, 0.5)
        self.paste = QWidget()
        column = QVBoxLayout(self.paste)
        column.setContentsMargins(0, 0, 0, 0)
        column.addWidget(self.text, 1)
        row = QHBoxLayout()
        row.addWidget(self.open)
        row.addWidget(self.compare)
        row.addStretch(1)
        column.addLayout(row)
        right = QWidget()
        column = QVBoxLayout(right)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        row = QHBoxLayout()
        row.setSpacing(gap)
        row.addWidget(self.head, 1)
        for button in (self.make, self.take, self.another):
            row.addWidget(button, 0, Qt.AlignmentFlag.AlignTop)
        column.addLayout(row)
        below = QWidget()
        inner = QVBoxLayout(below)
        inner.setContentsMargins(0, 0, 0, 0)
        inner.addWidget(self.table)
        column.addWidget(below, 1)
        # The buttons stay in sight: greyed are only words and figures.
        self.veils = (Veil(below), Veil(self.head, pill=False))
        self.states = States(right)
        self.states.show_empty(
            "Compare with a running engine.",
            "Paste its start-up log at the left, or open it; each figure that it printed stands beside ours.",
        )
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        splitter.setHandleWidth(gap)
        splitter.addWidget(self.paste)
        splitter.addWidget(self.states)
        splitter.setSizes([1000, 3000])
        outer = QVBoxLayout(self)
        outer.setContentsMargins(gap, gap // 2, gap, gap // 2)
        outer.addWidget(splitter)
