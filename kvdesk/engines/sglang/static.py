"""The default of `mem_fraction_static`: which part of the free memory weights and pools may take.

Source: SGLang 0.5.23 `arg_groups/memory_hook.py` `handle_gpu_memory_settings`. Worked examples (MiB):

>>> def of(memory, tp=1, mla=False):
...     return default_fraction(Machine(memory_mib=memory, tp=tp, pp=1, mla=mla))
>>> of(81_559)            # H100: 512 + 1.5 x 8,192 + 128 + 2 x 256 + 8 x 58 = 13,904
0.83
>>> of(81_559, tp=8), of(81_559, tp=8, mla=True), of(24_564)
(0.812, 0.799, 0.704)
"""

from kvdesk.core.values import dataclass
from kvdesk.engines.sglang import constants
from kvdesk.engines.writing import number


@dataclass(frozen=True, slots=True, kw_only=True)
class Machine:
    """What the rule looks at. `attention_dp` is the number of attention replicas inside the `tp` group, 1 for none.

    `chunked_prefill` and `graph_batch` None mean the default of the memory class. `vision` is layers x hidden size^2 of
    the vision tower, 0 without one.
    """

    memory_mib: int
    tp: int
    pp: int
    mla: bool
    attention_dp: int = 1
    chunked_prefill: int | None = None
    graph_batch: int | None = None
    graphs: bool = True
    deepep: bool = False
    vision: int = 0


def memory_class(memory_mib: int) -> constants.MemoryClass:
    """The class of a device by the memory that nvidia-smi reports."""
    return next(c for c in constants.CLASSES if memory_mib < c.below_mib)


def chunk(machine: Machine) -> int:
    """Tokens of one prefill step."""
    return machine.chunked_prefill or memory_class(machine.memory_mib).chunked_prefill


def graph_batch(machine: Machine) -> int:
    """The largest decode batch that is captured."""
    of_class = memory_class(machine.memory_mib)
    return machine.graph_batch or (of_class.graph_batch if machine.tp < 4 else of_class.graph_batch_tp4)


def reserved_mib(machine: Machine) -> float:
    """MiB kept for activations and graphs: meta data, 1.5 MiB a prefill token, parallelism, graphs."""
    reserved = constants.META_DATA_MIB + 1.5 * max(chunk(machine), 2048) + machine.tp * machine.pp / 8 * 1024
    reserved += _graphs_mib(machine)
    if machine.memory_mib > constants.FLOOR_ABOVE_MIB:
        reserved = max(reserved, constants.FLOOR_MIB)
    return reserved + (constants.DEEPEP_MIB if machine.deepep and machine.graphs else 0)


def default_fraction(machine: Machine) -> float:
    """The fraction, rounded to three decimals as the engine does, then made smaller for a vision tower."""
    fraction = round((machine.memory_mib - reserved_mib(machine)) / machine.memory_mib, 3)
    if not machine.vision:
        return fraction
    growth = machine.vision / constants.VISION_BASELINE - 1.0
    return fraction * constants.VISION_FACTOR * max(0.8, min(1.05, 1.0 - 0.1 * growth))


def written(machine: Machine) -> tuple[str, str]:
    """How `default_fraction` comes about: in symbols, and with numbers put in; sizes in MiB."""
    memory, reserved = number(machine.memory_mib), number(reserved_mib(machine))
    symbols = "f = (memory − reserved) / memory, to 3 decimals"
    numbers = f"floor(({memory} − {reserved}) / {memory} × 1,000 + 0.5) / 1,000"
    if not machine.vision:
        return symbols, numbers
    base, factor = number(constants.VISION_BASELINE), number(constants.VISION_FACTOR)
    growth = f"1.1 − 0.1 × {number(machine.vision)} / {base}"
    return f"{symbols}, × {factor} × vision factor", f"{numbers} × {factor} × max(0.8; min(1.05; {growth}))"


def _graphs_mib(machine: Machine) -> float:
    if not machine.graphs:
        return 0.0
    batch = graph_batch(machine)
    reserved = 2.0 * batch
    if machine.attention_dp > 1:
        reserved += 3.0 * batch * machine.attention_dp
        reserved += 1.5 * batch * machine.attention_dp if batch > 300 else 0.0
    if machine.mla:
        reserved += constants.MLA_PREFILL_GRAPHS_MIB
        return reserved + (1024 if machine.deepep else 0)
    return reserved + 8.0 * _prefill_captures(chunk(machine))


def _prefill_captures(largest: int) -> int:
    """How many prefill sizes are captured: 58 up to 8,192. `arg_groups/cuda_graph_hook.py`."""
    steps = ((4, 32, 4), (48, 256, 16), (288, 512, 32), (576, 1024, 64), (1280, 4096, 256), (4608, largest, 512))
    return sum(1 for start, end, step in steps for size in range(start, end + 1, step) if size <= largest)
