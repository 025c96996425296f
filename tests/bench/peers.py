"""The peers: other calculators from PyPI, in an environment of their own that is made when the bench is run."""

import subprocess
import sys
from pathlib import Path

from tests.bench.measure import ROOT

FOLDER = ROOT / ".dev" / "bench-peers"
PACKAGES = ("hf-mem==0.5.6", "kvfit==0.3.0", "vramscout==0.7.0")


def commands() -> dict[str, Path]:
    """The installed peers by name; empty where they cannot be installed."""
    bin_folder = FOLDER / ("Scripts" if sys.platform == "win32" else "bin")
    if not (bin_folder / "python").exists():
        subprocess.run([sys.executable, "-m", "venv", str(FOLDER)], check=True)
    found = subprocess.run(
        [str(bin_folder / "python"), "-m", "pip", "install", "-q", *PACKAGES], check=False, capture_output=True
    )
    if found.returncode:
        return {}
    return {name: bin_folder / name for name in ("hf-mem", "kvfit", "vramscout") if (bin_folder / name).exists()}
