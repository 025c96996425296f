"""Sign in to the Hub with a token."""

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QDialogButtonBox, QLineEdit, QWidget

from kvdesk.app import account
from kvdesk.core.errors import KvdeskError
from kvdesk.gui.bridge import Bridge
from kvdesk.gui.dialogs.plain import Buttons, PlainDialog
from kvdesk.gui.widgets.form import Form
from kvdesk.gui.widgets.text import comfortable, em, label

CHANNEL = "sign-in"
HELP = (
    "For a gated model, first open its page in a browser and accept its conditions. Then paste a token with read "
    "access from Settings, Access Tokens. It is kept where “hf auth login” keeps it, and goes to the Hub only."
)


class SignInDialog(PlainDialog):
    """Stays open until the Hub has accepted the token, and says in place what went wrong."""

    def __init__(self, parent: QWidget, bridge: Bridge) -> None:
        super().__init__(parent, "Sign in to the Hub", Buttons.Ok | Buttons.Cancel)
        self._bridge = bridge
        self.token = QLineEdit()
        self.token.setEchoMode(QLineEdit.EchoMode.Password)
        self.token.setPlaceholderText("hf_…")
        self.token.setAccessibleName("Token")
        self.token.setAccessibleDescription(HELP)
        comfortable(self.token)
        form = Form(reserve=False)
        form.add("Token", self.token)
        self.state = label("", "error", wrap=True)
        self.state.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.state.hide()
        self.body.addWidget(label(HELP, wrap=True))
        self.body.addWidget(form)
        self.body.addWidget(self.state)
        self.resize(em(self, 32), self.sizeHint().height())
        self.buttons.accepted.disconnect()
        self.buttons.accepted.connect(self._try)
        self.finished.connect(lambda _: bridge.jobs.cancel(CHANNEL))
        self._enable(on=True)
        self.token.setFocus()

    def _try(self) -> None:
        token = self.token.text()
        self._enable(on=False)
        self._bridge.jobs.start(CHANNEL, lambda cancel: account.sign_in(token, cancel), self._done, self._failed)

    def _done(self, _result: None) -> None:
        self.token.clear()
        self.accept()
        self._bridge.signed_in()

    def _failed(self, error: KvdeskError) -> None:
        self._enable(on=True)
        self.state.setText(str(error))
        self.state.show()
        self.token.setFocus()
        self.token.selectAll()

    def _enable(self, *, on: bool) -> None:
        self.token.setEnabled(on)
        button = self.buttons.button(QDialogButtonBox.StandardButton.Ok)
        button.setEnabled(on)
        button.setText("Sign in" if on else "Checking …")
