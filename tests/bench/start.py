"""`kvdesk size` of a local config as a whole process, beside an empty interpreter and the peers."""

import sys
from collections.abc import Iterator
from pathlib import Path

from tests.bench import peers
from tests.bench.measure import Row, milliseconds, processes, row

CONFIG = Path(__file__).resolve().parents[1] / "fixtures" / "configs" / "meta-llama__Llama-3.1-8B-Instruct.json"
SIZE = (sys.executable, "-m", "kvdesk", "size", str(CONFIG), "--json")
EMPTY = (sys.executable, "-c", "pass")
GOAL = 5.0


def rows(runs: int) -> Iterator[Row]:
    """Processor time against `python -c pass`; time on the clock against the peers' own `--help`."""
    installed = peers.commands()
    helps = {name: [str(path), "--help"] for name, path in installed.items()}
    found = processes({"empty": EMPTY, "size": SIZE, **helps}, runs=runs)
    size = found["size"]
    yield row("kvdesk size of a local config, CPU", "python -c pass", size.cpu, found["empty"].cpu, GOAL)
    for name in helps:
        yield Row(
            what="kvdesk size of a local config, CPU",
            against=f"{name} --help",
            ours=milliseconds(size.cpu),
            theirs=milliseconds(found[name].cpu),
            ratio=size.cpu / found[name].cpu,
            goal="< 1 ×",
            met=size.cpu < found[name].cpu,
        )
