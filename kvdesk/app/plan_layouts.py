"""Layouts of one replica that a plan tries, and the nodes that replicas take."""

from collections.abc import Iterator
from enum import IntEnum

from kvdesk.app.session import GpuChoice
from kvdesk.core.device import Device
from kvdesk.core.geometry import Geometry
from kvdesk.core.values import dataclass

USUAL_NODE = 8
"""GPUs of a node where the catalogue does not say."""
LARGEST_REPLICA = 64
"""GPUs of one replica that are tried."""
TENSOR = (1, 2, 4, 8, 16)
PIPELINE = (1, 2, 3, 4, 5, 6, 7, 8, 12, 16)
ATTENTION = (1, 2, 4, 8, 16, 32, 64)
ATTENTION_ENGINES = frozenset({"vllm", "sglang", "tensorrt_llm"})
"""Engines whose data parallelism of a mixture of experts or of latents is of attention alone, experts divided over all
ranks: one deployment, not copies of it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Replica:
    """GPUs that together hold the model once: tp x pp x dp, dp being attention data parallelism."""

    tp: int = 1
    pp: int = 1
    dp: int = 1

    @property
    def gpus(self) -> int:
        """GPUs of one replica."""
        return self.tp * self.pp * self.dp

    def crosses(self, node: int) -> bool:
        """Whether tensor-parallel ranks are on different nodes, which costs a network hop in every layer."""
        return self.tp > node

    def nodes(self, replicas: int, node: int) -> int:
        """Nodes of `node` GPUs that `replicas` replicas take; no tensor-parallel group is torn apart without need.

        Five replicas of TP 2 x PP 1 on nodes of 8: four on one, so two nodes. TP 8, PP 2: two nodes each.
        """
        if self.gpus <= node:
            return -(-replicas // (node // self.gpus))
        if self.crosses(node):
            return replicas * -(-self.gpus // node)
        return replicas * -(-(self.pp * self.dp) // (node // self.tp))

    def __str__(self) -> str:
        parts = [f"TP {self.tp}"]
        parts += [f"PP {self.pp}"] if self.pp > 1 else []
        parts += [f"attention DP {self.dp}"] if self.dp > 1 else []
        return ", ".join(parts)


def node_of(device: Device) -> int:
    """GPUs of one node."""
    return device.per_node or USUAL_NODE


def divides_attention(engine: str, geometry: Geometry) -> bool:
    """Whether data parallelism inside one deployment is of attention alone."""
    return engine in ATTENTION_ENGINES and (geometry.is_latent or geometry.experts > 0)


class Reach(IntEnum):
    """How far a replica reaches: the farther, the slower."""

    NODE = 0
    """All its GPUs are in one node."""
    STAGES = 1
    """Pipeline stages or attention replicas are on several nodes, tensor-parallel groups are not."""
    TENSOR = 2
    """Tensor-parallel ranks are on several nodes."""


def reach(replica: Replica, node: int) -> Reach:
    """How far `replica` reaches on nodes of `node` GPUs."""
    if replica.crosses(node):
        return Reach.TENSOR
    return Reach.STAGES if replica.gpus > node else Reach.NODE


def replicas(fixed: GpuChoice, node: int, *, attention: bool) -> Iterator[Replica]:
    """Layouts to try, nearest and smallest first, fewer stages before more; degrees that `fixed` sets stay.

    A replica takes an even share of a node of `node` GPUs or whole nodes, as servers are bought, unless a degree is
    set.
    """
    tps = (fixed.tp,) if fixed.tp else TENSOR
    pps = (fixed.pp,) if fixed.pp else PIPELINE
    dps = ((fixed.dp,) if fixed.dp else ATTENTION) if attention else (1,)
    found = [
        Replica(tp=tp, pp=pp, dp=dp)
        for tp in tps
        for pp in pps
        for dp in dps
        # Stages beside attention replicas are tried only where both are asked for.
        if pp == 1 or dp == 1 or (fixed.pp and fixed.dp)
    ]
    if not (fixed.tp or fixed.pp):
        found = [one for one in found if node % one.gpus == 0 or one.gpus % node == 0]
    most = max(LARGEST_REPLICA, (fixed.tp or 1) * (fixed.pp or 1) * (fixed.dp or 1))
    yield from sorted(
        (one for one in found if one.gpus <= most), key=lambda one: (reach(one, node), one.gpus, one.pp, one.dp)
    )
