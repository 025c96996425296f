"""The panel of GPU options."""

from PySide6.QtCore import QTimer
from PySide6.QtGui import QStandardItemModel

from kvdesk.app import actions
from kvdesk.app.session import DEFAULT_GPU, GpuChoice
from kvdesk.catalogue import accelerators
from kvdesk.core.errors import KvdeskError
from kvdesk.gui.bridge import Bridge
from kvdesk.gui.panels.hardware.row import GpuRow, device_items
from kvdesk.gui.view import View
from kvdesk.gui.widgets.buttons import tool
from kvdesk.gui.widgets.card import Card


class HardwarePanel(Card):
    """One row for each option, and a button for one more."""

    def __init__(self, bridge: Bridge) -> None:
        super().__init__("Hardware")
        self._bridge = bridge
        self._devices = QStandardItemModel()
        self.rows: list[GpuRow] = []
        self.add = tool("add", "Add a GPU option", self.add_option)
        self.head.addWidget(self.add)
        # Reading the whole catalogue takes longer than a frame; the first one does not wait for it.
        QTimer.singleShot(0, self, self._load)

    def show_view(self, view: View) -> None:
        """The options of the session."""
        gpus, sizing = view.session.gpus, view.sizing
        while len(self.rows) < len(gpus):
            self._add_row()
        for at, row in enumerate(self.rows):
            row.setVisible(at < len(gpus))
            if at < len(gpus):
                question = sizing.options[at].question if sizing else None
                name = question.device.name if question else _name(gpus[at].gpu)
                row.show_choice(gpus[at], name, removable=len(gpus) > 1)
        self.add.setEnabled(len(gpus) < actions.MOST_GPU_OPTIONS)

    def add_option(self) -> None:
        """One more option: the last one's GPU, twice as many."""
        gpus = self._bridge.store.session.gpus
        last = gpus[-1] if gpus else GpuChoice(gpu=DEFAULT_GPU)
        choice = GpuChoice(gpu=last.gpu, count=min(64, last.count * 2) if gpus else 1)
        self._bridge.edit("Add a GPU option", lambda session: actions.add_gpu(session, choice))

    def _add_row(self) -> None:
        at = len(self.rows)
        row = GpuRow(self._devices, at + 1)
        row.changed.connect(lambda choice: self._change(at, choice))
        row.removed.connect(lambda: self._remove(at))
        self.rows.append(row)
        self.body.addWidget(row)

    def _change(self, at: int, choice: GpuChoice) -> None:
        title = f"{choice.count} × {choice.gpu}"
        self._bridge.edit(title, lambda session: actions.set_gpu(session, at, choice), f"gpu {at}")

    def _remove(self, at: int) -> None:
        self._bridge.edit("Remove a GPU option", lambda session: actions.remove_gpu(session, at))

    def _load(self) -> None:
        self._devices = device_items(accelerators.all_devices())
        for row in self.rows:
            row.device.use(self._devices)


def _name(gpu: str) -> str:
    try:
        return accelerators.find(gpu).name
    except KvdeskError:
        return gpu
