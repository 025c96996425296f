"""Type-ahead of the model field: recent models, the offline catalogue, and the Hub's own search."""

from PySide6.QtCore import QTimer

from kvdesk.app import account
from kvdesk.catalogue import models
from kvdesk.gui.bridge import Bridge
from kvdesk.gui.panels.model.bar import ModelBar
from kvdesk.gui.settings import Settings

CHANNEL = "suggestions"
PAUSE_MS = 300
"""The Hub is asked only once typing pauses."""


class Names:
    """Feeds the field; a Hub that cannot be reached only means fewer suggestions."""

    def __init__(self, bridge: Bridge, settings: Settings, bar: ModelBar) -> None:
        self._bridge = bridge
        self._settings = settings
        self._bar = bar
        self._catalogue: tuple[str, ...] = ()
        self._found: tuple[str, ...] = ()
        self._pause = QTimer(bar)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self._ask)
        bar.field.textEdited.connect(lambda _: self._pause.start())
        QTimer.singleShot(0, bar, self.refresh)

    def refresh(self) -> None:
        """Offer what is known now."""
        self._catalogue = self._catalogue or models.names()
        recent = [entry.split("\t")[0] for entry in self._settings.recents]
        self._bar.show_names(list(dict.fromkeys([*recent, *self._catalogue, *self._found])))

    def _ask(self) -> None:
        text = self._bar.field.text().strip()
        if len(text) < 3 or text.startswith(("/", ".", "http", "~")) or "@" in text:
            return
        self._bridge.jobs.start(
            CHANNEL, lambda cancel: account.suggestions(text, cancel), self._arrived, lambda _error: None
        )

    def _arrived(self, found: tuple[str, ...]) -> None:
        self._found = found
        self.refresh()
        if self._bar.field.hasFocus() and found and not self._bridge.view.look_up.running:
            self._bar.complete()
