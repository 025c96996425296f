"""Many look-ups in one process against a loopback Hub that fails at random: memory, threads and files stay flat.

    python tests/fuzz/look_ups.py [N]

Prints a line every tenth of the way; exit status 1 where the second half grew.
"""

import random
import resource
import sys
import tempfile
import threading
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from kvdesk.core.errors import KvdeskError
from kvdesk.hub import client
from kvdesk.hub.cancel import Cancel
from kvdesk.hub.client.settings import Settings
from kvdesk.hub.refs import HubRef
from tests.support.fake_hub import FakeHub, Reply, Request, safetensors, serve

REPOSITORIES = 20
ALLOWED_GROWTH = 8
"""MiB that the second half may add: the allocator's own swings."""


def fill(hub: FakeHub) -> None:
    """Repositories of 300 tensors each."""
    header, size = safetensors({f"model.layers.{i}.w": ("BF16", (64, 64), 8192) for i in range(300)})
    for number in range(REPOSITORIES):
        files = {"config.json": {"model_type": "llama", "number": number}, "model.safetensors": header}
        hub.add(f"org/model{number}", files, sizes={"model.safetensors": size})


def failing(rng: random.Random, request: Request) -> Reply | None:
    """One request in eight fails, in four ways."""
    dice = rng.random()
    if dice < 0.05:
        return Reply(status=503)
    if dice < 0.08:
        return Reply(raw=b"")
    if dice < 0.10:
        return Reply(status=404)
    return Reply(body=b"{}", cut=1, headers={"Content-Length": "9"}) if dice < 0.12 else None


def usage() -> tuple[int, int, int]:
    """MiB at most so far, threads, open files (0 where the system does not say)."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    opened = Path("/proc/self/fd")
    files = len(list(opened.iterdir())) if opened.is_dir() else 0
    return peak, threading.active_count(), files


def main() -> None:
    """Look up, cancel every seventeenth, and watch."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    rng = random.Random(1)  # noqa: S311  # a repeatable sequence is wanted
    done = failed = 0
    marks: list[tuple[int, int, int]] = []
    with serve() as hub, tempfile.TemporaryDirectory() as folder:
        fill(hub)
        hub.fault = lambda request: failing(rng, request)
        settings = Settings(endpoint=hub.url, cache=Path(folder), read=0.5, total=2, backoff=0.01)
        for number in range(count + 1):
            hub.requests.clear()
            if number % (count // 10) == 0:
                marks.append(usage())
                peak, threads, files = marks[-1]
                print(f"{number}: {peak} MiB, {threads} threads, {files} files; {done} done, {failed} failed")  # noqa: T201  # a report
            cancel = Cancel()
            if number % 17 == 0:
                threading.Timer(0.002, cancel.set).start()
            try:
                client.look_up(HubRef(f"org/model{number % REPOSITORIES}"), settings=settings, cancel=cancel)
                done += 1
            except KvdeskError:
                failed += 1
    if marks[-1][0] - marks[5][0] > ALLOWED_GROWTH or marks[-1][2] > marks[5][2] + 8:
        sys.exit(1)


if __name__ == "__main__":
    main()
