"""What is pinned is pinned whole: packages by hash, actions by commit."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.packaging.scripts import PACKAGING, ROOT

LISTS = sorted((PACKAGING / "requirements").glob("*.txt"))
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def name(path: Path) -> str:
    return path.stem


def pinned(path: Path) -> dict[tuple[str, str], str]:
    """(name, marker) -> version of each entry."""
    entries: dict[tuple[str, str], str] = {}
    text = re.sub(r"\\\n", " ", path.read_text(encoding="utf-8"))
    for line in text.splitlines():
        if line and not line.startswith((" ", "#")):
            requirement = Requirement(line.split(" --hash=", 1)[0].strip())
            entries[canonicalize_name(requirement.name), str(requirement.marker or "")] = str(requirement.specifier)
    return entries


@pytest.mark.parametrize("path", LISTS, ids=name)
def test_every_package_has_one_version_and_hashes(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert "://" not in text
    for entry in re.split(r"\n(?=[a-zA-Z0-9])", text)[1:]:
        assert re.match(r"[a-z0-9.-]+==\S+", entry), entry[:60]
        assert re.search(r"--hash=sha256:[0-9a-f]{64}", entry), entry[:60]


@pytest.mark.parametrize("path", LISTS, ids=name)
def test_each_list_holds_the_runtime_list(path: Path) -> None:
    if path.stem != "run":
        runtime = pinned(PACKAGING / "requirements" / "run.txt")
        held = pinned(path)
        # Another list may need a package on more systems, never in another version.
        assert {package for package, _ in runtime} <= {package for package, _ in held}
        for (package, marker), version in runtime.items():
            assert held.get((package, marker), version) == version


def test_the_lists_fit_the_project() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    versions: dict[str, set[str]] = {}
    for (package, _), version in pinned(PACKAGING / "requirements" / "run.txt").items():
        versions.setdefault(package, set()).add(version.removeprefix("=="))
    for line in project["dependencies"]:
        wanted = Requirement(line)
        assert any(wanted.specifier.contains(version) for version in versions[canonicalize_name(wanted.name)]), line


@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_actions_are_pinned_by_commit_with_their_version_beside(path: Path) -> None:
    uses = re.findall(r"uses: (.+)", path.read_text(encoding="utf-8"))
    assert uses
    for use in uses:
        assert re.fullmatch(r"[\w.-]+/[\w.-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", use), use


@pytest.mark.parametrize("path", WORKFLOWS, ids=name)
def test_workflows_begin_without_permissions(path: Path) -> None:
    assert "\npermissions: {}\n" in path.read_text(encoding="utf-8")
