"""Workspaces in files, and the autosave that survives a crash."""

from collections.abc import Callable
from pathlib import Path

from kvdesk.app.scenario_json import read_workspace, workspace_json
from kvdesk.app.workspace import Workspace
from kvdesk.core.errors import KvdeskError
from kvdesk.core.values import replace
from kvdesk.files import scenario_file

SUFFIX = scenario_file.SUFFIX
is_scenario = scenario_file.is_scenario


def read(path: Path) -> Workspace:
    """The workspace of a scenario file. Raises `SourceError`."""
    return read_workspace(scenario_file.read(path))


def opened(path: Path) -> Workspace:
    """The same, where a model that came from a local file is named by the scenario file from now on.

    Where it came from is not written there, since scenario files are mailed; this one holds it whole. Of several such
    models none is named so.
    """
    workspace = read(path)
    here = workspace.session.model
    local = {id(s.session.model) for s in workspace.scenarios if s.session.model and s.session.model.origin == "file"}
    if here is None or local != {id(here)}:
        return workspace
    named = replace(here, path=str(path.resolve()))
    scenarios = (
        replace(s, session=replace(s.session, model=named)) if s.session.model is here else s
        for s in workspace.scenarios
    )
    return replace(workspace, scenarios=tuple(scenarios))


def write(path: Path, workspace: Workspace) -> None:
    """Write the workspace, whole or not at all. Raises `KvdeskError` (`cannot-write`)."""
    scenario_file.write(path, workspace_json(workspace))


class Autosave:
    """One file beside the settings that holds the work since the last save; gone after an orderly end.

    Each running window has a file of its own, so that two of them never overwrite each other; what is left behind by a
    process that is no more can be recovered.
    """

    def __init__(self, folder: Path, process: int) -> None:
        self._folder = folder
        self._path = folder / f"autosave-{process}{SUFFIX}"

    def keep(self, workspace: Workspace) -> None:
        """Write the present work. Raises `KvdeskError`."""
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise KvdeskError("cannot-write", f"“{self._folder}” cannot be made.", error.strerror or "") from error
        write(self._path, workspace)

    def forget(self) -> None:
        """The work was saved or given up."""
        self._path.unlink(missing_ok=True)

    def left_behind(self, is_running: Callable[[int], bool]) -> Path | None:
        """The newest autosave of a process that does not run any more; None where there is none."""
        found = [path for path in self._folder.glob(f"autosave-*{SUFFIX}") if self._is_left(path, is_running)]
        return max(found, key=lambda path: path.stat().st_mtime, default=None)

    def _is_left(self, path: Path, is_running: Callable[[int], bool]) -> bool:
        number = path.stem.rpartition("-")[2]
        return path != self._path and number.isascii() and number.isdigit() and not is_running(int(number))
