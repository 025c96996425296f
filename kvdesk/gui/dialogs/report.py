"""Export report: what goes on the page beside the sizing. Every field may stay empty; Return exports."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QDialogButtonBox,
    QFileDialog,
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from kvdesk.app import report_form
from kvdesk.app.report_form import PRICE, Asked
from kvdesk.core.errors import KvdeskError
from kvdesk.gui.dialogs.plain import Buttons, PlainDialog
from kvdesk.gui.widgets.buttons import push
from kvdesk.gui.widgets.fields import Choice
from kvdesk.gui.widgets.form import Form, Row, align
from kvdesk.gui.widgets.text import comfortable, em, label, set_text

if TYPE_CHECKING:
    from kvdesk.gui.main_window import MainWindow

CHANNEL = "report-form"
COVER = (
    ("title", "Title", "by the model's name"),
    ("organisation", "Organisation", "who the report is for"),
    ("author", "Author", "who prepared it"),
    ("reviewer", "Reviewer", "who checks it"),
    ("purpose", "Purpose", "such as a tender's number"),
    ("date", "Date", "2026-11-29"),
    ("logo", "Logo", "PNG or SVG"),
)
LOAD = (
    ("prompt", "Prompt tokens", "mean, 95th percentile"),
    ("output", "Output tokens", "mean, 95th percentile"),
    ("lengths", "List of lengths", "CSV: prompt and output tokens of each request, instead"),
    ("offload", "Offload tiers", "lmcache=200GB, vllm=1TB or hicache=64GiB"),
    ("log", "Start-up log", "of the engine, to be set beside"),
)
FILES = {
    "logo": "Images (*.png *.svg)",
    "lengths": "CSV (*.csv);;All files (*)",
    "log": "Logs (*.log *.txt *.out);;All files (*)",
}
_PAPERS: tuple[tuple[str, object], ...] = (("A4", "a4"), ("US Letter", "letter"))
_LONGEST = 4096


class ReportDialog(PlainDialog):
    """Calls `export` once all that was asked makes sense; what was typed is kept while the window is open."""

    def __init__(
        self, window: "MainWindow", gpus: tuple[tuple[str, str], ...], export: Callable[[Asked], None]
    ) -> None:
        super().__init__(window, "Export report", Buttons.Save | Buttons.Cancel)
        self._window, self._export = window, export
        self._gpus = tuple(gpu for gpu, _ in gpus)
        self.fields: dict[str, QLineEdit] = {}
        self.rows: dict[str, Row] = {}
        cover, prices, load = Form(reserve=False), Form(reserve=False), Form(reserve=False)
        for name, title, hint in COVER:
            self._add(cover, name, title, hint)
        self.paper = Choice("Paper")
        self.paper.show_items(_PAPERS, window.documents.report.get("paper", "a4"))
        cover.add("Paper", self.paper)
        for gpu, title in gpus:
            self._add(prices, PRICE + gpu, title, "price of one GPU")
        self._add(prices, "currency", "Currency", "such as EUR")
        for name, title, hint in LOAD:
            self._add(load, name, title, hint)
        align(cover, prices, load)
        self._arrange((("Cover", cover), ("Prices", prices), ("Expected load, beside the worst case", load)))
        self.fields["title"].setFocus()
        self.finished.connect(self._keep)

    def _add(self, form: Form, name: str, title: str, hint: str) -> None:
        field = QLineEdit(self._window.documents.report.get(name, ""))
        field.setAccessibleName(title)
        field.setAccessibleDescription(hint)
        field.setPlaceholderText(hint)
        field.setMaxLength(_LONGEST)
        comfortable(field)
        field.editingFinished.connect(partial(self._check, name))
        self.fields[name] = field
        row = form.add(title, self._with_choice(name, title, field) if name in FILES else field)
        row.label.setBuddy(field)
        self.rows[name] = row

    def _with_choice(self, name: str, title: str, field: QLineEdit) -> QWidget:
        both = QWidget()
        line = QHBoxLayout(both)
        line.setContentsMargins(0, 0, 0, 0)
        line.addWidget(field, 1)
        line.addWidget(push("Choose …", partial(self._choose, name), name=f"Choose {title[:1].lower()}{title[1:]}"))
        return both

    def _choose(self, name: str) -> None:
        found, _ = QFileDialog.getOpenFileName(self, "Choose", self._window.documents.folder(), FILES[name])
        if found:
            self.fields[name].setText(found)
            self.rows[name].refuse("")

    def _check(self, name: str) -> None:
        self.rows[name].refuse(report_form.check(name, self.fields[name].text()))

    def _texts(self) -> dict[str, str]:
        return {**{name: field.text() for name, field in self.fields.items()}, "paper": str(self.paper.currentData())}

    def _read(self) -> None:
        """Read the whole form beside the window's work, since some fields name files."""
        texts = self._texts()
        self._enable(on=False)
        self._window.bridge.jobs.start(CHANNEL, lambda _: report_form.read(texts, self._gpus), self._show, self._failed)

    def _show(self, found: tuple[Asked, dict[str, KvdeskError]]) -> None:
        asked, errors = found
        self._enable(on=True)
        for name, row in self.rows.items():
            row.refuse(str(errors[name]) if name in errors else "")
        if not errors:
            self.accept()
            self._export(asked)
            return
        first = next(field for name, field in self.fields.items() if name in errors)
        first.setFocus()
        first.selectAll()
        self.area.ensureWidgetVisible(first)

    def _failed(self, error: KvdeskError) -> None:
        self._enable(on=True)
        set_text(self.state, str(error))
        self.state.show()

    def _enable(self, *, on: bool) -> None:
        self.inside.setEnabled(on)
        self.buttons.button(QDialogButtonBox.StandardButton.Save).setEnabled(on)

    def _keep(self) -> None:
        self._window.bridge.jobs.cancel(CHANNEL)
        self._window.documents.report = self._texts()

    def _arrange(self, groups: tuple[tuple[str, Form], ...]) -> None:
        self.inside = QWidget()
        rows = QVBoxLayout(self.inside)
        rows.setContentsMargins(0, 0, em(self, 0.5), 0)
        for title, form in groups:
            rows.addWidget(label(title, "title"))
            rows.addWidget(form)
            rows.addSpacing(em(self, 0.5))
        rows.addStretch(1)
        self.area = scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setWidget(self.inside)
        for part in (scroll.viewport(), self.inside):
            part.setAutoFillBackground(False)
        self.state = label("", "error", wrap=True)
        self.state.hide()
        self.body.addWidget(scroll)
        self.body.addWidget(self.state)
        save = self.buttons.button(QDialogButtonBox.StandardButton.Save)
        save.setText("Export …")
        save.setDefault(True)
        self.buttons.accepted.disconnect()
        self.buttons.accepted.connect(self._read)
        high = self.inside.sizeHint().height() + em(self, 6)
        self.resize(em(self, 40), min(high, round(self._window.height() * 0.94)))
