"""The main window: puts the panels together and hands every view to them."""

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QTimer
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMainWindow, QWidget

from kvdesk.gui import theme
from kvdesk.gui.settings import Settings
from kvdesk.gui.skeleton import Skeleton

if TYPE_CHECKING:
    # Only `fill` needs these: the first frame does not wait for them.
    from PySide6.QtGui import QAction, QCloseEvent, QDragEnterEvent, QDropEvent, QKeyEvent, QResizeEvent
    from PySide6.QtWidgets import QLabel, QSplitter

    from kvdesk.app.session import Model
    from kvdesk.gui.bridge import Bridge
    from kvdesk.gui.documents import Documents
    from kvdesk.gui.panels.all import Panels
    from kvdesk.gui.view import View

SAID_FOR_MS = 8000
UNSEEN_MS = 300
"""How long an outline that is not painted keeps the panels waiting."""


class MainWindow(QMainWindow):
    """Question at the left, answer at the right. First only an outline; `fill` makes the panels."""

    bridge: "Bridge"
    documents: "Documents"
    parts: "Panels"
    actions_by_id: dict[str, "QAction"]
    columns: "QSplitter"
    answers: "QSplitter"
    unit: "QLabel"

    def __init__(self, settings: Settings, sentences: tuple[str, ...] = ()) -> None:
        super().__init__()
        self.settings = settings
        self.filled = False
        self.setWindowTitle("kvdesk")
        self.setAcceptDrops(True)
        self.skeleton = Skeleton(sentences)
        self.setCentralWidget(self.skeleton)
        self.skeleton.field.setFocus()

    def after_outline(self, make: Callable[[], None]) -> None:
        """Call `make`, which fills the window, once its outline is seen, or soon where nothing is (minimised)."""
        turn = QTimer(self, singleShot=True, interval=UNSEEN_MS)
        turn.timeout.connect(make)
        self.skeleton.painted.connect(lambda: turn.start(0))
        turn.start()

    def fill(self, bridge: "Bridge") -> None:
        """Make the panels; what was typed into the outline's field goes on in the real one."""
        from kvdesk.gui import commands
        from kvdesk.gui.documents import Documents
        from kvdesk.gui.panels.all import Panels

        self.setUpdatesEnabled(False)  # the outline stays until the panels can take its place
        typed = self.skeleton.field.text()
        self.bridge, self.documents = bridge, Documents(bridge.store, self.settings)
        self.parts = Panels(bridge, self.settings)
        self._arrange()
        self.actions_by_id = commands.install(self)
        self._connect()
        self.filled = True
        self._restore_splitters()
        self.show_view(bridge.view)
        # In a window that is shown already, the new field can take the focus only once it is shown itself.
        QTimer.singleShot(0, self, lambda: self._enter(typed))

    def _enter(self, typed: str) -> None:
        self.setUpdatesEnabled(True)
        self.parts.bar.focus()
        if typed:
            self.parts.bar.field.setText(typed)
            self.parts.bar.field.setModified(True)
            self.parts.bar.field.end(False)

    def show_view(self, view: "View") -> None:
        """Draw everything that is seen."""
        from kvdesk.gui import commands

        self.parts.show_view(view)
        commands.enable(self.actions_by_id, view, self.bridge.store)
        self._show_title(view)

    def panels(self) -> tuple[QWidget, ...]:
        """All parts in the order in which F6 goes through them."""
        return (*self.parts.in_order(), self.statusBar())

    def say(self, text: str) -> None:
        """A sentence in the status line."""
        self.statusBar().showMessage(text, SAID_FOR_MS)

    def open_text(self, text: str) -> None:
        """A scenario, a log, a model's file or folder, an address or an id."""
        from kvdesk.gui import opening

        opening.open_text(self, text)

    def follow_theme(self) -> None:
        """Apply the chosen theme and unit anew."""
        from kvdesk.gui import style
        from kvdesk.gui.view import Display

        chosen = theme.chosen(self.settings.theme)
        app = QApplication.instance()
        if isinstance(app, QApplication) and chosen is not self.bridge.view.display.theme:
            style.apply(app, chosen)
        self.unit.setText(_unit_text(self.settings.unit))
        self.bridge.set_display(Display(unit=self.settings.unit, theme=chosen))

    def restore(self) -> None:
        """The layout of the last time, or a good size for the screen."""
        geometry = self.settings.layout("geometry")
        if geometry.isEmpty() or not self.restoreGeometry(geometry):
            space = QGuiApplication.primaryScreen().availableSize()
            em = self.fontMetrics().height()
            # The frame comes on top, and how large it is shows only once the window does: see `main`.
            self.resize(min(space.width(), 88 * em), min(space.height() - 2 * em, 56 * em))

    def closeEvent(self, event: "QCloseEvent") -> None:
        """Keep the layout, end the jobs."""
        if not self.filled:
            super().closeEvent(event)
            return
        self.settings.keep_layout("geometry", self.saveGeometry())
        for name, split in (("columns", self.columns), ("answers", self.answers)):
            self.settings.keep_layout(name, split.saveState())
        self.settings.sync()
        self.documents.close()
        self.bridge.close()
        super().closeEvent(event)

    def keyPressEvent(self, event: "QKeyEvent") -> None:
        """Undo and redo that a field with the focus had no use for."""
        from PySide6.QtGui import QKeySequence

        keys = QKeySequence.StandardKey
        wanted = "edit.undo" if event.matches(keys.Undo) else "edit.redo" if event.matches(keys.Redo) else ""
        if wanted and self.filled:
            self._trigger(wanted)
        else:
            super().keyPressEvent(event)

    def changeEvent(self, event: QEvent) -> None:
        """The system's colours changed: follow them."""
        super().changeEvent(event)
        if event.type() == QEvent.Type.ThemeChange and self.filled:
            QTimer.singleShot(0, self, self.follow_theme)

    def resizeEvent(self, event: "QResizeEvent") -> None:
        """Where there is room, details beside the plot."""
        super().resizeEvent(event)
        if self.filled:
            from kvdesk.gui import layout

            layout.turn(self.answers, self)

    def dragEnterEvent(self, event: "QDragEnterEvent") -> None:
        """Files, folders and addresses are welcome."""
        if self.filled and (event.mimeData().hasUrls() or event.mimeData().hasText()):
            event.acceptProposedAction()

    def dropEvent(self, event: "QDropEvent") -> None:
        """Open what was dropped."""
        urls = event.mimeData().urls()
        event.acceptProposedAction()
        self.open_text((urls[0].toLocalFile() or urls[0].toString()) if urls else event.mimeData().text())

    def _arrange(self) -> None:
        from PySide6.QtCore import Qt

        from kvdesk.gui import layout
        from kvdesk.gui.widgets.buttons import push
        from kvdesk.gui.widgets.text import label

        parts = self.parts
        inputs = layout.inputs((parts.model, parts.workload, parts.hardware, parts.serving), self)
        self.answers = layout.splitter(Qt.Orientation.Vertical, (parts.plots, parts.details), self)
        right = layout.answers((parts.notice, parts.verdict), self.answers, self)
        self.columns = layout.splitter(Qt.Orientation.Horizontal, (inputs, right), self)
        self.columns.setStretchFactor(1, 1)
        em = self.fontMetrics().height()
        self.columns.setSizes([27 * em, 60 * em])
        layout.turn(self.answers, self)
        self.setCentralWidget(layout.stacked((parts.bar, parts.scenarios), self.columns))
        self.unit = label(_unit_text(self.settings.unit), "muted")
        status = self.statusBar()
        status.setSizeGripEnabled(False)
        status.setContentsMargins(layout.gap(self), 0, layout.gap(self), layout.gap(self) // 2)
        status.addPermanentWidget(self.unit)
        for text, action in (("Copy command line", "edit.copy_command"), ("Export report …", "file.export_pdf")):
            status.addPermanentWidget(push(text, partial(self._trigger, action)))

    def _restore_splitters(self) -> None:
        for name, split in (("columns", self.columns), ("answers", self.answers)):
            state = self.settings.layout(name)
            if not state.isEmpty():
                split.restoreState(state)

    def _trigger(self, action: str) -> None:
        self.actions_by_id[action].trigger()

    def _connect(self) -> None:
        bridge, parts, actions = self.bridge, self.parts, self.actions_by_id
        bridge.changed.connect(self.show_view)
        bridge.status.connect(self.say)
        bridge.looked_up.connect(self._remember)
        parts.bar.open_asked.connect(actions["model.open"].trigger)
        parts.verdict.value_asked.connect(actions["model.value"].trigger)
        parts.bar.sign_in_asked.connect(actions["model.sign_in"].trigger)

    def _remember(self, text: str, model: "Model") -> None:
        self.settings.keep_recent(text if model.origin == "file" else model.id, model.revision or "", model.looked_up)
        self.parts.names.refresh()

    def _show_title(self, view: "View") -> None:
        model = view.session.model
        mark = "*" if self.bridge.store.modified else ""
        name = self.documents.name or (model.id if model else "")
        title = f"{mark}{name} – kvdesk" if name else "kvdesk"
        if self.windowTitle() != title:
            self.setWindowTitle(title)


def _unit_text(unit: str) -> str:
    return "Sizes in GiB, 1 GiB = 2³⁰ B" if unit == "GiB" else "Sizes in GB, 1 GB = 10⁹ B"
