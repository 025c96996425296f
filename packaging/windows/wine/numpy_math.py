"""Makes numpy's Windows libraries load under wine, for a trial only: what comes out is never shipped.

`python numpy_math.py SITE_PACKAGES math.def` lets every library that uses complex functions ask
`kvdesk-trial-math-l1-1-0.dll` for them in place of the runtime's, and writes what that DLL has to export.
"""

import re
import sys
from pathlib import Path

import pefile

REAL = b"api-ms-win-crt-math-l1-1-0.dll"
TRIAL = b"kvdesk-trial-math-l1-1-0.dll\0\0"
PARTS = "creal|cimag|cabs|carg"
MAPS = "sin|cos|tan|sinh|cosh|tanh|exp|log|sqrt|asin|acos|atan|asinh|acosh|atanh|pow"
RUNTIME_HAS_NOT = re.compile(rf"({PARTS}|c({MAPS}))[fl]?$")


def math_imports(library: Path) -> set[str]:
    """Names that the library takes from the runtime's mathematics."""
    image = pefile.PE(data=library.read_bytes(), fast_load=True)
    image.parse_data_directories([pefile.DIRECTORY_ENTRY["IMAGE_DIRECTORY_ENTRY_IMPORT"]])
    found = [entry for entry in getattr(image, "DIRECTORY_ENTRY_IMPORT", []) if entry.dll.lower() in (REAL, TRIAL[:28])]
    return {symbol.name.decode() for entry in found for symbol in entry.imports}


def main(packages: Path, definitions: Path) -> None:
    """Patch the libraries and write the exports."""
    wanted: set[str] = set()
    for library in packages.glob("numpy/**/*.pyd"):
        names = math_imports(library)
        if any(RUNTIME_HAS_NOT.match(name) for name in names):
            wanted |= names
            library.write_bytes(library.read_bytes().replace(REAL, TRIAL))
    lines = [f"  {n} = {'k_' + n if RUNTIME_HAS_NOT.match(n) else 'ucrtbase.' + n}" for n in sorted(wanted)]
    definitions.write_text("LIBRARY kvdesk-trial-math-l1-1-0\nEXPORTS\n" + "\n".join(lines) + "\n", encoding="utf-8")
    print(f"{len(wanted)} functions, {sum('k_' in line for line in lines)} of them complex")


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
