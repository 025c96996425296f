"""The bar at the top: the model field, and how its look-up stands."""

import re
from functools import partial

from PySide6.QtCore import QStringListModel, Qt, QTimer, QUrl, Signal
from PySide6.QtGui import QDesktopServices, QGuiApplication, QKeyEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLineEdit,
    QProgressBar,
    QPushButton,
    QSizePolicy,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from kvdesk.app.session import Model
from kvdesk.core.errors import KvdeskError
from kvdesk.gui import focus
from kvdesk.gui.bridge import Bridge
from kvdesk.gui.view import LookUp, View
from kvdesk.gui.widgets.buttons import push
from kvdesk.gui.widgets.chip import Chip
from kvdesk.gui.widgets.completing import completer
from kvdesk.gui.widgets.fields import undoes
from kvdesk.gui.widgets.message import Message, Offer
from kvdesk.gui.widgets.text import em, label, set_text

SIGN_IN_HELPS = frozenset({"gated", "denied", "bad-token", "model-not-found", "rate-limited"})
"""What may have failed for want of an account at the Hub, or of another one."""
_ADDRESS = re.compile(r"https?://[^\s,;]+[^\s,;.]")
_ORIGINS = {"hub": "Hub", "file": "file", "catalogue": "catalogue"}


class ModelBar(QFrame):
    """Return looks up, Esc cancels or gives the former text back; what was typed is never lost."""

    open_asked = Signal()
    sign_in_asked = Signal()

    def __init__(self, bridge: Bridge) -> None:
        super().__init__()
        self.setProperty("role", "bar")
        self._bridge = bridge
        self._model: Model | None = None
        self._error: KvdeskError | None = None
        self.field = _Field()
        self.field.setAccessibleName("Model")
        self.field.setAccessibleDescription("Hugging Face id, URL, id@revision, config.json or folder")
        self.field.setPlaceholderText("Hugging Face id, URL or config.json, for example Qwen/Qwen3-8B")
        self.field.setClearButtonEnabled(True)
        self.field.returnPressed.connect(self._look_up)
        self.field.escaped.connect(self._escape)
        self._names = QStringListModel(self)
        self._completer = completer(self._names, self)
        self.field.setCompleter(self._completer)
        # Once the field holds what was chosen; Return in the list comes here as well as to the field.
        self._completer.activated.connect(lambda _: QTimer.singleShot(0, self, self._look_up_chosen))
        self.button = push("Look up", self._look_up)
        self.cancel = push("Cancel", bridge.cancel_look_up)
        self._slot = QStackedWidget()
        self._slot.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        for button in (self.button, self.cancel):
            self._slot.addWidget(button)
        self.busy = QProgressBar()
        self.busy.setRange(0, 0)
        self.busy.setTextVisible(False)
        self.busy.setFixedSize(em(self, 5), em(self, 0.5))
        self.state = label("", "muted")
        self.state.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self.state.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.chip = Chip()
        self.message = Message("error")
        self._arrange()

    def show_names(self, names: list[str]) -> None:
        """Offer these while typing: recent models first, then the catalogue's."""
        if names != self._names.stringList():
            self._names.setStringList(names)

    def names(self) -> list[str]:
        """What is offered while typing."""
        return self._names.stringList()

    def show_view(self, view: View) -> None:
        """The model in use and the look-up."""
        model = view.session.model
        if model is not self._model:
            self._model = model
            if not (self.field.hasFocus() and self.field.isModified()) or view.look_up.text == self.field.text():
                self.field.setText(spelled(model))
                self.field.setModified(False)
        self._show_state(view.look_up, model)
        self._show_error(view.look_up.error)

    def typed(self, text: str) -> None:
        """Put a text into the field and look it up."""
        self.field.setText(text)
        self.field.setModified(True)
        self._look_up()

    def complete(self) -> None:
        """Show what has been found for the text so far."""
        self._completer.setCompletionPrefix(self.field.text())
        if self._completer.completionCount():
            self._completer.complete()

    def again(self) -> None:
        """Look up what the field holds once more."""
        self._look_up()

    def focus(self) -> None:
        """Into the field, all selected."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def _show_state(self, look_up: LookUp, model: Model | None) -> None:
        busy = look_up.running and look_up.visible
        self.busy.setVisible(busy)
        self._turn_to(self.cancel if busy else self.button)
        if busy:
            set_text(self.state, f"Reading config.json of {look_up.text} …")
            self.chip.show_word("", "")
        elif model and look_up.error:
            set_text(self.state, f"In use: {model.id}")
            self.chip.show_word("", "")
        elif model:
            set_text(self.state, described(model))
            self.state.setToolTip(f"{model.where}\nSHA-256 {model.config_sha256}")
            self.chip.show_word(_ORIGINS.get(model.origin, model.origin), model.where)
        else:
            set_text(self.state, "")
            self.chip.show_word("", "")

    def _show_error(self, error: KvdeskError | None) -> None:
        lost = error is None and focus.is_inside(self.message)
        self.message.setVisible(error is not None)
        if lost:
            self.field.setFocus(Qt.FocusReason.OtherFocusReason)
        if error is not None and error is not self._error:
            self.message.say_error(error, self._offers(error))
            for name, button in zip(error.suggestions, self.message.buttons, strict=False):
                button.setAccessibleName(f"Look up {name}")
                button.setToolTip(f"Look up {name}")
        self._error = error

    def _offers(self, error: KvdeskError) -> list[Offer]:
        offers: list[Offer] = [(name, partial(self._try, name)) for name in error.suggestions]
        offers.append(("Try again", self._look_up))
        if error.code in SIGN_IN_HELPS:
            offers.append(("Sign in …", self.sign_in_asked.emit))
        address = _ADDRESS.search(error.remedy)
        if address:
            offers.append(("Open its page", partial(self._open, address[0])))
            offers.append(("Copy its address", partial(self._copy, address[0])))
        offers.append(("Open a file …", self.open_asked.emit))
        offers.append(("Dismiss", self._bridge.dismiss_look_up_error))
        return offers

    def _open(self, address: str) -> None:
        if not QDesktopServices.openUrl(QUrl(address)):
            self._copy(address)

    def _copy(self, address: str) -> None:
        QGuiApplication.clipboard().setText(address)
        self._bridge.status.emit(f"Copied {address}")

    def _turn_to(self, button: QPushButton) -> None:
        """Show the one that can be pressed now; the focus of the other goes on to it."""
        former = self._slot.currentWidget()
        if former is None or former is button:
            return
        focused = focus.is_inside(former)
        self._slot.setCurrentWidget(button)
        if focused:
            button.setFocus(Qt.FocusReason.OtherFocusReason)

    def _try(self, name: str) -> None:
        """Look up what may have been meant; its button goes away with the message, so the field takes the focus."""
        self.focus()
        self.typed(name)

    def _look_up(self) -> None:
        popup = self._completer.popup()
        if popup:
            popup.hide()
        self._bridge.look_up(self.field.text())

    def _look_up_chosen(self) -> None:
        look_up = self._bridge.view.look_up
        if not look_up.running or look_up.text != self.field.text().strip():
            self._look_up()

    def _escape(self) -> None:
        look_up = self._bridge.view.look_up
        if look_up.running:
            self._bridge.cancel_look_up()
        elif look_up.error:
            self._bridge.dismiss_look_up_error()
        else:
            self.field.setText(spelled(self._model))
            self.field.setModified(False)
            self.field.selectAll()

    def _arrange(self) -> None:
        row = QHBoxLayout()
        row.setSpacing(em(self, 0.6))
        title = label("Model", "title")
        title.setBuddy(self.field)
        row.addWidget(title)
        row.addWidget(self.field, 3)
        row.addWidget(self._slot)
        row.addWidget(self._told(), 2)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(em(self, 0.8), em(self, 0.5), em(self, 0.8), em(self, 0.5))
        layout.setSpacing(em(self, 0.3))
        layout.addLayout(row)
        layout.addWidget(self.message)
        self.busy.hide()
        self.message.hide()

    def _told(self) -> QWidget:
        """What is told beside the button. Its width does not follow its words, so that nothing else moves."""
        told = QWidget()
        told.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        row = QHBoxLayout(told)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(em(self, 0.6))
        for part in (self.busy, self.chip):
            row.addWidget(part)
        row.addWidget(self.state, 1)
        return told


class _Field(QLineEdit):
    """A line that says when Esc was pressed."""

    escaped = Signal()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Esc is the bar's."""
        if event.key() == Qt.Key.Key_Escape:
            self.escaped.emit()
        elif undoes(event) and not self.isModified():
            event.ignore()
        else:
            super().keyPressEvent(event)


def spelled(model: Model | None) -> str:
    """What to type to get this model again, but for its revision."""
    return (model.path or model.id) if model else ""


def described(model: Model) -> str:
    """The file that was read, its revision and the day."""
    revision = f"revision {model.revision[:7]}" if model.revision else ""
    day = f"looked up {model.looked_up[:10]}" if model.looked_up else ""
    return " · ".join(part for part in (model.where.split("@")[0], revision, day) if part)
