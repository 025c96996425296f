"""A wheel carries the resources where kvdesk looks for them, and nothing else beside the package."""

import subprocess
import sys
import zipfile
from pathlib import Path

from tests.packaging.scripts import ROOT


def test_the_wheel_has_code_resources_and_licence(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("*.whl")
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.partition("/")[0].partition("-")[0] for name in names} == {"kvdesk"}
    assert {"kvdesk/py.typed", "kvdesk/cli/main.py", "kvdesk/_resources/icons/kvdesk.svg"} <= set(names)
    shipped = {name.removeprefix("kvdesk/_resources/") for name in names if name.startswith("kvdesk/_resources/")}
    kept = {
        path.relative_to(ROOT / "resources").as_posix() for path in (ROOT / "resources").rglob("*") if path.is_file()
    }
    assert shipped == kept
    assert any(name.endswith("licenses/LICENSE") for name in names)
