"""The main window: puts the panels together and hands every view to them."""

from pathlib import Path

from PySide6.QtCore import QEvent, Qt, QTimer
from PySide6.QtGui import QCloseEvent, QDragEnterEvent, QDropEvent, QGuiApplication, QResizeEvent
from PySide6.QtWidgets import QApplication, QFrame, QMainWindow, QScrollArea, QSplitter, QVBoxLayout, QWidget

from kvdesk.app.session import Model
from kvdesk.gui import theme
from kvdesk.gui.bridge import Bridge
from kvdesk.gui.panels.budget.panel import BudgetPanel
from kvdesk.gui.panels.details import Details
from kvdesk.gui.panels.findings.panel import FindingsPanel
from kvdesk.gui.panels.hardware.panel import HardwarePanel
from kvdesk.gui.panels.model.bar import ModelBar
from kvdesk.gui.panels.model.panel import ModelPanel
from kvdesk.gui.panels.plots.panel import PlotsPanel
from kvdesk.gui.panels.serving.panel import ServingPanel
from kvdesk.gui.panels.verdict.panel import VerdictPanel
from kvdesk.gui.panels.workload.panel import WorkloadPanel
from kvdesk.gui.settings import Settings
from kvdesk.gui.view import Display, View
from kvdesk.gui.widgets.form import align
from kvdesk.gui.widgets.text import em

WIDE = 95
"""From so many ems of width on, details stand beside the plot and not below it."""


class MainWindow(QMainWindow):
    """Question at the left, answer at the right."""

    def __init__(self, bridge: Bridge, settings: Settings) -> None:
        super().__init__()
        self.bridge, self.settings = bridge, settings
        self.setAcceptDrops(True)
        self.bar = ModelBar(bridge)
        self.model, self.workload = ModelPanel(bridge), WorkloadPanel(bridge)
        self.serving, self.hardware = ServingPanel(bridge), HardwarePanel(bridge)
        self.verdict, self.plots = VerdictPanel(bridge), PlotsPanel(bridge)
        self.budget, self.findings = BudgetPanel(bridge), FindingsPanel()
        self.details = Details()
        self.details.add("Budget", self.budget)
        self.details.add("Findings", self.findings)
        align(self.workload.form, self.serving.form)
        self._arrange()
        bridge.changed.connect(self.show_view)
        bridge.status.connect(lambda text: self.statusBar().showMessage(text, 8000))
        bridge.looked_up.connect(self._remember)
        self.show_view(bridge.view)
        self.bar.focus()

    def show_view(self, view: View) -> None:
        """Draw everything that is seen."""
        self.bar.show_view(view)
        for panel in (self.model, self.workload, self.serving, self.hardware, self.verdict, self.plots):
            panel.show_view(view)
        self.budget.show_view(view)
        self.findings.show_view(view)
        self.details.retitle(self.findings, FindingsPanel.title(view))
        self._show_title(view)

    def closeEvent(self, event: QCloseEvent) -> None:
        """Keep the layout, end the jobs."""
        self.settings.keep_layout("geometry", self.saveGeometry())
        for name, splitter in (("columns", self.columns), ("answers", self.answers)):
            self.settings.keep_layout(name, splitter.saveState())
        self.settings.sync()
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
        wide = self.width() > em(self, WIDE)
        orientation = Qt.Orientation.Horizontal if wide else Qt.Orientation.Vertical
        if self.answers.orientation() != orientation:
            self.answers.setOrientation(orientation)
            self.answers.setSizes([3000, 2000] if wide else [1100, 1000])

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """Files, folders and addresses are welcome."""
        if event.mimeData().hasUrls() or event.mimeData().hasText():
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open what was dropped."""
        mime = event.mimeData()
        urls = mime.urls()
        text = (urls[0].toLocalFile() or urls[0].toString()) if urls else mime.text()
        event.acceptProposedAction()
        self.open_text(text)

    def open_text(self, text: str) -> None:
        """A scenario file, a model's file or folder, an address or an id."""
        self.bar.typed(str(Path(text)) if text.startswith(("./", "/")) else text)

    def follow_theme(self) -> None:
        """Apply the chosen theme anew."""
        chosen = theme.chosen(self.settings.theme)
        app = QApplication.instance()
        if isinstance(app, QApplication):
            app.setPalette(theme.palette(chosen))
            app.setStyleSheet(theme.style_sheet(chosen))
        self.bridge.set_display(Display(unit=self.settings.unit, theme=chosen))

    def _arrange(self) -> None:
        gap = em(self, 0.5)
        inputs = QWidget()
        column = QVBoxLayout(inputs)
        column.setContentsMargins(gap, gap, 0, gap)
        column.setSpacing(gap)
        for panel in (self.model, self.workload, self.serving, self.hardware):
            column.addWidget(panel)
        column.addStretch(1)
        scroll = QScrollArea()
        scroll.setWidgetResizable(True)
        scroll.setFrameShape(QFrame.Shape.NoFrame)
        scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        scroll.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        scroll.setWidget(inputs)
        scroll.setMinimumWidth(em(self, 26))
        self.answers = QSplitter(Qt.Orientation.Vertical)
        self.answers.addWidget(self.plots)
        self.answers.addWidget(self.details)
        right = QWidget()
        rows = QVBoxLayout(right)
        rows.setContentsMargins(0, gap, gap, gap)
        rows.setSpacing(gap)
        rows.addWidget(self.verdict)
        rows.addWidget(self.answers, 1)
        self.columns = QSplitter(Qt.Orientation.Horizontal)
        self.columns.addWidget(scroll)
        self.columns.addWidget(right)
        self.columns.setStretchFactor(1, 1)
        for splitter in (self.columns, self.answers):
            splitter.setHandleWidth(gap)
            splitter.setChildrenCollapsible(False)
        self.columns.setSizes([em(self, 27), em(self, 60)])
        centre = QWidget()
        whole = QVBoxLayout(centre)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(0)
        whole.addWidget(self.bar)
        whole.addWidget(self.columns, 1)
        self.setCentralWidget(centre)
        self.statusBar().setSizeGripEnabled(False)

    def restore(self) -> None:
        """The layout of the last time, or a good size for the screen."""
        geometry = self.settings.layout("geometry")
        if geometry.isEmpty() or not self.restoreGeometry(geometry):
            space = QGuiApplication.primaryScreen().availableSize()
            self.resize(min(space.width(), em(self, 88)), min(space.height(), em(self, 56)))
        for name, splitter in (("columns", self.columns), ("answers", self.answers)):
            state = self.settings.layout(name)
            if not state.isEmpty():
                splitter.restoreState(state)

    def _remember(self, text: str, model: Model) -> None:
        self.settings.keep_recent(text if model.origin == "file" else model.id, model.revision or "", model.looked_up)

    def _show_title(self, view: View) -> None:
        model = view.session.model
        mark = "*" if self.bridge.store.modified else ""
        title = f"{mark}{model.id} – kvdesk" if model else "kvdesk"
        if self.windowTitle() != title:
            self.setWindowTitle(title)
