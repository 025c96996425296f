"""Gathers the licence texts of everything that the frozen program carries.

`python packaging/licences.py build/licences` writes one folder for each Python distribution that kvdesk needs at run
time, the texts that Qt asks for, the licence of the Python that freezes, and `index.json`, a list of
{name, version, licence, home, files} that About shows. A distribution without a licence text is an error unless
`TEXT_ELSEWHERE` says where its text is.
"""

import json
import shutil
import sys
import sysconfig
from importlib.metadata import Distribution, distribution
from pathlib import Path

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

TEXTS = Path(__file__).resolve().parent / "licences"
QT_TEXTS = ("Qt.txt", "LGPL-3.0.txt", "GPL-3.0.txt")
# The wheels carry no text of their own; theirs are in packaging/licences/.
TEXT_ELSEWHERE = {"pyside6-essentials": QT_TEXTS, "shiboken6": QT_TEXTS}
BUNDLED_BESIDE = {"pyinstaller"}  # its boot loader starts the program
# Needed by metadata only; packaging/kvdesk.spec leaves them out of the bundle.
NOT_BUNDLED = {"hf-xet", "kvdesk"}
LICENCE_NAMES = ("licen", "copying", "notice")


def closure(name: str) -> set[str]:
    """Names of the distributions that `name` needs on this system, itself included."""
    found: set[str] = set()
    todo = [canonicalize_name(name)]
    while todo:
        current = todo.pop()
        if current in found:
            continue
        found.add(current)
        for line in distribution(current).requires or ():
            needed = Requirement(line)
            if needed.marker is None or needed.marker.evaluate({"extra": ""}):
                todo.append(canonicalize_name(needed.name))
    return found


def fields(dist: Distribution, key: str) -> list[str]:
    """The values of one field of the metadata, by its JSON name; none where it is missing."""
    value = dist.metadata.json.get(key, [])
    return value if isinstance(value, list) else [value]


def licence(dist: Distribution) -> str:
    """The SPDX expression or free text of the metadata, else its trove classifiers."""
    for stated in fields(dist, "license_expression") + fields(dist, "license"):
        if "\n" not in stated:
            return stated
    classifiers = [name.rpartition(" :: ")[2] for name in fields(dist, "classifier") if name.startswith("License ::")]
    return ", ".join(classifiers) or "see its text"


def home(dist: Distribution) -> str:
    """The project's page: "Label, URL" in the newer of the two fields."""
    pages = fields(dist, "home_page") + fields(dist, "project_url")
    return pages[0].rpartition(" ")[2] if pages else ""


def texts(dist: Distribution) -> list[Path]:
    """The licence files in the distribution's own metadata folder."""
    return sorted(
        Path(str(dist.locate_file(file)))
        for file in dist.files or ()
        if file.parts[0].endswith(".dist-info") and file.name.lower().startswith(LICENCE_NAMES)
    )


def gather(name: str, folder: Path) -> dict[str, object]:
    """Copies the texts of one distribution into a folder of its own and returns its line of the index."""
    dist = distribution(name)
    sources = [TEXTS / text for text in TEXT_ELSEWHERE.get(name, ())] or texts(dist)
    if not sources:
        raise SystemExit(f"{name} {dist.version} carries no licence text")
    target = folder / f"{name}-{dist.version}"
    target.mkdir(parents=True)
    files = [_copy(source, target, folder) for source in sources]
    return {
        "name": dist.metadata["Name"],
        "version": dist.version,
        "licence": licence(dist),
        "home": home(dist),
        "files": files,
    }


def python_itself(folder: Path) -> dict[str, object]:
    """The licence of the interpreter that is frozen into the program."""
    version = ".".join(map(str, sys.version_info[:3]))
    target = folder / f"python-{version}"
    target.mkdir(parents=True)
    places = [Path(sysconfig.get_path("stdlib")) / "LICENSE.txt", Path(sys.base_prefix) / "LICENSE.txt"]
    places += [Path(f"/usr/share/doc/python{sys.version_info[0]}.{sys.version_info[1]}/copyright")]
    source = next((place for place in places if place.is_file()), None)
    if source is None:
        raise SystemExit("the licence text of this Python was not found")
    files = [_copy(source, target, folder)]
    return {
        "name": "Python",
        "version": version,
        "licence": "PSF-2.0",
        "home": "https://www.python.org",
        "files": files,
    }


def _copy(source: Path, target: Path, folder: Path) -> str:
    name, number = source.name, 1
    while (target / name).exists():
        number += 1
        name = f"{source.stem}-{number}{source.suffix}"
    shutil.copyfile(source, target / name)
    return (target / name).relative_to(folder).as_posix()


def main(folder: Path) -> None:
    """Writes all of it into `folder`, which is emptied first."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    names = sorted((closure("kvdesk") | BUNDLED_BESIDE) - NOT_BUNDLED)
    index = [gather(name, folder) for name in names] + [python_itself(folder)]
    (folder / "index.json").write_text(json.dumps(index, indent=1) + "\n", encoding="utf-8")
    print(f"licences of {len(index)} parts in {folder}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
