"""packaging/dev.sh as far as it goes without installing anything."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.packaging.scripts import PACKAGING

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="packaging/dev.ps1 is the one for Windows")


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["/bin/sh", str(PACKAGING / "dev.sh"), *arguments],
        capture_output=True,
        text=True,
        check=False,
        env={"PATH": os.environ["PATH"], **environment},
    )


def test_without_a_command_it_explains_itself() -> None:
    done = run()
    assert done.returncode == 2
    assert "sh packaging/dev.sh run" in done.stdout


def test_an_old_python_is_named_in_one_line(tmp_path: Path) -> None:
    old = tmp_path / "python3"
    old.write_text("#!/bin/sh\nexit 1\n", encoding="utf-8")
    old.chmod(0o755)
    done = run("run", KVDESK_PYTHON=str(old), KVDESK_VENV=str(tmp_path / "venv"))
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == f"kvdesk: KVDESK_PYTHON={old} is not Python 3.11 or newer."


def test_no_python_at_all_is_told_with_the_remedy(tmp_path: Path) -> None:
    tools = tmp_path / "bin"
    tools.mkdir()
    for tool in ("dirname", "uname", "id", "cat", "cksum", "printf", "ldconfig", "awk"):
        found = next(
            (p for p in (Path("/usr/bin") / tool, Path("/bin") / tool, Path("/sbin") / tool) if p.exists()), None
        )
        if found:
            (tools / tool).symlink_to(found)
    done = run("run", PATH=str(tools), KVDESK_VENV=str(tmp_path / "venv"))
    assert done.returncode == 1
    assert "Python 3.11 or newer is missing" in done.stderr.splitlines()[-1]
