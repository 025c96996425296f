"""Where the files of `resources/` are, in a source tree, an installed wheel or a frozen bundle.

A wheel and a bundle carry the folder as `kvdesk/_resources`; a source tree has it beside the package.
"""

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def path(name: str) -> Path:
    """The file or folder `name` (forward slashes) of `resources/`; `FileNotFoundError` if there is none."""
    found = _root(_PACKAGE) / name
    if not found.exists():
        raise FileNotFoundError(f"kvdesk has no resource “{name}”: looked for {found}")
    return found


def read_text(name: str) -> str:
    """The UTF-8 text of the file `name` of `resources/`."""
    return path(name).read_text(encoding="utf-8")


def _root(package: Path) -> Path:
    bundled = package / "_resources"
    return bundled if bundled.is_dir() else package.parent / "resources"
