"""Writes what a build knows about itself: `build.json` for About and, for Windows, the version resource.

`python packaging/build_facts.py build` reads the version from kvdesk, the commit from git where there is one, and
the page of releases from KVDESK_HOME_PAGE.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

# PyInstaller's form of a VERSIONINFO resource; 040904B0 is US English in Unicode.
RESOURCE = """\
VSVersionInfo(
  ffi=FixedFileInfo(
    filevers={numbers}, prodvers={numbers}, mask=0x3f, flags=0x0, OS=0x40004, fileType=0x1, subtype=0x0
  ),
  kids=[
    StringFileInfo([StringTable("040904B0", [
      StringStruct("CompanyName", "The kvdesk authors"),
      StringStruct("FileDescription", "kvdesk"),
      StringStruct("FileVersion", "{version}"),
      StringStruct("InternalName", "kvdesk"),
      StringStruct("LegalCopyright", "MIT licence"),
      StringStruct("OriginalFilename", "kvdesk.exe"),
      StringStruct("ProductName", "kvdesk"),
      StringStruct("ProductVersion", "{version}"),
    ])]),
    VarFileInfo([VarStruct("Translation", [0x0409, 1200])]),
  ],
)
"""


def version() -> str:
    """The version as `kvdesk/__init__.py` has it, read without importing anything."""
    text = (ROOT / "kvdesk" / "__init__.py").read_text(encoding="utf-8")
    found = re.search(r'__version__ = "([0-9]+\.[0-9]+\.[0-9]+)"', text)
    if found is None:
        raise SystemExit("kvdesk/__init__.py has no version of three numbers")
    return found.group(1)


def commit() -> str:
    """The commit that is built, or nothing without git or outside its tree."""
    git = shutil.which("git")
    if git is None:
        return ""
    done = subprocess.run([git, "rev-parse", "HEAD"], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else ""


def main(folder: Path) -> None:
    """Writes both files into `folder`."""
    folder.mkdir(parents=True, exist_ok=True)
    facts = {"version": version(), "commit": commit(), "releases": os.environ.get("KVDESK_HOME_PAGE", "")}
    (folder / "build.json").write_text(json.dumps(facts, indent=1) + "\n", encoding="utf-8")
    numbers = (*map(int, facts["version"].split(".")), 0)
    resource = RESOURCE.format(numbers=numbers, version=facts["version"])
    (folder / "version_info.txt").write_text(resource, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
