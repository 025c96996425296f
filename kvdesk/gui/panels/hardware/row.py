"""One GPU option: which GPU, how many, in which layout."""

from PySide6.QtCore import QSignalBlocker, Qt, Signal
from PySide6.QtGui import QKeyEvent, QStandardItem, QStandardItemModel, QWheelEvent
from PySide6.QtWidgets import (
    QComboBox,
    QFormLayout,
    QHBoxLayout,
    QLineEdit,
    QMenu,
    QToolButton,
    QVBoxLayout,
    QWidget,
    QWidgetAction,
)

from kvdesk.app.session import GpuChoice
from kvdesk.core.device import Device
from kvdesk.core.errors import KvdeskError
from kvdesk.core.layout import Layout, for_gpus
from kvdesk.core.values import replace
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
        self._choice = choice
        self.device.show_device(choice.gpu, name)
        self.count.show_value(choice.count)
        self.layout_button.show_choice(choice)
        set_text(self.note, self.layout_button.refusal)
        self.note.setVisible(bool(self.note.text()))
        self.remove.setEnabled(removable)

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
    """A GPU of the catalogue, found by typing any part of its name."""

    picked = Signal(str)

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

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Only while it has the focus."""
        super().wheelEvent(event) if self.hasFocus() else event.ignore()

    def _pick(self, gpu: object) -> None:
        if isinstance(gpu, str) and gpu != self._gpu:
            self.picked.emit(gpu)

    def _finish(self) -> None:
        """Take a name or an id that was typed whole; give the former name back for anything else."""
        text = self.currentText().strip().casefold()
        for row in range(self.count()):
            if text in (self.itemText(row).casefold(), str(self.itemData(row, ID)).casefold()):
                self._pick(self.itemData(row, ID))
                return
        with QSignalBlocker(self):
            self._write(short_device(self._name))

    def _write(self, text: str) -> None:
        self.setEditText(text)
        line = self.lineEdit()
        if line:
            line.setCursorPosition(0)


class LayoutButton(QToolButton):
    """Shows the layout and opens its four degrees; 0 leaves a degree to what the others leave.

    `refusal` says why there is no such layout, "" where there is one.
    """

    changed = Signal(object)

    def __init__(self, number: int) -> None:
        super().__init__()
        self.setAccessibleName(f"Layout of option {number}")
        self.setToolTip("Tensor, pipeline, data and decode context parallelism")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setProperty("role", "field")
        self.setPopupMode(QToolButton.ToolButtonPopupMode.InstantPopup)
        self.setToolButtonStyle(Qt.ToolButtonStyle.ToolButtonTextOnly)
        self.setMinimumHeight(em(self, 1.75))
        self.refusal = ""
        self._choice = GpuChoice(gpu="")
        self._layout: Layout | None = None
        self._fields: dict[str, NumberField] = {}
        self._note = label("", "error", wrap=True)
        self._menu = QMenu(self)
        self._menu.aboutToShow.connect(self._build)
        self.setMenu(self._menu)

    def show_choice(self, choice: GpuChoice) -> None:
        """Show the layout of an option."""
        self._choice = choice
        try:
            self._layout, self.refusal = laid_out(choice), ""
        except KvdeskError as error:
            self._layout, self.refusal = None, str(error)
        self.setText(f"{self._layout or 'not possible'} ▾")
        self._fill()

    def _build(self) -> None:
        if self._fields:
            return
        page = QWidget()
        form = QFormLayout(page)
        degrees = (("tp", "Tensor"), ("pp", "Pipeline"), ("dp", "Data"), ("dcp", "Decode context"))
        for key, name in degrees:
            field = NumberField(f"{name} parallel", low=0, high=1024)
            field.setMinimumWidth(em(self, 6))
            field.committed.connect(lambda value, key=key: self._set(key, value))
            form.addRow(f"{name} parallel", field)
            self._fields[key] = field
        form.addRow(self._note)
        action = QWidgetAction(self._menu)
        action.setDefaultWidget(page)
        self._menu.addAction(action)
        self._fill()

    def _fill(self) -> None:
        for key, field in self._fields.items():
            field.setSpecialValueText(f"auto: {getattr(self._layout, key)}" if self._layout else "auto")
            field.show_value(getattr(self._choice, key) or 0)
        set_text(self._note, self.refusal)
        self._note.setVisible(bool(self.refusal))

    def _set(self, key: str, value: int) -> None:
        degrees = {name: getattr(self._choice, name) for name in ("tp", "pp", "dp", "dcp")}
        degrees[key] = value or None
        self.changed.emit(replace(self._choice, **degrees))


def laid_out(choice: GpuChoice) -> Layout:
    """The layout of an option. Raises `UsageError` where there is none."""
    return for_gpus(choice.count, tp=choice.tp, pp=choice.pp, dp=choice.dp, dcp=choice.dcp)


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
