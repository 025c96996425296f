"""All panels of the window. Those behind tabs are made when their tab is first shown."""

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Protocol, TypeVar

from PySide6.QtWidgets import QWidget

from kvdesk.core.findings import Severity
from kvdesk.gui import focus
from kvdesk.gui.bridge import Bridge
from kvdesk.gui.panels.budget.panel import BudgetPanel
from kvdesk.gui.panels.details import Details
from kvdesk.gui.panels.hardware.panel import HardwarePanel
from kvdesk.gui.panels.model.bar import ModelBar
from kvdesk.gui.panels.model.names import Names
from kvdesk.gui.panels.model.panel import ModelPanel
from kvdesk.gui.panels.plots.panel import PlotsPanel
from kvdesk.gui.panels.scenarios import ScenarioBar
from kvdesk.gui.panels.serving.panel import ServingPanel
from kvdesk.gui.panels.verdict.panel import VerdictPanel
from kvdesk.gui.panels.workload.panel import WorkloadPanel
from kvdesk.gui.settings import Settings
from kvdesk.gui.view import View
from kvdesk.gui.widgets.form import align
from kvdesk.gui.widgets.notice import Notice

if TYPE_CHECKING:
    from kvdesk.gui.panels.compare.panel import ComparePanel
    from kvdesk.gui.panels.findings.panel import FindingsPanel
    from kvdesk.gui.panels.layers.panel import LayersPanel
    from kvdesk.gui.panels.log.panel import LogPanel
    from kvdesk.gui.panels.plan.panel import PlanPanel

PAGES = ("Budget", "Layers", "Compare", "Plan", "Findings", "Log")


class Page(Protocol):
    """What a tab shows."""

    def show_view(self, view: View) -> None:
        """Draw what a view says."""


P = TypeVar("P", bound=QWidget)


class Panels:
    """Named, so that commands and tests can speak of them."""

    def __init__(self, bridge: Bridge, settings: Settings) -> None:
        self._bridge = bridge
        self._made: tuple[int, ...] = ()
        self.bar, self.scenarios, self.notice = ModelBar(bridge), ScenarioBar(bridge), Notice()
        self.names = Names(bridge, settings, self.bar)
        self.model, self.workload = ModelPanel(bridge), WorkloadPanel(bridge)
        self.serving, self.hardware = ServingPanel(bridge), HardwarePanel(bridge)
        self.verdict, self.plots, self.details = VerdictPanel(bridge), PlotsPanel(bridge), Details(PAGES)
        self.details.tabs.currentChanged.connect(lambda _: self._show_page(bridge.view.answers))
        align(self.workload.form, self.serving.form)
        for message in (self.bar.message, self.notice, self.verdict.states.message):
            message.offered.connect(lambda: focus.arrange(self.in_order()))

    @cached_property
    def budget(self) -> BudgetPanel:
        """The budget of the chosen option."""
        return self._page("Budget", BudgetPanel(self._bridge))

    @cached_property
    def layers(self) -> "LayersPanel":
        """What each kind of layer costs."""
        from kvdesk.gui.panels.layers.panel import LayersPanel

        return self._page("Layers", LayersPanel())

    @cached_property
    def compare(self) -> "ComparePanel":
        """The scenarios side by side."""
        from kvdesk.gui.panels.compare.panel import ComparePanel

        return self._page("Compare", ComparePanel(self._bridge))

    @cached_property
    def plan(self) -> "PlanPanel":
        """How many GPUs of each kind."""
        from kvdesk.gui.panels.plan.panel import PlanPanel

        return self._page("Plan", PlanPanel(self._bridge))

    @cached_property
    def findings(self) -> "FindingsPanel":
        """What was found on the way."""
        from kvdesk.gui.panels.findings.panel import FindingsPanel

        return self._page("Findings", FindingsPanel())

    @cached_property
    def log(self) -> "LogPanel":
        """A start-up log beside the figures."""
        from kvdesk.gui.panels.log.panel import LogPanel

        return self._page("Log", LogPanel(self._bridge))

    def show_view(self, view: View) -> None:
        """Hand a view to everything that is seen."""
        self.bar.show_view(view)
        self.scenarios.show_view(view)
        for panel in (self.model, self.workload, self.serving, self.hardware, self.verdict):
            panel.show_view(view)
        answers = view.answers
        self.plots.show_view(answers)
        self._show_page(answers)
        self.details.retitle(PAGES.index("Findings"), _findings_title(answers))

    def in_order(self) -> tuple[QWidget, ...]:
        """In the order in which F6 goes through them."""
        inputs = (self.bar, self.scenarios, self.model, self.workload, self.hardware, self.serving)
        return (*inputs, self.notice, self.verdict, self.plots, self.details)

    def _page(self, title: str, page: P) -> P:
        self.details.put(PAGES.index(title), page)
        return page

    def _show_page(self, view: View) -> None:
        """Only the page that is seen is drawn."""
        pages: tuple[Callable[[], Page], ...] = (
            lambda: self.budget,
            lambda: self.layers,
            lambda: self.compare,
            lambda: self.plan,
            lambda: self.findings,
            lambda: self.log,
        )
        pages[self.details.tabs.currentIndex()]().show_view(view)
        self._order_tab()

    def _order_tab(self) -> None:
        """Widgets that came later take their place in the tab order."""
        parts = (len(self.hardware.rows), len(self.verdict.rows), int(self.plots.plot is not None), self.details.made)
        if parts != self._made:
            self._made = parts
            focus.arrange(self.in_order())


def _findings_title(view: View) -> str:
    """How many there are besides mere notes."""
    grave = sum(finding.severity is not Severity.INFO for finding in view.derived.findings)
    return f"Findings ({grave})" if grave else "Findings"
