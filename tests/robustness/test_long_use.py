"""A short run of tests/fuzz/long_use.py in a process of its own."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[1] / "fuzz" / "long_use.py"


@pytest.mark.slow
def test_a_few_of_everything_in_one_process() -> None:
    short = ("--recomputes", "10", "--look-ups", "5", "--reports", "1", "--seconds", "3")
    done = subprocess.run([sys.executable, str(SCRIPT), *short], check=False, timeout=300, capture_output=True)
    told = done.stdout.decode("utf-8", "replace")
    assert "random use:" in told, done.stderr[-2000:]
    # So short a run still fills caches, so growth is not judged here; what nobody caught is.
    assert b"Traceback" not in done.stderr, done.stderr[-2000:]
    assert done.returncode in (0, 1)
