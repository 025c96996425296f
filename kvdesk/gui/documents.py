"""The file that the window works on, and the autosave beside the settings."""

import os
import sys
from pathlib import Path

from PySide6.QtCore import QStandardPaths, QTimer

from kvdesk.app import scenarios
from kvdesk.app.store import Store
from kvdesk.app.workspace import Workspace
from kvdesk.core.errors import KvdeskError
from kvdesk.gui.settings import Settings

AUTOSAVE_MS = 2000
_QUERY_LIMITED_INFORMATION = 0x1000
"""PROCESS_QUERY_LIMITED_INFORMATION of Windows."""


class Documents:
    """Knows the present file; keeps an autosave while there is unsaved work."""

    def __init__(self, store: Store, settings: Settings) -> None:
        self.path: Path | None = None
        self.report: dict[str, str] = {}
        """What the form of the report was given last, by its fields; kept while the window is open."""
        self._store = store
        self._settings = settings
        folder = QStandardPaths.writableLocation(QStandardPaths.StandardLocation.AppLocalDataLocation)
        self._autosave = scenarios.Autosave(Path(folder), os.getpid())
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
        self.path = path
        self._settings.keep_text("files/folder", str(path.parent))

    def saved(self, path: Path, workspace: Workspace) -> None:
        """The workspace was written to `path`."""
        self.opened(path)
        self._store.mark_saved(workspace)
        self._autosave.forget()

    def keep(self) -> None:
        """Write the autosave if there is unsaved work; a disk that refuses is remembered, not shown each time."""
        self._timer.stop()
        if not self._store.modified:
            return
        try:
            self._autosave.keep(self._store.workspace)
        except KvdeskError as error:
            self.failure = error

    def recoverable(self) -> Path | None:
        """What an earlier window left unsaved, by an orderly end or not."""
        return self._autosave.left_behind(is_running)

    def close(self) -> None:
        """An orderly end: work that is not saved anywhere is kept for the next start."""
        self._timer.stop()
        if self._store.modified:
            self.keep()
        else:
            self._autosave.forget()

    def _changed(self) -> None:
        if self._store.modified:
            self._timer.start()


def is_running(process: int) -> bool:
    """Whether a process of that number exists; one of another user counts."""
    if sys.platform == "win32":
        return _is_running_on_windows(process)
    try:
        os.kill(process, 0)  # signal 0 only asks
    except (ProcessLookupError, OverflowError):
        return False
    except PermissionError:
        return True
    return True


def _is_running_on_windows(process: int) -> bool:
    import ctypes

    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009  # only there on Windows, where the checks do not run
    handle = kernel.OpenProcess(_QUERY_LIMITED_INFORMATION, False, process)
    if handle:
        kernel.CloseHandle(handle)
    return bool(handle)
