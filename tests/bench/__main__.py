"""Run the bench and print its table as Markdown.

python -m tests.bench [--runs N] [--only start,look_up,window,library,report,sizes]
"""

import argparse
import importlib
import platform
from collections.abc import Iterator
from pathlib import Path

from tests.bench.measure import Row

PARTS = ("start", "look_up", "window", "library", "report", "sizes")


def main() -> int:
    """Print a row as soon as it is measured; 1 where a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=7)
    parser.add_argument("--only", default=",".join(PARTS))
    arguments = parser.parse_args()
    print(f"{_machine()}, Python {platform.python_version()}, medians of {arguments.runs} runs\n")
    print("| what | against | kvdesk | other | ratio | goal | |\n|---|---|---:|---:|---:|---|---|")
    missed = 0
    for found in _rows(arguments.only.split(","), arguments.runs):
        ratio = f"{found.ratio:.2f} ×" if found.ratio is not None else "-"
        mark = {True: "met", False: "**missed**", None: ""}[found.met]
        cells = (found.what, found.against, found.ours, found.theirs, ratio, found.goal, mark)
        print(f"| {' | '.join(cells)} |", flush=True)
        missed += found.met is False
    return int(missed > 0)


def _rows(parts: list[str], runs: int) -> Iterator[Row]:
    for part in parts:
        yield from importlib.import_module(f"tests.bench.{part}").rows(runs)


def _machine() -> str:
    """The processor's name and the number of cores."""
    info = Path("/proc/cpuinfo")
    if not info.exists():
        return platform.processor() or platform.machine()
    lines = info.read_text(encoding="utf-8").splitlines()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return f"{names[0] if names else platform.machine()} × {len(names) or 1}"


if __name__ == "__main__":
    raise SystemExit(main())
