"""How the bench measures: medians of several fresh processes, or of several calls, taken in turns."""

import os
import resource
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One line of the table: what was measured, against what, both medians, the goal and whether it is met."""

    what: str
    against: str
    ours: str
    theirs: str
    ratio: float | None
    goal: str
    met: bool | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Medians of whole processes: seconds on the clock and seconds of processor time."""

    wall: float
    cpu: float


def environment(**more: str) -> dict[str, str]:
    """The environment of measured processes: compiled modules kept, no display, no network but the bench's own."""
    return {**os.environ, "PYTHONDONTWRITEBYTECODE": "", "QT_QPA_PLATFORM": "offscreen", **more}


def processes(
    commands: Mapping[str, Sequence[str]], *, runs: int, env: Mapping[str, str] | None = None, cwd: Path = ROOT
) -> dict[str, Cost]:
    """The cost of each command, all taken in turns so that a busy machine slows each alike."""
    walls: dict[str, list[float]] = {name: [] for name in commands}
    cpus: dict[str, list[float]] = {name: [] for name in commands}
    for run in range(runs + 1):
        for name, command in commands.items():
            wall, cpu = once(command, dict(env or environment()), cwd)
            if run:  # the first round only warms the file cache and the compiled modules
                walls[name].append(wall)
                cpus[name].append(cpu)
    return {n: Cost(wall=statistics.median(walls[n]), cpu=statistics.median(cpus[n])) for n in commands}


def once(command: Sequence[str], env: dict[str, str], cwd: Path = ROOT) -> tuple[float, float]:
    """Seconds on the clock and of processor time that one process takes; `RuntimeError` where it fails."""
    before, begun = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=120, check=False)
    wall, after = time.perf_counter() - begun, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise RuntimeError(f"{command[:4]} ended with {done.returncode}: {done.stderr[-400:]}")
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def printed(code: str, *, runs: int, env: Mapping[str, str] | None = None) -> list[float]:
    """The numbers that a Python program prints last, median of each over fresh processes."""
    return printed_in_turns(code, runs=runs, env=env)[0]


def printed_in_turns(*codes: str, runs: int, env: Mapping[str, str] | None = None) -> list[list[float]]:
    """The same of several programs that take turns, so that a busy machine slows each alike."""
    found: list[list[list[float]]] = [[] for _ in codes]
    for run in range(runs + 1):
        for index, code in enumerate(codes):
            numbers = _last_line(code, dict(env or environment()))
            if run:  # the first round only warms up
                found[index].append(numbers)
    return [[statistics.median(values) for values in zip(*columns, strict=True)] for columns in found]


def _last_line(code: str, env: dict[str, str]) -> list[float]:
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True, timeout=180, check=False)
    if done.returncode:
        raise RuntimeError(done.stderr[-1500:])
    return [float(word) for word in done.stdout.strip().splitlines()[-1].split()]


def calls(*functions: Callable[[], object], runs: int) -> list[float]:
    """Seconds of processor time of each function, medians, taken in turns after one warm-up each."""
    times: list[list[float]] = [[] for _ in functions]
    for run in range(runs + 1):
        for index, function in enumerate(functions):
            begun = time.process_time()
            function()
            if run:
                times[index].append(time.process_time() - begun)
    return [statistics.median(values) for values in times]


def milliseconds(seconds: float) -> str:
    """`0.0123` -> `"12.3 ms"`."""
    return f"{seconds * 1000:.1f} ms"


def row(what: str, against: str, ours: float, theirs: float, goal: float) -> Row:
    """A row of two times whose ratio must not exceed `goal`."""
    ratio = ours / theirs
    return Row(
        what=what,
        against=against,
        ours=milliseconds(ours),
        theirs=milliseconds(theirs),
        ratio=ratio,
        goal=f"≤ {goal:g} ×",
        met=ratio <= goal,
    )
