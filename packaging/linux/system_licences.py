"""Adds the licences of the system's libraries that a Linux build took along to those of the Python packages.

`python packaging/linux/system_licences.py dist/kvdesk` looks each library at the top of `_internal` up in the packages
of this Debian or Ubuntu and copies its copyright file. A library of no package and of no wheel is an error.
"""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

# Came with a wheel or with Python, whose licences are listed already.
LISTED = re.compile(r"lib(Qt6|icu|pyside6|shiboken6|python|scipy_openblas|gfortran|quadmath)")


def installed() -> dict[str, Path]:
    """Where the loader finds each soname."""
    told = subprocess.run(["/sbin/ldconfig", "-p"], capture_output=True, text=True, check=True).stdout
    return {name: Path(place) for name, place in reversed(re.findall(r"^\s+(\S+) .*=> (\S+)$", told, re.MULTILINE))}


def package_of(library: Path) -> tuple[str, str]:
    """Name and version of the package that a file belongs to."""
    for place in (library, library.resolve(), Path("/usr") / library.relative_to("/")):
        told = subprocess.run(["dpkg-query", "--search", str(place)], capture_output=True, text=True, check=False)
        if told.returncode == 0:
            name = told.stdout.partition(":")[0]
            shown = subprocess.run(
                ["dpkg-query", "--show", "--showformat=${Version}\n", name], capture_output=True, text=True, check=True
            )
            return name, shown.stdout.splitlines()[0]
    raise SystemExit(f"{library} belongs to no package")


def main(folder: Path) -> None:
    """Copy the copyright files and add a line for each package to the index."""
    internal = folder / "_internal"
    licences = internal / "kvdesk" / "_resources" / "licences"
    places = installed()
    names = {file.name for file in internal.glob("lib*.so*") if not LISTED.match(file.name)}
    unknown = names - places.keys()
    if unknown:
        raise SystemExit(f"not a library of this system: {' '.join(sorted(unknown))}")
    index = json.loads((licences / "index.json").read_text(encoding="utf-8"))
    known = {part["name"] for part in index}
    for name, version in sorted({package_of(places[soname]) for soname in names}):
        if name not in known:
            target = licences / f"{name}-{re.sub(r'[^0-9A-Za-z.+-]', '_', version)}"
            target.mkdir()
            shutil.copyfile(Path("/usr/share/doc") / name / "copyright", target / "copyright")
            files = [f"{target.name}/copyright"]
            index.append({"name": name, "version": version, "licence": "see its text", "home": "", "files": files})
    (licences / "index.json").write_text(json.dumps(index, indent=1) + "\n", encoding="utf-8")
    print(f"licences of {len(index)} parts with those of the system")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
