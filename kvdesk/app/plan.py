"""The decision table: for each kind of GPU, how many of them and which layout hold N sequences.

A replica is tp x pp GPUs; data parallelism adds replicas. N+1 is the number of GPUs that still hold all sequences when
one replica is lost.
"""

from collections.abc import Iterator

from kvdesk.app.derive import Deriver
from kvdesk.app.results import OptionResult, Sizing
from kvdesk.app.session import GpuChoice, Session
from kvdesk.core.device import Device
from kvdesk.core.values import dataclass, replace

LARGEST_REPLICA = 64
"""GPUs of one replica that are tried: 8 tensor-parallel ranks x 8 pipeline stages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanRow:
    """One kind of GPU in the decision table.

    `gpus` in `replicas` replicas of `choice.tp` x `choice.pp` hold `holds` sequences; None where no layout tried holds
    one. `headroom` is the share of `holds` that is left, 0 to 1. `gpus_n_plus_1` has one replica more. `limit` is what
    keeps the next smaller layout from holding them: "weights", "kv", "layout" or None.
    """

    gpu: str
    name: str
    replicas: int = 0
    gpus: int | None = None
    gpus_n_plus_1: int | None = None
    choice: GpuChoice | None = None
    per_replica: int = 0
    holds: int = 0
    headroom: float = 0.0
    limit: str | None = None
    watts: int | None = None
    reason: str = ""


def plan(session: Session, deriver: Deriver) -> tuple[Sizing, tuple[PlanRow, ...]]:
    """The sizing of the session itself and a row for each distinct GPU among its options, in their order."""
    sizing = deriver.derive(session)
    kinds = dict.fromkeys(choice.gpu for choice in session.gpus)
    return sizing, tuple(_row(session, gpu, deriver) for gpu in kinds)


def _row(session: Session, gpu: str, deriver: Deriver) -> PlanRow:
    best: PlanRow | None = None
    tried: list[OptionResult] = []
    for choice in _replicas(session, gpu):
        if best and best.gpus is not None and choice.count > best.gpus:
            break
        option = deriver.derive(replace(session, gpus=(choice,))).options[0]
        tried.append(option)
        row = _holding(option, session.sequences)
        if row and (best is None or (row.gpus or 0, -row.headroom) < (best.gpus or 0, -best.headroom)):
            best = row
    if best is None:
        return _nothing(gpu, tried)
    return replace(best, limit=_limit_before(tried, best))


def _replicas(session: Session, gpu: str) -> Iterator[GpuChoice]:
    """Layouts of one replica, smallest first; degrees that the session fixes stay as they are."""
    fixed = next(choice for choice in session.gpus if choice.gpu == gpu)
    degrees = (1, 2, 4, 8)
    tps = (fixed.tp,) if fixed.tp else degrees
    pps = (fixed.pp,) if fixed.pp else degrees
    layouts = sorted({(tp * pp, pp, tp) for tp in tps for pp in pps if pp == 1 or tp == tps[-1]})
    for count, pp, tp in layouts:
        if count <= LARGEST_REPLICA:
            yield GpuChoice(gpu=gpu, count=count, tp=tp, pp=pp, dp=1, dcp=fixed.dcp)


def _holding(option: OptionResult, wanted: int) -> PlanRow | None:
    answer, device = option.answer, option.question.device if option.question else None
    if answer is None or device is None or answer.full_length_sequences < 1:
        return None
    replicas = -(-wanted // answer.full_length_sequences)
    holds = replicas * answer.full_length_sequences
    gpus = replicas * answer.layout.gpus
    return PlanRow(
        gpu=option.choice.gpu,
        name=device.name,
        replicas=replicas,
        gpus=gpus,
        gpus_n_plus_1=gpus + answer.layout.gpus,
        choice=replace(option.choice, count=gpus, dp=replicas),
        per_replica=answer.full_length_sequences,
        holds=holds,
        headroom=(holds - wanted) / holds,
        watts=_watts(device, gpus),
    )


def _watts(device: Device, gpus: int) -> int | None:
    return None if device.tdp_w is None else device.tdp_w * gpus


def _nothing(gpu: str, tried: list[OptionResult]) -> PlanRow:
    last = tried[-1] if tried else None
    name = last.question.device.name if last and last.question else gpu
    error = last.error if last else None
    limit = last.answer.limit if last and last.answer else "layout"
    reason = str(error) if error else f"not one sequence fits {last.choice.count if last else 0} GPUs"
    return PlanRow(gpu=gpu, name=name, limit=limit, reason=reason)


def _limit_before(tried: list[OptionResult], best: PlanRow) -> str | None:
    """What stopped the largest replica with fewer GPUs than the chosen one."""
    chosen = best.choice
    size = chosen.count // best.replicas if chosen else 0
    smaller = [option for option in tried if option.choice.count < size]
    if not smaller:
        return "kv" if best.replicas > 1 else None
    last = smaller[-1].answer
    return (last.limit or "kv") if last else "layout"
