"""The main window: puts the panels together and hands every view to them."""

from functools import partial

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QAction, QCloseEvent, QDragEnterEvent, QDropEvent, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QApplication, QLabel, QMainWindow, QWidget

from kvdesk.app.session import Model
from kvdesk.gui import commands, layout, opening, theme
from kvdesk.gui.bridge import Bridge
from kvdesk.gui.documents import Documents
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
from kvdesk.gui.view import Display, View
from kvdesk.gui.widgets.buttons import push
from kvdesk.gui.widgets.form import align
from kvdesk.gui.widgets.notice import Notice
from kvdesk.gui.widgets.text import em, label, set_text

SAID_FOR_MS = 8000


class MainWindow(QMainWindow):
    """Question at the left, answer at the right."""

    def __init__(self, bridge: Bridge, settings: Settings) -> None:
        super().__init__()
        self.bridge, self.settings = bridge, settings
        self.documents = Documents(bridge.store, settings)
        self.setAcceptDrops(True)
        self.bar, self.scenarios, self.notice = ModelBar(bridge), ScenarioBar(bridge), Notice()
        self.names = Names(bridge, settings, self.bar)
        self.model, self.workload = ModelPanel(bridge), WorkloadPanel(bridge)
        self.serving, self.hardware = ServingPanel(bridge), HardwarePanel(bridge)
        self.verdict, self.plots, self.details = VerdictPanel(bridge), PlotsPanel(bridge), Details()
        self.budget, self.layers, self.compare = BudgetPanel(bridge), LayersPanel(), ComparePanel(bridge)
        self.plan, self.findings, self.log = PlanPanel(bridge), FindingsPanel(), LogPanel(bridge)
        self._add_pages()
        align(self.workload.form, self.serving.form)
        self._arrange()
        self.actions_by_id: dict[str, QAction] = commands.install(self)
        self._connect()
        self.show_view(bridge.view)
        self.bar.focus()

    def show_view(self, view: View) -> None:
        """Draw everything that is seen."""
        self.bar.show_view(view)
        self.scenarios.show_view(view)
        for panel in (self.model, self.workload, self.serving, self.hardware, self.verdict, self.plots):
            panel.show_view(view)
        self._show_page()
        self.details.retitle(self.findings, FindingsPanel.title(view))
        commands.enable(self.actions_by_id, view, self.bridge.store)
        self._show_title(view)

    def panels(self) -> tuple[QWidget, ...]:
        """All parts in the order in which F6 goes through them."""
        inputs = (self.bar, self.scenarios, self.model, self.workload, self.serving, self.hardware)
        return (*inputs, self.notice, self.verdict, self.plots, self.details, self.statusBar())

    def say(self, text: str) -> None:
        """A sentence in the status line."""
        self.statusBar().showMessage(text, SAID_FOR_MS)

    def open_text(self, text: str) -> None:
        """A scenario, a log, a model's file or folder, an address or an id."""
        opening.open_text(self, text)

    def follow_theme(self) -> None:
        """Apply the chosen theme and unit anew."""
        chosen = theme.chosen(self.settings.theme)
        app = QApplication.instance()
        if isinstance(app, QApplication) and chosen is not self.bridge.view.display.theme:
            app.setPalette(theme.palette(chosen))
            app.setStyleSheet(theme.style_sheet(chosen))
        set_text(self.unit, _unit_text(self.settings.unit))
        self.bridge.set_display(Display(unit=self.settings.unit, theme=chosen))

    def restore(self) -> None:
        """The layout of the last time, or a good size for the screen."""
        geometry = self.settings.layout("geometry")
        if geometry.isEmpty() or not self.restoreGeometry(geometry):
            space = QGuiApplication.primaryScreen().availableSize()
            self.resize(min(space.width(), em(self, 88)), min(space.height(), em(self, 56)))
        for name, split in (("columns", self.columns), ("answers", self.answers)):
            state = self.settings.layout(name)
            if not state.isEmpty():
                split.restoreState(state)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Keep the layout, end the jobs."""
        self.settings.keep_layout("geometry", self.saveGeometry())
        for name, split in (("columns", self.columns), ("answers", self.answers)):
            self.settings.keep_layout(name, split.saveState())
        self.settings.sync()
        self.documents.close()
        self.bridge.close()
        super().closeEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """The system's colours changed: follow them."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.ThemeChange:
            QTimer.singleShot(0, self, self.follow_theme)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Where there is room, details beside the plot."""
        super().resizeEvent(event)
        layout.turn(self.answers, self.width(), self)

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Files, folders and addresses are welcome."""
        if event.mimeData().hasUrls() or event.mimeData().hasText():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open what was dropped."""
        urls = event.mimeData().urls()
        event.acceptProposedAction()
        self.open_text((urls[0].toLocalFile() or urls[0].toString()) if urls else event.mimeData().text())

    def _add_pages(self) -> None:
        pages = (
            ("Budget", self.budget),
            ("Layers", self.layers),
            ("Compare", self.compare),
            ("Plan", self.plan),
            ("Findings", self.findings),
            ("Log", self.log),
        )
        for title, page in pages:
            self.details.add(title, page)

    def _arrange(self) -> None:
        inputs = layout.inputs((self.model, self.workload, self.serving, self.hardware), self)
        self.answers = layout.splitter(Qt.Orientation.Vertical, (self.plots, self.details), self)
        right = layout.answers((self.notice, self.verdict), self.answers, self)
        self.columns = layout.splitter(Qt.Orientation.Horizontal, (inputs, right), self)
        self.columns.setStretchFactor(1, 1)
        self.columns.setSizes([em(self, 27), em(self, 60)])
        self.setCentralWidget(layout.stacked((self.bar, self.scenarios), self.columns))
        self.unit: QLabel = label(_unit_text(self.settings.unit), "muted")
        status = self.statusBar()
        status.setSizeGripEnabled(False)
        status.addPermanentWidget(self.unit)
        for text, action in (("Copy command line", "edit.copy_command"), ("Export report …", "file.export_pdf")):
            status.addPermanentWidget(push(text, partial(self._trigger, action)))

    def _trigger(self, action: str) -> None:
        self.actions_by_id[action].trigger()

    def _connect(self) -> None:
        self.bridge.changed.connect(self.show_view)
        self.bridge.status.connect(self.say)
        self.bridge.looked_up.connect(self._remember)
        self.bar.open_asked.connect(self.actions_by_id["model.open"].trigger)
        self.bar.sign_in_asked.connect(self.actions_by_id["model.sign_in"].trigger)
        self.details.tabs.currentChanged.connect(self._show_page)

    def _show_page(self) -> None:
        page = self.details.pages.currentWidget()
        for panel in (self.budget, self.layers, self.compare, self.plan, self.findings, self.log):
            if panel is page:
                panel.show_view(self.bridge.view)

    def _remember(self, text: str, model: Model) -> None:
        self.settings.keep_recent(text if model.origin == "file" else model.id, model.revision or "", model.looked_up)
        self.names.refresh()

    def _show_title(self, view: View) -> None:
        model = view.session.model
        mark = "*" if self.bridge.store.modified else ""
        name = self.documents.path.name if self.documents.path else (model.id if model else "")
        title = f"{mark}{name} – kvdesk" if name else "kvdesk"
        if self.windowTitle() != title:
            self.setWindowTitle(title)


def _unit_text(unit: str) -> str:
    return "Sizes in GiB, 1 GiB = 2³⁰ B" if unit == "GiB" else "Sizes in GB, 1 GB = 10⁹ B"
