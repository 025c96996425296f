"""Sizes: the wheel, the packages in dist/, and the bundle there beside that of an untuned PySide6 hello world.

`sh packaging/freeze.sh` (and `packaging/linux/deb.sh`) make what is measured; the hello world is frozen here, by the
same PyInstaller from the same packages.
"""

import lzma
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tests.bench.measure import ROOT, Row

MB = 1_000_000
GOAL = 60 * MB
XZ_LEVEL = 6
"""As packaging/linux/deb.sh packs."""
PACKAGES = ("*.deb", "*.rpm", "*.AppImage", "*.exe", "*.msi", "*.dmg", "*.zip")
HELLO = """import sys
from PySide6.QtWidgets import QApplication, QLabel
application = QApplication(sys.argv)
label = QLabel("Hello, world")
label.show()
sys.exit(application.exec())
"""


def rows(_runs: int) -> Iterator[Row]:
    """The wheel, then what dist/ has."""
    yield _size("wheel", _wheel())
    packages = [package for pattern in PACKAGES for package in sorted((ROOT / "dist").glob(pattern))]
    for package in packages:
        yield _size(package.name, package.stat().st_size)
    bundle = ROOT / "dist" / "kvdesk"
    if bundle.is_dir():
        with tempfile.TemporaryDirectory() as folder:
            yield from _beside_hello(bundle, _hello(Path(folder)), packages)


def _wheel() -> int:
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", folder]
        subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
        return next(Path(folder).glob("*.whl")).stat().st_size


def _hello(folder: Path) -> Path:
    """The bundle of the hello world, made in `folder`."""
    (folder / "hello.py").write_text(HELLO, encoding="utf-8")
    scripts = ROOT / "build" / "venv" / ("Scripts" if sys.platform == "win32" else "bin")
    command = [str(scripts / "pyinstaller"), "--onedir", "--noconfirm", "hello.py"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder / "dist" / "hello"


def _beside_hello(bundle: Path, hello: Path, packages: list[Path]) -> Iterator[Row]:
    """Both unpacked, both packed, then each part of ours of at least a megabyte."""
    parts, bare = _parts(bundle), _parts(hello)
    yield _compared("bundle, unpacked", parts.total(), bare.total())
    installers = [package for package in packages if package.suffix == ".deb"]
    ours = installers[0].stat().st_size if installers else _packed(bundle, hello.parent)
    yield _compared(".deb" if installers else "bundle as .tar.xz", ours, _packed(hello, hello.parent), " as .tar.xz")
    for part, size in parts.most_common():
        if size >= MB:
            yield _size(f"bundle: {part}", size, bare[part])


def _parts(bundle: Path) -> Counter[str]:
    """Bytes by the first folder or file inside; the program and what is beside it in `_internal` count alike."""
    sizes: Counter[str] = Counter()
    for file in bundle.rglob("*"):
        if file.is_file() and not file.is_symlink():
            inside = file.relative_to(bundle).parts
            sizes[inside[1] if inside[0] == "_internal" and len(inside) > 1 else inside[0]] += file.stat().st_size
    return sizes


def _packed(bundle: Path, folder: Path) -> int:
    """Bytes of the bundle packed as a .deb packs it."""
    packed = folder / "packed.tar.xz"
    with lzma.open(packed, "wb", preset=XZ_LEVEL) as stream, tarfile.open(fileobj=stream, mode="w") as archive:
        archive.add(bundle, bundle.name)
    return packed.stat().st_size


def _compared(what: str, ours: int, theirs: int, how: str = "") -> Row:
    return Row(
        what=f"{what}: {_megabytes(ours - theirs)} more",
        against=f"PySide6 hello world, untuned{how}",
        ours=_megabytes(ours),
        theirs=_megabytes(theirs),
        ratio=ours / theirs,
        goal="within 60 MB",
        met=ours - theirs <= GOAL,
    )


def _size(what: str, size: int, hello: int = 0) -> Row:
    """A size without a goal; `hello` is that of the same part of the hello world."""
    against, theirs = ("hello world", _megabytes(hello)) if hello else ("-", "-")
    return Row(what=what, against=against, ours=_megabytes(size), theirs=theirs, ratio=None, goal="-", met=None)


def _megabytes(size: int) -> str:
    return f"{size / MB:.1f} MB"
