"""The verdict panel: a row for each GPU option."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QButtonGroup, QSizePolicy, QVBoxLayout, QWidget

from kvdesk.app import actions
from kvdesk.core.errors import ExitStatus
from kvdesk.gui.bridge import Bridge
from kvdesk.gui.panels.verdict.row import VerdictRow
from kvdesk.gui.view import View
from kvdesk.gui.widgets.card import Card
from kvdesk.gui.widgets.states import States
from kvdesk.gui.widgets.text import em


class VerdictPanel(Card):
    """Answers first."""

    value_asked = Signal()

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self._bridge = bridge
        self.rows: list[VerdictRow] = []
        self._group = QButtonGroup(self)
        self._group.idClicked.connect(bridge.select_option)
        self._list = QWidget()
        layout = QVBoxLayout(self._list)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        self.states = States(self._list)
        self.body.addWidget(self.states)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        outer = self.layout()
        if outer:
            outer.setContentsMargins(em(self, 0.3), em(self, 0.3), em(self, 0.3), em(self, 0.3))
            outer.removeItem(self.head)

    def show_view(self, view: View) -> None:
        """The verdicts, or why there are none."""
        error, answers = view.derived.error, view.answers
        sizing = answers.sizing
        if view.session.model is None:
            self.states.show_empty(
                "Paste a model to begin.",
                "A Hugging Face id, its URL, or the path of a config.json goes into the field above.",
                [("Try Llama 3.1 8B", lambda: self._bridge.look_up("llama-3.1-8b"))],
            )
        elif error is not None:
            offers = [("Undo", self._bridge.store.undo)] if self._bridge.store.undo_title else []
            if actions.changed_count(view.session):
                offers.append(("Reset all values", self._reset))
            if error.exit_status is ExitStatus.REFUSED:
                offers.append(("Set a value …", self.value_asked.emit))
            self.states.show_failed(error, offers, answers.stale)
            if answers.stale:
                self._show_rows(answers)
        elif sizing is not None and not sizing.options:
            self.states.show_empty("Choose a GPU.", "Add one under Hardware to see whether the model fits.")
        elif sizing is not None:
            self.states.show_ready(answers.stale)
            self._show_rows(answers)

    def _reset(self) -> None:
        self._bridge.edit("Reset all values", actions.reset_all)

    def _show_rows(self, view: View) -> None:
        sizing = view.sizing
        options = sizing.options if sizing else ()
        while len(self.rows) < len(options):
            self._add_row()
        for at, row in enumerate(self.rows):
            row.setVisible(at < len(options))
            if at < len(options) and sizing:
                row.show_option(sizing, options[at], at, view.display, view.stale)
                row.setChecked(at == view.option)
        heads = [row.heads() for row in self.rows[: len(options)]]
        for row in self.rows[: len(options)]:
            row.align(max(title for title, _ in heads), max(layout for _, layout in heads))

    def _add_row(self) -> None:
        row = VerdictRow()
        self._group.addButton(row, len(self.rows))
        self.rows.append(row)
        layout = self._list.layout()
        if layout:
            layout.addWidget(row)
