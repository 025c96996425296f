"""The panel of GPU options."""

from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QStandardItemModel

from kvdesk.app import actions
from kvdesk.app.session import DEFAULT_GPU, GpuChoice
from kvdesk.catalogue import accelerators
from kvdesk.core.errors import KvdeskError
from kvdesk.gui import focus
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
        self._adding = 0
        """Options before one was added whose row takes the focus once it is there; 0 for none."""
        self.add = tool("add", "Add a GPU option", self.add_option)
        self.head.addWidget(self.add)
        # Reading the whole catalogue takes longer than a frame; the first one does not wait for it.
        QTimer.singleShot(0, self, self._load)

    def show_view(self, view: View) -> None:
        """The options of the session."""
        gpus, sizing = view.session.gpus, view.sizing
        while len(self.rows) < len(gpus):
            self._add_row()
        lost = next((at for at, row in enumerate(self.rows) if focus.is_inside(row)), None)
        on_remove = lost is not None and focus.is_inside(self.rows[lost].remove)
        for at, row in enumerate(self.rows):
            row.setVisible(at < len(gpus))
            if at < len(gpus):
                question = sizing.options[at].question if sizing else None
                name = question.device.name if question else _name(gpus[at].gpu)
                row.show_choice(gpus[at], name, removable=len(gpus) > 1)
        self.add.setEnabled(len(gpus) < actions.MOST_GPU_OPTIONS)
        if lost is not None and gpus and (lost >= len(gpus) or (on_remove and len(gpus) == 1)):
            self._enter(min(lost, len(gpus) - 1), on_remove=on_remove)
        if self._adding and len(gpus) > self._adding:
            self.rows[len(gpus) - 1].enter()
        self._adding = 0

    def _enter(self, at: int, *, on_remove: bool) -> None:
        """The row that had the focus is gone, or its button cannot be pressed any more: on to the nearest."""
        row = self.rows[at]
        target = row.remove if on_remove and row.remove.isEnabled() else row.device
        target.setFocus(Qt.FocusReason.OtherFocusReason)

    def add_option(self) -> None:
        """One more option, which is then the one looked at: the last one's GPU, twice as many."""
        gpus = self._bridge.store.session.gpus
        last = gpus[-1] if gpus else GpuChoice(gpu=DEFAULT_GPU)
        choice = GpuChoice(gpu=last.gpu, count=min(64, last.count * 2) if gpus else 1)
        self._adding = len(gpus)
        self._bridge.edit("Add a GPU option", lambda session: actions.add_gpu(session, choice))
        self._bridge.select_option(len(gpus))

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
