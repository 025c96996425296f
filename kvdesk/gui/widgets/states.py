"""The states of a panel: empty, loading, failed, and ready with its contents."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QProgressBar, QStackedLayout, QVBoxLayout, QWidget

from kvdesk.core.errors import KvdeskError
from kvdesk.gui.widgets.message import Message, Offer
from kvdesk.gui.widgets.text import em, label, set_text


class States(QWidget):
    """Shows `contents`, or says why there are none."""

    def __init__(self, contents: QWidget) -> None:
        super().__init__()
        self._message = Message()
        self._loading = label("", "muted")
        self._loading.setAlignment(Qt.AlignmentFlag.AlignCenter)
        self._stack = QStackedLayout(self)
        self._stack.addWidget(contents)
        self._stack.addWidget(_page(self._message))
        self._stack.addWidget(self._loading_page())
        self._said: object = None

    @property
    def ready(self) -> bool:
        """Whether the contents are shown."""
        return self._stack.currentIndex() == 0

    def show_ready(self) -> None:
        """The contents."""
        self._said = None
        self._stack.setCurrentIndex(0)

    def show_empty(self, title: str, text: str = "", offers: Sequence[Offer] = ()) -> None:
        """What to do first."""
        self._say((title, text), lambda: self._message.say(title, text, offers, icon="info"))

    def show_failed(self, error: KvdeskError, offers: Sequence[Offer] = ()) -> None:
        """What went wrong, why, what to do."""
        self._say(error, lambda: self._message.say_error(error, offers))

    def show_loading(self, text: str) -> None:
        """What is being done."""
        self._said = None
        set_text(self._loading, text)
        self._stack.setCurrentIndex(2)

    def _say(self, what: object, say: Callable[[], None]) -> None:
        if self._said != what:
            self._said = what
            say()
        self._stack.setCurrentIndex(1)

    def _loading_page(self) -> QWidget:
        bar = QProgressBar()
        bar.setRange(0, 0)
        bar.setTextVisible(False)
        bar.setMaximumWidth(em(self, 16))
        bar.setMaximumHeight(em(self, 0.5))
        page = QWidget()
        layout = QVBoxLayout(page)
        layout.addStretch(1)
        layout.addWidget(self._loading, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addWidget(bar, 0, Qt.AlignmentFlag.AlignHCenter)
        layout.addStretch(2)
        return page


def _page(message: Message) -> QWidget:
    page = QWidget()
    layout = QVBoxLayout(page)
    layout.addWidget(message)
    layout.addStretch(1)
    return page
