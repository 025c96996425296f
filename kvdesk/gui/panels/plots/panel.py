"""The plots panel: what is drawn, the values under the crosshair, and copies of it."""

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QTimer
from PySide6.QtGui import QPaintEvent
from PySide6.QtWidgets import QCheckBox, QStackedWidget, QTabBar, QWidget

from kvdesk.app.workspace import Workspace
from kvdesk.gui import numbers
from kvdesk.gui.bridge import Bridge
from kvdesk.gui.panels.plots import builders
from kvdesk.gui.panels.plots.blocks import BlocksPicture, blocks_of
from kvdesk.gui.panels.plots.chart import Chart
from kvdesk.gui.view import View
from kvdesk.gui.widgets.card import Card
from kvdesk.gui.widgets.message import Offer
from kvdesk.gui.widgets.states import NOT_COMPUTED, States
from kvdesk.gui.widgets.text import em, label, set_text, tabular

if TYPE_CHECKING:
    from kvdesk.gui.plot.context_plot import ContextPlot

KINDS: tuple[tuple[str, builders.Builder | None], ...] = (
    ("Memory", builders.memory),
    ("Sequences", builders.sequences),
    ("Logical | allocated", builders.per_token),
    ("Blocks", None),
    ("Scenarios", builders.scenarios),
)


class PlotsPanel(Card):
    """Only the plot that is seen is drawn; pyqtgraph comes after the first frame."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self._view: View | None = None
        self._bridge = bridge
        self.plot: ContextPlot | None = None
        self.tabs = QTabBar()
        self.tabs.setAccessibleName("Plots")
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        for title, _ in KINDS:
            self.tabs.addTab(title)
        self.tabs.currentChanged.connect(self._draw)
        self.stacked = QCheckBox("Stack parts")
        self.stacked.setToolTip("Weights, reserve and KV cache of the chosen option")
        self.stacked.toggled.connect(self._draw)
        self.readout = label("", "muted", wrap=True)
        self.readout.setFont(tabular(self.readout.font()))
        self.blocks = BlocksPicture()
        self._pages = QStackedWidget()
        self._pages.addWidget(QWidget())
        self._pages.addWidget(self.blocks)
        self.states = States(self._pages)
        self._arrange()

    @property
    def chart(self) -> Chart | None:
        """The chart on show, None for the blocks or before there is one."""
        builder = self._builder()
        return builder(self._view) if builder and self._view else None

    def picture(self) -> QWidget:
        """The widget that is drawn at present, for copies."""
        return self.blocks if self._builder() is None or self.plot is None else self.plot

    def zoom(self) -> None:
        """The whole range again."""
        if self.plot is not None:
            self.plot.zoom_to_range()

    def load(self) -> None:
        """Import pyqtgraph and make the one plot, unless that was done."""
        if self.plot is not None:
            return
        from kvdesk.gui.plot.context_plot import ContextPlot

        self.plot = ContextPlot()
        self.plot.setAccessibleName("Plot against context")
        self.plot.pointed.connect(self._point)
        self._pages.insertWidget(0, self.plot)
        self._draw()
        self._bridge.touch()  # one more widget to go through by Tab

    def paintEvent(self, event: QPaintEvent) -> None:
        """Once it is seen without its plot, make that: the panels are not kept waiting for pyqtgraph."""
        super().paintEvent(event)
        if self.plot is None:
            QTimer.singleShot(0, self, self.load)

    def show_view(self, view: View) -> None:
        """Draw what is seen."""
        self._view = view
        self._draw()

    def _draw(self) -> None:
        view = self._view
        if view is None:
            return
        if view.session.model is None:
            self._show_empty("Nothing to plot yet.", "The plots appear as soon as a model is chosen.")
        elif view.derived.error is not None:
            self._show_empty(*NOT_COMPUTED)
        elif view.chosen is None or all(
            option.answer is None for option in (view.sizing.options if view.sizing else ())
        ):
            self._show_empty("Nothing to plot.", "No GPU option has an answer; see the lines above.")
        else:
            self.states.show_ready(view.stale)
            self._draw_ready(view)
        if not self.states.ready:
            set_text(self.readout, "")

    def _draw_ready(self, view: View) -> None:
        builder = self._builder()
        self.stacked.setVisible(builder is not None and self.tabs.currentIndex() == 0)
        if builder is None:
            self._pages.setCurrentWidget(self.blocks)
            self.blocks.show_blocks(blocks_of(view), view.display.theme)
            set_text(self.readout, "")
            return
        if self.plot is None:
            return
        chart = builder(view)
        self._pages.setCurrentWidget(self.plot)
        if chart is None:
            self._say_nothing(view)
            return
        self.plot.show_chart(chart, view.display.theme)
        if view.stale:
            self.plot.setAccessibleDescription(f"{view.stale}. {chart.sentence}")
        self._point(self.plot.at)

    def _say_nothing(self, view: View) -> None:
        if KINDS[self.tabs.currentIndex()][0] == "Scenarios" and len(view.workspace.scenarios) == 1:
            offer = ("Duplicate scenario", lambda: self._bridge.arrange("Duplicate scenario", Workspace.duplicated))
            self._show_empty("One scenario so far.", "Duplicate it and change the copy.", [offer])
        else:
            self._show_empty("Nothing to plot.", "The chosen option has no answer; see its line above.")

    def _show_empty(self, title: str, text: str, offers: Sequence[Offer] = ()) -> None:
        set_text(self.readout, "")
        self.states.show_empty(title, text, offers)

    def _builder(self) -> builders.Builder | None:
        at = self.tabs.currentIndex()
        return partial(builders.memory, stacked=self.stacked.isChecked()) if at == 0 else KINDS[at][1]

    def _point(self, at: int) -> None:
        chart = self.plot.chart if self.plot else None
        if chart is None:
            return
        if at < 0:
            set_text(self.readout, f"{chart.title} against context (tokens)")
            return
        values = (
            f"{line.title} {numbers.localised(f'{value:,.{chart.decimals}f}')}"
            for line in chart.lines
            if (value := line.values[at]) is not None
        )
        text = f"At {numbers.integer(chart.contexts[at])} tokens:  " + "  ·  ".join(values)
        set_text(self.readout, f"{text} {chart.unit}")

    def _arrange(self) -> None:
        outer = self.layout()
        if outer:
            outer.setContentsMargins(em(self, 0.4), em(self, 0.2), em(self, 0.4), em(self, 0.3))
        while self.head.count():
            self.head.takeAt(0)
        self.head.addWidget(self.tabs)
        self.head.addStretch(1)
        self.head.addWidget(self.stacked)
        self.body.addWidget(self.states, 1)
        self.body.addWidget(self.readout)
