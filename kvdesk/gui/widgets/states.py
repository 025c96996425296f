"""The states of a panel: empty, loading, failed, and ready with its contents."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QProgressBar, QVBoxLayout, QWidget

from kvdesk.core.errors import KvdeskError
from kvdesk.gui.widgets.message import Message, Offer
from kvdesk.gui.widgets.text import em, label, set_text

NOT_COMPUTED = ("Not computed.", "The message at the top says why.")
"""What the other panels say while the verdict panel shows an error."""


class States(QWidget):
    """Shows `contents`, or says why there are none."""

    def __init__(self, contents: QWidget) -> None:
        super().__init__()
        self.message = Message()
        self._loading = label("", "muted")
        self._loading.setAlignment(Qt.AlignmentFlag.AlignCenter)
        # No stacked layout: one of these would not hand the height that wrapped text needs on to the layouts around.
        self._pages = (contents, _page(self.message), self._loading_page())
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        for page in self._pages:
            layout.addWidget(page)
        self._current = -1
        self._said: object = None
        self._turn_to(0)

    @property
    def ready(self) -> bool:
        """Whether the contents are shown."""
        return self._current == 0

    def show_ready(self) -> None:
        """The contents."""
        self._said = None
        self._turn_to(0)

    def show_empty(self, title: str, text: str = "", offers: Sequence[Offer] = ()) -> None:
        """What to do first."""
        self._say((title, text), lambda: self.message.say(title, text, offers, icon="info"))

    def show_failed(self, error: KvdeskError, offers: Sequence[Offer] = ()) -> None:
        """What went wrong, why, what to do."""
        self._say(error, lambda: self.message.say_error(error, offers))

    def show_loading(self, text: str) -> None:
        """What is being done."""
        self._said = None
        set_text(self._loading, text)
        self._turn_to(2)

    def _say(self, what: object, say: Callable[[], None]) -> None:
        if self._said != what:
            self._said = what
            say()
        self._turn_to(1)

    def _turn_to(self, index: int) -> None:
        if index != self._current:
            self._current = index
            for at, page in enumerate(self._pages):
                page.setVisible(at == index)

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
