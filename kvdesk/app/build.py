"""What this build says about itself: its commit, where releases are found, and the licences of what came along.

An installed program carries `build.json` and `licences/` among its resources (packaging/build_facts.py and
packaging/licences.py write them); a source tree and a wheel have neither.
"""

import json

from kvdesk import __version__, resources
from kvdesk.core.values import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Build:
    """`commit` and `releases` (an https address) are empty where they are not known."""

    version: str = __version__
    commit: str = ""
    releases: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A library that came along, its licence's name, and the texts by their place below `licences/`."""

    name: str
    version: str
    licence: str
    files: tuple[str, ...]


def build() -> Build:
    """Facts of this very build."""
    try:
        facts = json.loads(resources.read_text("build.json"))
    except FileNotFoundError:
        return Build()
    releases = str(facts["releases"])
    return Build(commit=str(facts["commit"]), releases=releases if releases.startswith("https://") else "")


def parts() -> tuple[Part, ...]:
    """Everything that an installed program brings along; nothing in a source tree."""
    try:
        index = json.loads(resources.read_text("licences/index.json"))
    except FileNotFoundError:
        return ()
    return tuple(
        Part(name=part["name"], version=part["version"], licence=part["licence"], files=tuple(part["files"]))
        for part in index
    )


def licence_text(part: Part) -> str:
    """All texts of a part, one after the other."""
    return "\n\n".join(
        resources.path(f"licences/{file}").read_text(encoding="utf-8", errors="replace") for file in part.files
    )
