"""The log panel."""

from pathlib import Path

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QHBoxLayout, QPlainTextEdit, QSplitter, QVBoxLayout, QWidget

from kvdesk.app import start_up_log
from kvdesk.app.reconcile import Reconciliation, with_measured
from kvdesk.app.reconcile_rows import Row as Compared
from kvdesk.core.errors import KvdeskError
from kvdesk.gui import numbers
from kvdesk.gui.bridge import Bridge
from kvdesk.gui.view import View
from kvdesk.gui.widgets.buttons import push
from kvdesk.gui.widgets.message import Message
from kvdesk.gui.widgets.states import States
from kvdesk.gui.widgets.table import Cell, Row, Table
from kvdesk.gui.widgets.text import em, label, set_text

CHANNEL = "log"
HEADER = ("Figure", "Log", "kvdesk", "Difference", "Line", "Reason")


class LogPanel(QWidget):
    """Paste or open a start-up log; each of its figures stands beside ours, and measured ones can be taken over."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self._bridge = bridge
        self._found: Reconciliation | None = None
        self._unit = numbers.DEFAULT_UNIT
        self.text = QPlainTextEdit()
        self.text.setAccessibleName("Start-up log")
        self.text.setPlaceholderText("Paste the start-up log of vLLM, SGLang, TensorRT-LLM or llama.cpp here.")
        self.text.setTabChangesFocus(True)
        self.text.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.open = push("Open log …", self.choose)
        self.compare = push("Compare", self.read)
        self.take = push("Use measured values", self.take_measured)
        self.table = Table("Figures of the log beside ours", stretch=5)
        self.summary = label("", "title", wrap=True)
        self.message = Message()
        self.message.hide()
        self._arrange()

    def show_view(self, view: View) -> None:
        """Only the unit of sizes matters; figures are those of the log that was read."""
        if view.display.unit != self._unit:
            self._unit = view.display.unit
            self._show_rows()

    def choose(self) -> None:
        """Ask for a file and read it."""
        name, _ = QFileDialog.getOpenFileName(self, "Open log", str(Path.home()), "Logs (*.log *.txt);;All files (*)")
        if name:
            self.open_path(Path(name))

    def open_path(self, path: Path) -> None:
        """Read a file's log."""
        self._start(lambda session: start_up_log.compare_file(path, session))

    def read(self) -> None:
        """Read what was pasted."""
        text = self.text.toPlainText()
        if text.strip():
            self._start(lambda session: start_up_log.compare(text, session))

    def take_measured(self) -> None:
        """The log's own scenario, with measured weights and reserve in place of the estimates, as one step."""
        found = self._found
        if found is not None:
            self._bridge.edit("Use measured values", lambda _: with_measured(found))

    def _start(self, work: "start_up_log.Work") -> None:
        session = self._bridge.store.session
        self.message.hide()
        self.states.show_loading("Reading the log …")
        self._bridge.jobs.start(CHANNEL, lambda _: work(session), self._show, self._failed)

    def _show(self, found: Reconciliation) -> None:
        self._found = found
        self.take.setEnabled(bool(found.measured))
        wrong = sum(not row.inside for row in found.rows)
        words = "Every figure agrees" if not wrong else f"{wrong} of {len(found.rows)} figures differ"
        set_text(self.summary, f"{found.log.engine}: {words}." if found.rows else "The log holds no figure to compare.")
        grave = [f"{finding.text} {finding.remedy}".strip() for finding in found.findings]
        self.message.setVisible(bool(grave))
        if grave:
            self.message.say("", "\n".join(grave[:6]), icon="warning")
        self._show_rows()
        self.states.show_ready()

    def _show_rows(self) -> None:
        if self._found is not None:
            self.table.show_rows(HEADER, [self._row(row) for row in self._found.rows])

    def _row(self, row: Compared) -> Row:
        difference = row.difference
        text = "=" if row.equal else "" if difference is None else f"{'+' if difference > 0 else '−'}"
        text += "" if row.equal or difference is None else numbers.percent(abs(difference), 2)
        return (
            Cell(text=row.label, tip=row.text),
            Cell(text=self._value(row.logged, row.unit), right=True, tip=row.text),
            Cell(text=self._value(row.ours, row.unit), right=True, tone="strong"),
            Cell(text=text, right=True, tone="" if row.inside else "bad"),
            Cell(text=numbers.integer(row.line), right=True, tone="dim", tip=row.text),
            Cell(text=numbers.localised(row.reason), tip=numbers.localised(row.reason)),
        )

    def _value(self, value: float, unit: str) -> str:
        if unit == "B":
            return numbers.readable_size(int(value), self._unit)
        return f"{numbers.integer(value) if isinstance(value, int) else numbers.decimal(value)} {unit}".rstrip()

    def _failed(self, error: KvdeskError) -> None:
        self.states.show_failed(error)

    def _arrange(self) -> None:
        gap = em(self, 0.5)
        left = QWidget()
        column = QVBoxLayout(left)
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
        column.addWidget(self.summary)
        column.addWidget(self.table, 1)
        column.addWidget(self.message)
        column.addWidget(self.take, 0, Qt.AlignmentFlag.AlignLeft)
        self.take.setEnabled(False)
        self.states = States(right)
        self.states.show_empty(
            "Compare with a running engine.",
            "Paste its start-up log at the left, or open it; each figure that it printed stands beside ours.",
        )
        splitter = QSplitter(Qt.Orientation.Horizontal)
        splitter.setChildrenCollapsible(False)
        splitter.setHandleWidth(gap)
        splitter.addWidget(left)
        splitter.addWidget(self.states)
        splitter.setSizes([1000, 3000])
        outer = QVBoxLayout(self)
        outer.setContentsMargins(gap, gap, gap, gap)
        outer.addWidget(splitter)
