"""Workspaces in files."""

from pathlib import Path

from kvdesk.app.scenario_json import read_workspace, workspace_json
from kvdesk.app.workspace import Workspace
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
