"""The budget panel: the chosen option's lines and why the engine allocates more than the model keeps."""

from PySide6.QtCore import QModelIndex
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHeaderView, QTreeView, QVBoxLayout, QWidget

from kvdesk.app.verdict import sentence
from kvdesk.engines.base import Answer
from kvdesk.engines.registry import titled
from kvdesk.gui import numbers
from kvdesk.gui.bridge import Bridge
from kvdesk.gui.panels.budget.budget_model import BudgetModel
from kvdesk.gui.view import View
from kvdesk.gui.widgets.chip import ChipDelegate, RowDelegate
from kvdesk.gui.widgets.copying import copies_with_ctrl_c
from kvdesk.gui.widgets.states import NOT_COMPUTED, States
from kvdesk.gui.widgets.steady import steady
from kvdesk.gui.widgets.text import em, label, set_text, tabular


class BudgetPanel(QWidget):
    """A table whose lines open."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self._bridge = bridge
        self.model = BudgetModel()
        self.tree = _Tree()
        self.tree.setModel(self.model)
        self.tree.arrange()
        self.model.modelReset.connect(self._span)
        self.title = label("", "title", wrap=True)
        self.gap = steady("muted", wrap=True)
        contents = QWidget()
        layout = QVBoxLayout(contents)
        layout.setContentsMargins(em(self, 0.6), em(self, 0.4), em(self, 0.6), em(self, 0.4))
        layout.setSpacing(em(self, 0.3))
        layout.addWidget(self.title)
        layout.addWidget(self.tree, 1)
        layout.addWidget(self.gap)
        self.states = States(contents)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(self.states)

    def show_view(self, view: View) -> None:
        """The budget of the option looked at."""
        chosen, error = view.chosen, view.derived.error
        if view.session.model is None:
            self.states.show_empty("No budget yet.", "It is drawn up as soon as a model is chosen.")
        elif error is not None:
            self.states.show_empty(*NOT_COMPUTED)
        elif chosen is None:
            self.states.show_empty("No GPU is chosen.", "Add one under Hardware.")
        elif chosen.error is not None:
            self.states.show_failed(chosen.error)
        elif chosen.answer is not None and chosen.answer.refused:
            self.states.show_empty("No budget.", sentence(chosen))
        elif chosen.answer is not None:
            self.states.show_ready(view.stale)
            self._show_answer(chosen.title, chosen.answer, view)

    def _show_answer(self, title: str, answer: Answer, view: View) -> None:
        sizing = view.sizing
        engine = titled(answer.engine, answer.engine_version)
        set_text(self.title, f"One GPU of {title}, {answer.layout} · {engine}")
        self.model.show_lines(answer.budget, view.display.unit)
        self.tree.refresh_steps()
        if sizing:
            self.gap.setText(gap_text(answer, sizing.workload.context, view.display.unit))

    def _span(self) -> None:
        """Steps take the whole width below their line."""
        for row in range(self.model.rowCount()):
            top = self.model.index(row, 0)
            for step in range(self.model.rowCount(top)):
                self.tree.setFirstColumnSpanned(step, top, True)


class _Tree(QTreeView):
    """The table of lines."""

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Budget")
        self.setAccessibleDescription("Lines of the budget; Right opens formula, numbers and result")
        self.setFont(tabular(self.font()))
        self.setFrameShape(QTreeView.Shape.NoFrame)
        self.setUniformRowHeights(True)
        self.setIndentation(em(self, 1.2))
        self.setAlternatingRowColors(False)
        self.setAllColumnsShowFocus(True)
        self.setExpandsOnDoubleClick(False)
        self.setTabKeyNavigation(False)
        self.setItemDelegate(RowDelegate(self))
        self.setItemDelegateForColumn(3, ChipDelegate(self))
        self.viewport().setAutoFillBackground(False)
        self.clicked.connect(self._toggle)
        self.activated.connect(self._toggle)
        self.expanded.connect(self._show_whole)
        copies_with_ctrl_c(self)

    def arrange(self) -> None:
        """Columns: the line's name takes what is left."""
        header = self.header()
        header.setStretchLastSection(False)
        header.setSectionsMovable(False)
        header.setMinimumSectionSize(em(self, 2))
        modes = QHeaderView.ResizeMode
        # Measuring the contents at every step would cost more than all of the sizing.
        header.setSectionResizeMode(modes.Fixed)
        header.resizeSection(0, em(self, 5))
        header.resizeSection(2, em(self, 9))
        header.resizeSection(3, em(self, 7.5))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """The line's name takes what is left, but never so little that it cannot be read."""
        super().resizeEvent(event)
        header = self.header()
        others = sum(header.sectionSize(column) for column in (0, 2, 3))
        header.resizeSection(1, max(em(self, 11), self.viewport().width() - others))

    def refresh_steps(self) -> None:
        """Repaint the lines that are open."""
        model = self.model()
        if any(self.isExpanded(model.index(row, 0)) for row in range(model.rowCount())):
            self.viewport().update()

    def _show_whole(self, line: QModelIndex) -> None:
        """All that a line opens to, as far as there is room, and the line itself."""
        last = self.model().index(self.model().rowCount(line) - 1, 0, line)
        self.scrollTo(last)
        self.scrollTo(line)

    def _toggle(self, index: QModelIndex) -> None:
        top = index if not index.parent().isValid() else index.parent()
        first = top.siblingAtColumn(0)
        if not index.parent().isValid():
            self.setExpanded(first, not self.isExpanded(first))


def gap_text(answer: Answer, context: int, unit: str) -> str:
    """Logical against allocated for one sequence, and the reasons for the gap."""
    logical, allocated = answer.logical_bytes_per_sequence, answer.allocated_bytes_per_sequence
    words = (
        f"One sequence of {numbers.integer(context)} tokens on one GPU: logical {numbers.fitting_size(logical, unit)}, "
        f"allocated {numbers.fitting_size(allocated, unit)}"
    )
    if logical and allocated != logical:
        more = (allocated - logical) / logical
        share = numbers.percent(abs(more), 1) if abs(more) >= 0.0005 else f"under {numbers.percent(0.001, 1)}"
        words += f", {share} {'more' if more > 0 else 'less'}"
    return f"{words}. {' '.join(numbers.localised(reason) for reason in answer.reasons)}".strip()
