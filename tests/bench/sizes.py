"""Sizes: the wheel, the packages in dist/, and each part of the bundle there beside bare Qt.

A bare PySide6 program carries Python and Qt; what the bundle has beyond them is what kvdesk adds.
"""

import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from tests.bench.measure import ROOT, Row

MB = 1_000_000
GOAL = 60 * MB
BARE = ("PySide6", "shiboken6", "python", "base_library", "lib-dynload")
"""Parts that a bare PySide6 program has as well; shared libraries that lie beside them count as its own too."""
PACKAGES = ("*.deb", "*.rpm", "*.AppImage", "*.exe", "*.msi", "*.dmg", "*.zip")


def rows(_runs: int) -> Iterator[Row]:
    """The wheel, then what dist/ has."""
    yield _size("wheel", _wheel())
    for pattern in PACKAGES:
        for package in sorted((ROOT / "dist").glob(pattern)):
            yield _size(package.name, package.stat().st_size)
    bundle = ROOT / "dist" / "kvdesk"
    if bundle.is_dir():
        yield from _parts(bundle)


def _wheel() -> int:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        return next(Path(folder).glob("*.whl")).stat().st_size


def _parts(bundle: Path) -> Iterator[Row]:
    """The bundle beside its bare part, then each part of at least a megabyte."""
    sizes: defaultdict[str, int] = defaultdict(int)
    for file in bundle.rglob("*"):
        if file.is_file() and not file.is_symlink():
            inside = file.relative_to(bundle).parts
            sizes[inside[1] if inside[0] == "_internal" and len(inside) > 1 else inside[0]] += file.stat().st_size
    bare = sum(size for part, size in sizes.items() if part.startswith(("lib", *BARE)))
    whole = sum(sizes.values())
    yield Row(
        what="bundle, unpacked",
        against="its Python, Qt and system libraries",
        ours=_megabytes(whole),
        theirs=_megabytes(bare),
        ratio=whole / bare,
        goal="within 60 MB",
        met=whole - bare <= GOAL,
    )
    for part, size in sorted(sizes.items(), key=lambda item: -item[1]):
        if size >= MB:
            yield _size(f"bundle: {part}", size)


def _size(what: str, size: int) -> Row:
    return Row(what=what, against="-", ours=_megabytes(size), theirs="-", ratio=None, goal="-", met=None)


def _megabytes(size: int) -> str:
    return f"{size / MB:.1f} MB"
