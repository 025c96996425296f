"""The findings panel."""

from PySide6.QtWidgets import QFrame, QScrollArea, QVBoxLayout, QWidget

from kvdesk.core.findings import Finding, Severity
from kvdesk.gui.view import View
from kvdesk.gui.widgets.message import Message
from kvdesk.gui.widgets.states import NOT_COMPUTED, States

_ICONS = {Severity.INFO: "info", Severity.WARNING: "warning", Severity.REFUSAL: "error"}
_ORDER = (Severity.REFUSAL, Severity.WARNING, Severity.INFO)


class FindingsPanel(QWidget):
    """All findings, the gravest first."""

    def __init__(self) -> None:
        super().__init__()
        self._shown: tuple[Finding, ...] = ()
        self._messages: list[Message] = []
        inside = QWidget()
        self._list = QVBoxLayout(inside)
        self._list.setContentsMargins(0, 0, 0, 0)
        self._list.addStretch(1)
        area = QScrollArea()
        area.setWidgetResizable(True)
        area.setFrameShape(QFrame.Shape.NoFrame)
        area.setAccessibleName("Findings")
        area.setWidget(inside)
        for part in (area.viewport(), inside):
            part.setAutoFillBackground(False)
        self.states = States(area)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.states)

    def show_view(self, view: View) -> None:
        """The findings of the present sizing."""
        if view.session.model is None:
            self.states.show_empty("No findings yet.", "They appear as soon as a model is chosen.")
        elif view.derived.error is not None:
            self.states.show_empty(*NOT_COMPUTED)
        elif view.sizing is not None and not view.derived.findings:
            known = "Every value was read or is derived by a known rule."
            self.states.show_empty("Nothing to report.", f"{view.stale}." if view.stale else known)
        elif view.sizing is not None:
            self.states.show_ready(view.stale)
            self._show(tuple(sorted(view.derived.findings, key=lambda f: _ORDER.index(f.severity))))

    def _show(self, findings: tuple[Finding, ...]) -> None:
        if findings == self._shown:
            return
        self._shown = findings
        while len(self._messages) < len(findings):
            message = Message()
            self._messages.append(message)
            self._list.insertWidget(len(self._messages) - 1, message)
        for at, message in enumerate(self._messages):
            message.setVisible(at < len(findings))
            if at < len(findings):
                finding = findings[at]
                message.say(finding.text, finding.remedy, icon=_ICONS[finding.severity])
