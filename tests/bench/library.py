"""The library: many configs x accelerators x contexts, and the largest context that fits."""

import statistics
import time
import tracemalloc
from collections.abc import Iterator
from dataclasses import replace

from kvdesk.app import lookup
from kvdesk.app.derive import Deriver
from kvdesk.app.session import GpuChoice, Session
from kvdesk.catalogue import accelerators
from kvdesk.core.growth import Growth, Term
from kvdesk.hub import config_file
from tests.bench.measure import Row, milliseconds
from tests.bench.start import CONFIG

CONTEXTS = tuple(round(256 * 2 ** (i / 6)) for i in range(64))


def _grid(configs: int, devices: int, contexts: int) -> float:
    """Seconds of processor time of a grid: read each config, answer each device, fill each pool at each context."""
    model = lookup.load_path(CONFIG)
    gpus = [GpuChoice(gpu=device) for device in accelerators.ids() if accelerators.find(device).vendor][:devices]
    data = CONFIG.read_bytes()
    deriver = Deriver()
    deriver.derive(Session(model=model, gpus=tuple(gpus)))  # reads the catalogue
    begun = time.process_time()
    for _ in range(configs):
        fresh = replace(model, config=config_file.parse(data))
        sizing = deriver.derive(Session(model=fresh, gpus=tuple(gpus), weights_bytes=16_060_522_496))
        sizes: dict[int, tuple[int, ...]] = {}
        for answer in (option.answer for option in sizing.options if option.answer):
            # GPU options of one layout share the growth of a sequence, and so its values.
            growth = answer.allocated
            if id(growth) not in sizes:
                sizes[id(growth)] = growth.over(CONTEXTS[:contexts])
            _ = [answer.pool_bytes // size for size in sizes[id(growth)]]
    return time.process_time() - begun


def rows(runs: int) -> Iterator[Row]:
    """The whole grid, its growth in each factor, its memory, and the inverse."""
    whole = _grid(1000, 100, 64)
    yield Row(
        what="1,000 configs × 100 accelerators × 64 contexts",
        against="-",
        ours=f"{whole:.1f} s",
        theirs="-",
        ratio=None,
        goal="< 10 s",
        met=whole < 10,
    )
    shapes = {"": (40, 50, 32), "configs": (80, 50, 32), "accelerators": (40, 100, 32), "contexts": (40, 50, 64)}
    turns = [{factor: _grid(*shape) for factor, shape in shapes.items()} for _ in range(runs)]
    small, *twice = ((factor, statistics.median(turn[factor] for turn in turns)) for factor in shapes)
    for factor, seconds in twice:
        yield Row(
            what=f"the same grid, twice the {factor}",
            against="a grid of 40 × 50 × 32",
            ours=milliseconds(seconds),
            theirs=milliseconds(small[1]),
            ratio=seconds / small[1],
            goal="≤ 2.4 ×",
            met=seconds / small[1] <= 2.4,
        )
    yield _memory()
    yield _inverse()


def _memory() -> Row:
    tracemalloc.start()
    _grid(20, 20, 16)
    first = tracemalloc.get_traced_memory()[0]
    _grid(100, 20, 16)
    grown = tracemalloc.get_traced_memory()[0] - first
    tracemalloc.stop()
    return Row(
        what="memory kept after 100 more configs",
        against="-",
        ours=f"{grown / 1024:.0f} KiB",
        theirs="-",
        ratio=None,
        goal="< 256 KiB",
        met=grown < 256 * 1024,
    )


def _inverse() -> Row:
    growth = Growth.of(
        [
            Term(fixed=153_649_152),
            Term(unit=24_576, step=16, up=True),
            Term(unit=409_600, step=16, cap=17_407, up=True),
            Term(unit=584, step=4),
        ]
    )
    begun = time.perf_counter()
    for budget in range(10**9, 10**9 + 10_000):
        growth.largest(budget, 10_485_760)
    each = (time.perf_counter() - begun) / 10_000
    return Row(
        what="largest context that fits, four kinds of layer",
        against="-",
        ours=f"{each * 1e6:.0f} µs",
        theirs="-",
        ratio=None,
        goal="< 100 µs",
        met=each < 100e-6,
    )
