"""Type-ahead of the model field: recent models, the offline catalogue, and the Hub's own search."""

import re

from PySide6.QtCore import QTimer

from kvdesk.app import account
from kvdesk.catalogue import models
from kvdesk.gui.bridge import Bridge
from kvdesk.gui.panels.model.bar import ModelBar
from kvdesk.gui.settings import Settings

CHANNEL = "suggestions"
PAUSE_MS = 300
"""The Hub is asked only once typing pauses."""


_PART_OF_AN_ID = re.compile(r"[A-Za-z0-9][\w.-]{1,95}(?:/[\w.-]{0,95})?", re.ASCII)


def may_be_asked(text: str) -> bool:
    """Whether a text may go to the Hub's search: a part of an id, never a path, and never what could be a token."""
    return len(text) >= 3 and _PART_OF_AN_ID.fullmatch(text) is not None and "hf_" not in text.lower()


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
        bar.field.returnPressed.connect(self.stop)
        QTimer.singleShot(0, bar, self.refresh)

    def refresh(self) -> None:
        """Offer what is known now."""
        self._catalogue = self._catalogue or models.names()
        recent = [entry.split("\t")[0] for entry in self._settings.recents]
        self._bar.show_names(list(dict.fromkeys([*recent, *self._catalogue, *self._found])))

    def stop(self) -> None:
        """Typing is over: what the Hub would find is of no more use."""
        self._pause.stop()
        self._bridge.jobs.cancel(CHANNEL)

    def _ask(self) -> None:
        text = self._bar.field.text().strip()
        if not may_be_asked(text):
            return
        self._bridge.jobs.start(
            CHANNEL, lambda cancel: account.suggestions(text, cancel), self._arrived, lambda _error: None
        )

    def _arrived(self, found: tuple[str, ...]) -> None:
        self._found = found
        self.refresh()
        if self._bar.field.hasFocus() and found and not self._bridge.view.look_up.running:
            self._bar.complete()
