"""The work since the last save, kept beside the settings so that it survives a crash."""

from pathlib import Path

from kvdesk.app.scenario_json import read_workspace, workspace_json
from kvdesk.app.scenarios import SUFFIX
from kvdesk.app.workspace import Workspace
from kvdesk.core.errors import KvdeskError
from kvdesk.core.values import dataclass
from kvdesk.files import lock, scenario_file

_DOCUMENT = "document"
_MOST = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Kept:
    """What an autosave holds: the work, and the scenario file that it was opened from or saved to last, if any."""

    workspace: Workspace
    document: Path | None = None


class Autosave:
    """One file for each running window, so that two of them never overwrite each other; gone after an orderly end.

    Who runs holds a lock beside the file. The number in its name keeps windows apart and says nothing more: a process
    that was killed keeps its number until its parent takes note, and later the number goes to another one.
    """

    def __init__(self, folder: Path, number: int) -> None:
        self._folder = folder
        self._number = number
        self._lock: lock.Lock | None = None

    @property
    def path(self) -> Path:
        """The file, which need not be there."""
        return self._folder / f"autosave-{self._number}{SUFFIX}"

    def keep(self, workspace: Workspace, document: Path | None = None) -> None:
        """Write the present work. Raises `KvdeskError`."""
        try:
            self._claim()
        except OSError as error:
            raise KvdeskError("cannot-write", f"“{self._folder}” cannot be used.", error.strerror or "") from error
        contents = workspace_json(workspace)
        scenario_file.write(self.path, {**contents, _DOCUMENT: str(document)} if document else contents)

    def forget(self) -> None:
        """The work was saved or given up."""
        if self._lock:
            self.release()
            remove(self.path)

    def release(self) -> None:
        """An orderly end that leaves the work for the next start."""
        if self._lock:
            self._lock.release()
            self._lock = None

    def left_behind(self) -> list[Path]:
        """Autosaves that no running window holds, the newest first."""
        own = self.path if self._lock else None
        found = [
            (path.stat().st_mtime, path)
            for path in self._folder.glob(f"autosave-*{SUFFIX}")
            if path != own and not lock.is_held(_lock_of(path))
        ]
        return [path for _, path in sorted(found, reverse=True)]

    def _claim(self) -> None:
        """Hold a file of one's own: not that of a running window, nor one that was left behind."""
        self._folder.mkdir(parents=True, exist_ok=True)
        for _ in range(_MOST):
            if self._lock:
                return
            held = lock.take(_lock_of(self.path))
            if held and not self.path.exists():
                self._lock = held
                return
            if held:
                held.release()
            self._number += 1
        raise OSError(None, "It holds too many autosaves.")


def read(path: Path) -> Kept:
    """The work of an autosave. Raises `SourceError`."""
    contents = scenario_file.read(path)
    document = contents.get(_DOCUMENT)
    known = Path(document) if isinstance(document, str) and document else None
    return Kept(workspace=read_workspace(contents), document=known)


def remove(path: Path) -> None:
    """An autosave that is of no more use."""
    path.unlink(missing_ok=True)
    _lock_of(path).unlink(missing_ok=True)


def _lock_of(path: Path) -> Path:
    return path.with_suffix(".lock")
