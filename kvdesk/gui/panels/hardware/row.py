"""One GPU option: which GPU, how many, in which layout."""

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QStandardItem, QStandardItemModel, QWheelEvent
from PySide6.QtWidgets import QComboBox, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from kvdesk.app.session import GpuChoice
from kvdesk.core.device import Device
from kvdesk.core.errors import KvdeskError
from kvdesk.core.values import replace
from kvdesk.gui.panels.hardware.degrees import LayoutButton, laid_out
from kvdesk.gui.widgets.buttons import tool
from kvdesk.gui.widgets.completing import completer
from kvdesk.gui.widgets.fields import NumberField, undoes
from kvdesk.gui.widgets.text import comfortable, em, label, set_text, short_device

ID = Qt.ItemDataRole.UserRole


class GpuRow(QWidget):
    """Fields for one option; every change is handed on as a whole choice."""

    changed = Signal(object)
    removed = Signal()

    def __init__(self, devices: QStandardItemModel, number: int) -> None:
        super().__init__()
        self._choice = GpuChoice(gpu="")
        self.device = DeviceField(devices, f"GPU {number}")
        self.device.picked.connect(lambda gpu: self.changed.emit(replace(self._choice, gpu=gpu)))
        self.device.refused.connect(self._refuse)
        self._unknown = ""
        self.count = NumberField(f"Number of GPUs, option {number}", low=1, high=1024)
        self.count.setPrefix("× ")
        self.count.setFixedWidth(em(self, 3.9))
        self.count.committed.connect(self._set_count)
        self.layout_button = LayoutButton(number)
        self.layout_button.changed.connect(self.changed)
        self.remove = tool("remove", f"Remove GPU option {number}", self.removed.emit)
        self.note = label("", "error", wrap=True)
        self.note.hide()
        row = QHBoxLayout()
        row.setSpacing(em(self, 0.3))
        row.addWidget(self.device, 1)
        for part in (self.count, self.layout_button, self.remove):
            row.addWidget(part)
        whole = QVBoxLayout(self)
        whole.setContentsMargins(0, 0, 0, 0)
        whole.setSpacing(em(self, 0.2))
        whole.addLayout(row)
        whole.addWidget(self.note)

    def show_choice(self, choice: GpuChoice, name: str, *, removable: bool) -> None:
        """Show an option; `name` is the device's."""
        if choice != self._choice:
            self._unknown = ""
        self._choice = choice
        self.device.show_device(choice.gpu, name)
        self.count.show_value(choice.count)
        self.layout_button.show_choice(choice)
        self._show_note()
        self.remove.setEnabled(removable)

    def enter(self) -> None:
        """Into the field of the GPU, all selected, so that typing names another one."""
        self.device.setFocus(Qt.FocusReason.OtherFocusReason)
        line = self.device.lineEdit()
        if line:
            line.selectAll()

    def _refuse(self, text: str) -> None:
        self._unknown = text
        self._show_note()

    def _show_note(self) -> None:
        set_text(self.note, self._unknown or self.layout_button.refusal)
        self.note.setVisible(bool(self.note.text()))

    def _set_count(self, count: int) -> None:
        # Degrees that were typed for another number of GPUs may not divide this one.
        free = replace(self._choice, count=count)
        try:
            laid_out(free)
        except KvdeskError:
            free = replace(free, tp=None, pp=None, dp=None, dcp=None)
        self.changed.emit(free)


class _Line(QLineEdit):
    """Leaves undo to the window unless something is being typed."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Undo and redo go up."""
        event.ignore() if undoes(event) and not self.isModified() else super().keyPressEvent(event)


class DeviceField(QComboBox):
    """A GPU of the catalogue, found by typing any part of its name. `refused` says what was typed in vain."""

    picked = Signal(str)
    refused = Signal(str)

    def __init__(self, devices: QStandardItemModel, name: str) -> None:
        super().__init__()
        self.setLineEdit(_Line())
        self.setInsertPolicy(QComboBox.InsertPolicy.NoInsert)
        self.setAccessibleName(name)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMinimumContentsLength(10)
        self.setSizeAdjustPolicy(QComboBox.SizeAdjustPolicy.AdjustToMinimumContentsLengthWithIcon)
        self.setMaxVisibleItems(18)
        comfortable(self)
        self._gpu = ""
        self._name = ""
        self.activated.connect(lambda index: self._pick(self.itemData(index, ID)))
        line = self.lineEdit()
        if line:
            line.setAccessibleName(name)
            line.editingFinished.connect(self._finish)
            line.textEdited.connect(lambda _: self.refused.emit(""))
        self.use(devices)

    def use(self, devices: QStandardItemModel) -> None:
        """Offer these devices."""
        with QSignalBlocker(self):
            self.setModel(devices)
            self.setCurrentIndex(self.findData(self._gpu, ID))
            self._write(short_device(self._name))
        self.setCompleter(completer(devices, self))

    def show_device(self, gpu: str, name: str) -> None:
        """Show the device of that id; what is being typed stays."""
        if gpu == self._gpu and name == self._name:
            return
        self._gpu, self._name = gpu, name
        with QSignalBlocker(self):
            self.setCurrentIndex(self.findData(gpu, ID))
            self._write(short_device(name))
        self.setToolTip(f"{name} ({gpu})")

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc: the former name."""
        line = self.lineEdit()
        if event.key() == Qt.Key.Key_Escape and line:
            with QSignalBlocker(self):
                self._write(short_device(self._name))
            self.refused.emit("")
            line.selectAll()
        else:
            super().keyPressEvent(event)

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Only while it has the focus."""
        super().wheelEvent(event) if self.hasFocus() else event.ignore()

    def _pick(self, gpu: object) -> None:
        if isinstance(gpu, str) and gpu != self._gpu:
            self.picked.emit(gpu)

    def _finish(self) -> None:
        """Take a name or an id that was typed whole; give the former name back for anything else."""
        text = self.currentText().strip().casefold()
        if text == short_device(self._name).casefold():
            return  # Return ends the typing twice; what was told the first time stays
        for row in range(self.count()):
            if text in (self.itemText(row).casefold(), str(self.itemData(row, ID)).casefold()):
                self.refused.emit("")
                self._pick(self.itemData(row, ID))
                return
        self.refused.emit(f"There is no GPU “{self.currentText().strip()[:40]}” in the catalogue.")
        with QSignalBlocker(self):
            self._write(short_device(self._name))

    def _write(self, text: str) -> None:
        self.setEditText(text)
        line = self.lineEdit()
        if line:
            line.setCursorPosition(0)


def device_items(devices: tuple[Device, ...]) -> QStandardItemModel:
    """The catalogue as a model that all rows share."""
    model = QStandardItemModel()
    for device in devices:
        item = QStandardItem(short_device(device.name))
        item.setData(device.id, ID)
        item.setEditable(False)
        mark = "" if device.confirmed else "\nmemory not confirmed by a source that can be cited"
        item.setToolTip(f"{device.vendor} {device.id}, {device.memory_type}{mark}")
        model.appendRow(item)
    return model
