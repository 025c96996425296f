"""The states of a panel: empty, loading, failed, and ready with its contents."""

from collections.abc import Callable, Sequence

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QProgressBar, QVBoxLayout, QWidget

from kvdesk.core.errors import KvdeskError
from kvdesk.gui.widgets.message import Message, Offer
from kvdesk.gui.widgets.text import em, label, set_text
from kvdesk.gui.widgets.veil import Veil

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
        self.veil = Veil(contents)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        for page in (self._pages[1], contents, self._pages[2]):
            layout.addWidget(page)
        self._shown: tuple[int, ...] = ()
        self._said: object = None
        self._turn_to(0)

    @property
    def ready(self) -> bool:
        """Whether the contents are shown."""
        return self._shown == (0,)

    def show_ready(self, stale: str = "") -> None:
        """The contents; `stale` says that they are the last good result, which is greyed."""
        self._said = None
        self.veil.say(stale)
        self._turn_to(0)

    def show_empty(self, title: str, text: str = "", offers: Sequence[Offer] = ()) -> None:
        """What to do first."""
        self._say((title, text), lambda: self.message.say(title, text, offers, icon="info"))

    def show_failed(self, error: KvdeskError, offers: Sequence[Offer] = (), stale: str = "") -> None:
        """What went wrong, why, what to do; with `stale` the last good result stays below it, greyed."""
        self._say(error, lambda: self.message.say_error(error, offers), stale)

    def show_loading(self, text: str) -> None:
        """What is being done."""
        self._said = None
        set_text(self._loading, text)
        self._turn_to(2)

    def _say(self, what: object, say: Callable[[], None], stale: str = "") -> None:
        if self._said != what:
            self._said = what
            say()
        self.veil.say(stale)
        self._turn_to(*((0, 1) if stale else (1,)))

    def _turn_to(self, *shown: int) -> None:
        if shown != self._shown:
            self._shown = shown
            for at, page in enumerate(self._pages):
                page.setVisible(at in shown)

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
    layout.setContentsMargins(0, 0, 0, 0)
    layout.addWidget(message)
    layout.addStretch(1)
    return page
