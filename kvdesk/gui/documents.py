"""The file that the window works on, and the autosave beside the settings."""

import os
from pathlib import Path

from PySide6.QtCore import QStandardPaths, QTimer

from kvdesk.app.autosave import Autosave
from kvdesk.app.store import Store
from kvdesk.app.workspace import Workspace
from kvdesk.core.errors import KvdeskError
from kvdesk.gui.settings import Settings

AUTOSAVE_MS = 2000


class Documents:
    """Knows the present file; keeps an autosave while there is unsaved work."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self.path: Path | None = None
        self.recovered: Path | None = None
        """The file that recovered work was of; it is proposed for the next save, and never written without asking."""
        self.report: dict[str, str] = {}
        """What the form of the report was given last, by its fields; kept while the window is open."""
        self._store = store
        self._settings = settings
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppLocalDataLocation)
        self._autosave = Autosave(Path(folder), os.getpid())
        self._timer = QTimer()
        self._timer.setSingleShot(True)
        self._timer.setInterval(AUTOSAVE_MS)
        self._timer.timeout.connect(self.keep)
        self.failure: KvdeskError | None = None
        store.listen(self._changed)

    def folder(self) -> str:
        """Where file dialogs start."""
        kept = self._settings.text("files/folder")
        return kept if kept and Path(kept).is_dir() else str(Path.home())

    def opened(self, path: Path) -> None:
        """A scenario file was opened."""
        self.path, self.recovered = path, None
        self._settings.keep_text("files/folder", str(path.parent))

    def started(self, recovered: Path | None = None) -> None:
        """Work that is in no file yet; `recovered` is the one that it was of before a crash."""
        self.path, self.recovered = None, recovered

    @property
    def name(self) -> str:
        """What to call the work by its file, "" where it has none."""
        path = self.path or self.recovered
        return path.name if path else ""

    def saved(self, path: Path, workspace: Workspace) -> None:
        """The workspace was written to `path`."""
        self.opened(path)
        self._store.mark_saved(workspace)
        self._autosave.forget()

    def keep(self) -> bool:
        """Write the autosave if there is unsaved work; whether all is kept or saved.

        A disk that refuses is remembered, not shown each time.
        """
        self._timer.stop()
        if not self._store.modified:
            return True
        try:
            self._autosave.keep(self._store.workspace, self.path or self.recovered)
        except KvdeskError as error:
            self.failure = error
            return False
        return True

    def recoverable(self) -> list[Path]:
        """What earlier windows left unsaved, by an orderly end or not, the newest first."""
        return self._autosave.left_behind()

    def close(self) -> None:
        """An orderly end: work that is not saved anywhere is kept for the next start."""
        self._timer.stop()
        if self._store.modified:
            self.keep()
            self._autosave.release()
        else:
            self._autosave.forget()

    def _changed(self) -> None:
        # Not started anew by each step: whoever goes on without a pause loses no more either.
        if self._store.modified and not self._timer.isActive():
            self._timer.start()
