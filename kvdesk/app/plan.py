"""The decision table: for each kind of GPU, how many of them and which layout hold N sequences.

A replica holds the model once; more of them add up. The layout with the fewest GPUs is taken, of as many the one with
more room. Replicas over several nodes and more pipeline stages are slower, so they have to save a tenth of the GPUs;
tensor-parallel groups leave a node only where nothing else holds the model. N+1 is the number of GPUs that still hold
all sequences when one replica is lost.
"""

from collections.abc import Callable

from kvdesk.app import bands
from kvdesk.app.derive import Deriver
from kvdesk.app.plan_layouts import USUAL_NODE, Reach, Replica, divides_attention, node_of, reach, replicas
from kvdesk.app.results import OptionResult, Sizing
from kvdesk.app.session import GpuChoice, Session
from kvdesk.core.device import Device
from kvdesk.core.errors import KvdeskError
from kvdesk.core.findings import Severity
from kvdesk.core.values import dataclass, replace

Holds = Callable[[OptionResult], int]
"""How many sequences an option is counted on to hold."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRow:
    """One kind of GPU in the decision table.

    `gpus` in `replicas` replicas of `replica` hold `holds` sequences; None where no layout tried holds one. `choice` is
    the whole of it, dp being replicas x attention replicas. `headroom` is the share of `holds` that is left, 0 to 1.
    `gpus_n_plus_1` has one replica more, `holds_low` is what `gpus` hold with every estimate at its unfavourable end,
    and `gpus_low` in replicas of `replica_low` hold all sequences even then (None where no layout does). `nodes` of
    `per_node` GPUs hold the replicas, None where the catalogue does not say. `limit` is what keeps the next smaller
    number from holding them: "weights", "kv", "layout" or None. `notes` are sentences.
    """

    gpu: str
    name: str
    replica: Replica | None = None
    replicas: int = 0
    gpus: int | None = None
    gpus_n_plus_1: int | None = None
    gpus_low: int | None = None
    replica_low: Replica | None = None
    choice: GpuChoice | None = None
    per_replica: int = 0
    holds: int = 0
    holds_low: int = 0
    headroom: float = 0.0
    nodes: int | None = None
    per_node: int | None = None
    limit: str | None = None
    watts: int | None = None
    reason: str = ""
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """A layout that holds at least one sequence, and how many copies of it hold all."""

    replica: Replica
    copies: int
    option: OptionResult
    each: int

    @property
    def gpus(self) -> int:
        return self.copies * self.replica.gpus

    @property
    def holds(self) -> int:
        return self.copies * self.each

    def beats(self, other: "_Found", node: int) -> bool:
        """Fewer GPUs, then more room; a longer reach or more stages have to save a tenth of the GPUs."""
        mine = (reach(self.replica, node), self.replica.pp)
        others = (reach(other.replica, node), other.replica.pp)
        if mine > others:
            return 10 * self.gpus <= 9 * other.gpus
        if mine < others and 9 * self.gpus < 10 * other.gpus:
            return True
        return (self.gpus, -self.holds) < (other.gpus, -other.holds)


def plan(session: Session, deriver: Deriver) -> tuple[Sizing, tuple[PlanRow, ...]]:
    """The sizing of the session itself and a row for each distinct GPU among its options, in their order."""
    sizing = deriver.derive(session)
    kinds = dict.fromkeys(choice.gpu for choice in session.gpus)
    return sizing, tuple(_Search(session, sizing, gpu, deriver).row() for gpu in kinds)


class _Search:
    """The search over layouts of one kind of GPU."""

    def __init__(self, session: Session, sizing: Sizing, gpu: str, deriver: Deriver) -> None:
        self.session, self.gpu, self.deriver = session, gpu, deriver
        self.fixed = next(choice for choice in session.gpus if choice.gpu == gpu)
        self.device = _known(deriver, gpu)
        self.attention = divides_attention(session.engine, sizing.geometry)
        self.tried: list[tuple[Replica, OptionResult]] = []
        self.sized: dict[tuple[Replica, int], OptionResult] = {}

    def row(self) -> PlanRow:
        """The best layout as a row."""
        node = node_of(self.device) if self.device else USUAL_NODE
        best = self._best(node, _whole)
        if best is None or self.device is None:
            return self._nothing()
        return self._row(best, self._best(node, bands.least_sequences), self.device, node)

    def _best(self, node: int, holds: Holds) -> _Found | None:
        """The best layout; tensor-parallel groups leave the node only where nothing else holds the model."""
        best: _Found | None = None
        for one in replicas(self.fixed, node, attention=self.attention):
            if best and reach(one, node) is Reach.TENSOR is not reach(best.replica, node):
                break
            if best and one.gpus > best.gpus:
                continue
            found = self._copies(one, holds)
            if found and (best is None or found.beats(best, node)):
                best = found
        return best

    def _copies(self, replica: Replica, holds: Holds) -> _Found | None:
        """The fewest copies of `replica` that hold all sequences; None where one copy holds none."""
        wanted = self.session.sequences
        option = self._sized(replica, wanted)
        self.tried.append((replica, option))
        whole = holds(option)
        if whole >= wanted:
            return _Found(replica=replica, copies=1, option=option, each=whole)
        copies = -(-wanted // whole) if whole else wanted
        shared = self._sized(replica, -(-wanted // copies))
        each = holds(shared)
        if not each:
            return None
        # Some engines set memory aside for every sequence that is asked for, so fewer a copy can leave room for more.
        if each > whole:
            copies = self._fewest(replica, copies, holds)
            shared = self._sized(replica, -(-wanted // copies))
        return _Found(replica=replica, copies=copies, option=shared, each=holds(shared))

    def _fewest(self, replica: Replica, enough: int, holds: Holds) -> int:
        low, high = 1, enough  # `low` copies are too few, `high` are enough
        while high - low > 1:
            middle = (low + high) // 2
            each = -(-self.session.sequences // middle)
            low, high = (low, middle) if holds(self._sized(replica, each)) >= each else (middle, high)
        return high

    def _sized(self, replica: Replica, sequences: int) -> OptionResult:
        found = self.sized.get((replica, sequences))
        if found is None:
            choice = GpuChoice(
                gpu=self.gpu, count=replica.gpus, tp=replica.tp, pp=replica.pp, dp=replica.dp, dcp=self.fixed.dcp
            )
            found = self.deriver.derive(replace(self.session, gpus=(choice,), sequences=sequences)).options[0]
            self.sized[replica, sequences] = found
        return found

    def _row(self, best: _Found, safe: _Found | None, device: Device, node: int) -> PlanRow:
        one, wanted, holds = best.replica, self.session.sequences, best.holds
        return PlanRow(
            gpu=self.gpu,
            name=device.name,
            replica=one,
            replicas=best.copies,
            gpus=best.gpus,
            gpus_n_plus_1=best.gpus + one.gpus,
            gpus_low=safe.gpus if safe else None,
            replica_low=safe.replica if safe else None,
            choice=replace(best.option.choice, count=best.gpus, dp=best.copies * one.dp),
            per_replica=best.each,
            holds=holds,
            holds_low=bands.least_sequences(best.option) * best.copies,
            headroom=(holds - wanted) / holds,
            nodes=one.nodes(best.copies, node) if device.per_node else None,
            per_node=device.per_node,
            limit=self._limit(best),
            watts=None if device.tdp_w is None else device.tdp_w * best.gpus,
            notes=tuple(_notes(one, device, node, self.fixed, self.session.pool_bytes)),
        )

    def _limit(self, best: _Found) -> str | None:
        """What stops one replica less, or with one replica the largest layout of fewer GPUs."""
        if best.copies > 1:
            return "kv"
        smaller = [option for one, option in self.tried if one.gpus < best.replica.gpus]
        answers = [option.answer for option in smaller if option.answer]
        if answers:
            return answers[-1].limit or "kv"
        return "layout" if smaller else None

    def _nothing(self) -> PlanRow:
        name = self.device.name if self.device else self.gpu
        answered = [(one, option.answer) for one, option in self.tried if option.answer]
        if answered:
            one, answer = answered[-1]
            refused = next((f for f in answer.findings if f.severity is Severity.REFUSAL), None)
            nothing = f"Not one sequence fits {one.gpus} GPUs ({one})."
            reason = f"{refused.text} {refused.remedy}".strip() if refused else nothing
            return PlanRow(gpu=self.gpu, name=name, limit=answer.limit, reason=reason)
        error = self.tried[-1][1].error if self.tried else None
        return PlanRow(gpu=self.gpu, name=name, limit="layout", reason=str(error) if error else "No layout to try.")


def _known(deriver: Deriver, gpu: str) -> Device | None:
    try:
        return deriver.device(gpu)
    except KvdeskError:
        return None


def _whole(option: OptionResult) -> int:
    return option.answer.full_length_sequences if option.answer else 0


def _notes(one: Replica, device: Device, node: int, fixed: GpuChoice, pool: int | None) -> list[str]:
    found = []
    if one.crosses(node):
        wide = f"{device.name}: TP {one.tp} is wider than a node of {node}; every layer then waits for the network."
        found.append(wide if fixed.tp else f"{wide} No layout inside a node was found.")
    elif one.gpus > node:
        spans = f"spans {one.nodes(1, node)} nodes of {node}"
        found.append(f"{device.name}: one replica ({one}) {spans}; only its tensor-parallel groups stay inside one.")
    if pool is not None:
        found.append(f"{device.name}: the KV pool that was given is taken for every layout; it was measured in one.")
    return found
