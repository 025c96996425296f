"""All panels of the window, made together."""

from collections.abc import Callable

from PySide6.QtWidgets import QWidget

from kvdesk.gui import focus
from kvdesk.gui.bridge import Bridge
from kvdesk.gui.panels.budget.panel import BudgetPanel
from kvdesk.gui.panels.compare.panel import ComparePanel
from kvdesk.gui.panels.details import Details
from kvdesk.gui.panels.findings.panel import FindingsPanel
from kvdesk.gui.panels.hardware.panel import HardwarePanel
from kvdesk.gui.panels.layers.panel import LayersPanel
from kvdesk.gui.panels.log.panel import LogPanel
from kvdesk.gui.panels.model.bar import ModelBar
from kvdesk.gui.panels.model.names import Names
from kvdesk.gui.panels.model.panel import ModelPanel
from kvdesk.gui.panels.plan.panel import PlanPanel
from kvdesk.gui.panels.plots.panel import PlotsPanel
from kvdesk.gui.panels.scenarios import ScenarioBar
from kvdesk.gui.panels.serving.panel import ServingPanel
from kvdesk.gui.panels.verdict.panel import VerdictPanel
from kvdesk.gui.panels.workload.panel import WorkloadPanel
from kvdesk.gui.settings import Settings
from kvdesk.gui.view import View
from kvdesk.gui.widgets.form import align
from kvdesk.gui.widgets.notice import Notice


class Panels:
    """Named, so that commands and tests can speak of them."""

    def __init__(self, bridge: Bridge, settings: Settings) -> None:
        self._made: tuple[int, ...] = ()
        self.bar, self.scenarios, self.notice = ModelBar(bridge), ScenarioBar(bridge), Notice()
        self.names = Names(bridge, settings, self.bar)
        self.model, self.workload = ModelPanel(bridge), WorkloadPanel(bridge)
        self.serving, self.hardware = ServingPanel(bridge), HardwarePanel(bridge)
        self.verdict, self.plots, self.details = VerdictPanel(bridge), PlotsPanel(bridge), Details()
        self.budget, self.layers, self.compare = BudgetPanel(bridge), LayersPanel(), ComparePanel(bridge)
        self.plan, self.findings, self.log = PlanPanel(bridge), FindingsPanel(), LogPanel(bridge)
        self._pages: tuple[Callable[[View], None], ...] = tuple(
            self._add_page(title, page, page.show_view)
            for title, page in (
                ("Budget", self.budget),
                ("Layers", self.layers),
                ("Compare", self.compare),
                ("Plan", self.plan),
                ("Findings", self.findings),
                ("Log", self.log),
            )
        )
        self.details.tabs.currentChanged.connect(lambda _: self._show_page(bridge.view))
        align(self.workload.form, self.serving.form)

    def show_view(self, view: View) -> None:
        """Hand a view to everything that is seen."""
        self.bar.show_view(view)
        self.scenarios.show_view(view)
        for panel in (self.model, self.workload, self.serving, self.hardware, self.verdict, self.plots):
            panel.show_view(view)
        self._show_page(view)
        self.details.retitle(self.findings, FindingsPanel.title(view))
        made = (len(self.hardware.rows), len(self.verdict.rows), int(self.plots.plot is not None))
        if made != self._made:
            self._made = made
            focus.arrange(self.in_order())

    def in_order(self) -> tuple[QWidget, ...]:
        """In the order in which F6 goes through them."""
        inputs = (self.bar, self.scenarios, self.model, self.workload, self.hardware, self.serving)
        return (*inputs, self.notice, self.verdict, self.plots, self.details)

    def _add_page(self, title: str, page: QWidget, show: Callable[[View], None]) -> Callable[[View], None]:
        self.details.add(title, page)
        return show

    def _show_page(self, view: View) -> None:
        """Only the page that is seen is drawn."""
        self._pages[self.details.pages.currentIndex()](view)
