"""Mutations of everything that comes from outside: nothing but a `KvdeskError`, nothing slow, no absurd number.

    python tests/fuzz/all_mutations.py [--seconds S] [--count N] [--seed SEED] [--only PATTERN] [--keep FOLDER]

The readers: config.json as bytes and as geometry with parameters; sizings by every engine; headers of safetensors and
GGUF; the Hub's answers and kept look-ups; scenario files; start-up logs; lists of lengths; texts of options. Prints how
many mutations each reader took, how many it read and how many it refused, and its slowest. At the first fault the
mutation is printed, kept in FOLDER, and the exit status is 1.
"""

import argparse
import random
import re
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from kvdesk.core.errors import KvdeskError
from tests.fuzz import readers

SLOW = 2.0
"""Seconds of processor time that one reading may take."""
HANG = 60
"""Seconds after which a reading is given up and told."""


@dataclass(slots=True)
class Tally:
    """What one reader has met; `slowest` in seconds of processor time."""

    read: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    slowest: float = 0.0

    @property
    def tried(self) -> int:
        """Mutations in all."""
        return self.read + self.refused.total()


class Fault(Exception):
    """A mutation that did what none may."""

    def __init__(self, reader: str, mutation: object, why: str) -> None:
        super().__init__(f"{reader}: {why}")
        self.mutation = mutation


def attempt(reader: readers.Reader, rng: random.Random, tally: Tally) -> None:
    """One mutation through one reader. Raises `Fault`."""
    mutation = reader.mutate(rng)
    start = time.process_time()
    try:
        reader.read(mutation)
        tally.read += 1
    except KvdeskError as error:
        if not (error.code and error.title):
            raise Fault(reader.name, mutation, "a refusal without a word") from error
        tally.refused[error.code] += 1
    except Exception as error:
        raise Fault(reader.name, mutation, repr(error)[:300]) from error
    took = time.process_time() - start
    tally.slowest = max(tally.slowest, took)
    if took > SLOW:
        raise Fault(reader.name, mutation, f"{took:.1f} s")


def run(
    chosen: tuple[readers.Reader, ...],
    *,
    seed: int,
    more: Callable[[int], bool],
) -> dict[str, Tally]:
    """Readers by their weights in turn until `more` of the number tried says no."""
    rng = random.Random(seed)  # noqa: S311 - a repeatable sequence is wanted
    tallies = {reader.name: Tally() for reader in chosen}
    turns = [reader for reader in chosen for _ in range(reader.weight)]
    tried = 0
    with suppress(KeyboardInterrupt):  # what was tried until then counts
        while more(tried):
            rng.shuffle(turns)
            for reader in turns:
                attempt(reader, rng, tallies[reader.name])
            tried += len(turns)
    return tallies


def report(tallies: dict[str, Tally]) -> str:
    """A table."""
    lines = [f"{'reader':<18}{'tried':>12}{'read':>12}{'refused':>12}{'slowest':>10}"]
    for name, one in tallies.items():
        lines.append(f"{name:<18}{one.tried:>12,}{one.read:>12,}{one.tried - one.read:>12,}{one.slowest:>8.3f} s")
    return "\n".join([*lines, f"{'all':<18}{sum(one.tried for one in tallies.values()):>12,}"])


def _given_up(*_: Any) -> None:  # noqa: ANN401 - a signal's number and frame
    raise TimeoutError(f"no end after {HANG} s")


def main() -> int:
    """Run and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seconds", type=float, default=0)
    parser.add_argument("--count", type=int, default=0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    parser.add_argument("--keep", type=Path)
    arguments = parser.parse_args()
    chosen = tuple(reader for reader in readers.all_readers() if re.search(arguments.only, reader.name))
    end = time.monotonic() + (arguments.seconds or (0 if arguments.count else 60))
    told = time.monotonic()

    def more(tried: int) -> bool:
        nonlocal told
        if hasattr(signal, "alarm"):
            signal.alarm(HANG)
        if time.monotonic() - told > 60:
            told = time.monotonic()
            sys.stderr.write(f"{tried:,}\n")
        return tried < arguments.count or time.monotonic() < end

    if hasattr(signal, "alarm"):
        signal.signal(signal.SIGALRM, _given_up)
    try:
        tallies = run(chosen, seed=arguments.seed, more=more)
    except Fault as fault:
        sys.stderr.write(f"{fault}\n{str(fault.mutation)[:3000]!r}\n")
        if arguments.keep:
            (arguments.keep / "fault.txt").write_text(repr(fault.mutation), encoding="utf-8", errors="backslashreplace")
        raise
    sys.stdout.write(report(tallies) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
