"""A start-up log beside kvdesk's own figures: each line, the difference and the likely reason.

Two sizings are made of the log's scenario: one from the device down, whose memory figures are predictions, and one with
the KV memory that the engine printed, whose blocks, tokens and concurrency must come out equal.
"""

from collections.abc import Mapping, Sequence

from kvdesk.app.derive import Deriver
from kvdesk.app.log_model import OTHER, other_model
from kvdesk.app.log_scenario import scenario
from kvdesk.app.reconcile_reasons import reason
from kvdesk.app.reconcile_rows import PLANNED, PREDICTED, Row, planned, predicted, row
from kvdesk.app.session import Session
from kvdesk.core.errors import KvdeskError
from kvdesk.core.findings import Finding, refusal, warning
from kvdesk.core.units import gib
from kvdesk.core.values import dataclass, replace
from kvdesk.engines.base import Answer
from kvdesk.engines.logs.record import EngineLog

_UNLIMITED = 1 << 50


@dataclass(frozen=True, slots=True, kw_only=True)
class Reconciliation:
    """A log, the session it describes, the rows, and measured bytes by budget line that can replace estimates."""

    log: EngineLog
    session: Session
    rows: tuple[Row, ...]
    measured: Mapping[str, int]
    findings: tuple[Finding, ...] = ()

    @property
    def other(self) -> Finding | None:
        """What says that the log is of another model than the session, None where it is not."""
        return next((finding for finding in self.findings if finding.code == OTHER), None)

    @property
    def agrees(self) -> bool:
        """Whether every exact figure is equal within the printed rounding."""
        return all(one.equal for one in self.rows if one.exact)


def reconcile(log: EngineLog, base: Session, deriver: Deriver, *, given: Session | None = None) -> Reconciliation:
    """Compare `log` with what kvdesk says of the same model, which `base` holds.

    What `given` sets, such as a GPU that the log does not name, goes before the log.
    Raises `KvdeskError` where nothing can be derived from the session at all.
    """
    found = scenario(log, base, given=given)
    session, findings = _with_length(found.session, deriver), [*log.findings, *found.findings]
    whole, problem = _answer(session, deriver)
    if whole is None:
        findings.append(warning("not-predicted", problem, "The log's own weights stand in for ours."))
        whole, _ = _answer(replace(session, budget_overrides=_weights(log)), deriver)
    printed = _with_printed_pool(log, session, deriver)
    answers = printed or _over_band(log, session, deriver, whole)
    other = other_model(log, session.model, whole) if session.model and not given else None
    known = ("weights",) if any(finding.code == "gpu-unknown" for finding in found.findings) else PREDICTED
    rows = [row(log.figures[k], k, predicted(k, whole, log), exact=False) for k in known if whole and k in log.figures]
    rows += [row(log.figures[k], k, planned(k, answers), exact=bool(printed)) for k in PLANNED if k in log.figures]
    if whole and whole.limit == "weights":
        findings.append(_no_room(whole, printed=bool(printed)))
    about = answers[0] if answers else whole
    findings += [finding for finding in (about.findings if about else ()) if finding not in findings]
    return Reconciliation(
        log=log,
        session=session,
        rows=tuple(
            replace(one, reason=reason(one, log, about, other=other is not None)) for one in rows if one.known and about
        ),
        measured=measured(log, whole),
        findings=tuple([other, *findings] if other else findings),
    )


def log_only(log: EngineLog, base: Session, problem: KvdeskError) -> Reconciliation:
    """What a log says where its model is not at hand: no rows, and the reason as a finding."""
    found = scenario(log, base)
    said = refusal(problem.code, f"{problem.title} {problem.detail}".strip(), problem.remedy)
    findings = (*log.findings, *found.findings, said)
    return Reconciliation(log=log, session=found.session, rows=(), measured=measured(log, None), findings=findings)


def with_measured(found: Reconciliation) -> Session:
    """The log's session with measured weights and reserve in place of the estimates."""
    return replace(found.session, budget_overrides={**found.session.budget_overrides, **found.measured})


def measured(log: EngineLog, whole: Answer | None) -> Mapping[str, int]:
    """Measured bytes by budget line: weights, and as reserve what the requested memory leaves beside weights and cache.

    Without a printed requested memory the reserve starts from our own budget.
    """
    found = _weights(log)
    weights, available = log.figures.get("weights"), log.figures.get("available_kv")
    requested = log.figures.get("requested_memory")
    budget = int(requested.number) if requested else (whole.budget_bytes if whole else 0)
    if log.engine == "vllm" and weights is not None and available is not None and budget:
        reserve = budget - int(weights.number) - int(available.number)
        if reserve >= 0:
            found["reserve"] = reserve
    if log.engine == "sglang" and whole is not None and (free := log.figures.get("free_memory")) is not None:
        found["before.context"] = max(0, whole.device_bytes - int(free.number))
        found["before.communication"] = 0
    if log.engine == "llama_cpp" and (compute := log.figures.get("compute")) is not None:
        found["reserve.compute"] = int(compute.number)
    return found


def _with_length(session: Session, deriver: Deriver) -> Session:
    """Engines that are given no length take the model's own."""
    if session.context is not None or session.model is None:
        return session
    longest = deriver.geometry(session.model, session.overrides).max_context
    return session if longest is None else replace(session, context=longest.value)


def _weights(log: EngineLog) -> dict[str, int]:
    figure = log.figures.get("weights")
    return {"weights": int(figure.number)} if figure is not None and figure.number > 0 else {}


def _with_printed_pool(log: EngineLog, session: Session, deriver: Deriver) -> Sequence[Answer]:
    """Answers at the printed KV memory, and at the ends of its rounding; none where it is not printed."""
    figure = log.figures.get("available_kv")
    if figure is None or figure.number <= 0:
        return []
    if log.engine == "llama_cpp":
        # The context is allocated whole; what the device would hold besides does not matter here.
        answer, _ = _answer(replace(session, pool_bytes=_UNLIMITED), deriver)
        return [answer] if answer else []
    states = log.figures.get("states") if log.engine == "sglang" else None
    # SGLang prints the pool of state slots apart from that of tokens.
    size = int(figure.number) + (int(states.number) if states else 0)
    half = int(figure.step + (states.step if states else 0)) // 2
    pools = (size, size - half, size + half)
    answers = [_answer(replace(session, pool_bytes=max(0, pool)), deriver)[0] for pool in pools]
    return [answer for answer in answers if answer is not None]


def _over_band(log: EngineLog, session: Session, deriver: Deriver, whole: Answer | None) -> Sequence[Answer]:
    """Answers at the predicted KV memory and at the ends of its band, for logs that do not print it."""
    if whole and whole.limit == "weights":
        return []
    span = predicted("available_kv", whole, log) if whole else None
    if whole is None or span is None:
        return [whole] if whole else []
    ends = [_answer(replace(session, pool_bytes=int(pool)), deriver)[0] for pool in span[1:]]
    return [whole, *(answer for answer in ends if answer is not None)]


def _no_room(whole: Answer, *, printed: bool) -> Finding:
    """Why our KV memory is not beside the log's."""
    need = f"weights {gib(whole.weights_bytes)} and reserve {gib(whole.reserve_bytes)} per GPU"
    said = f"By our figures nothing is left for the cache: {need} exceed the budget of {gib(whole.budget_bytes)}."
    after = "Blocks and tokens are those at the KV memory that the log prints." if printed else ""
    return warning("no-room", said, after)


def _answer(session: Session, deriver: Deriver) -> tuple[Answer | None, str]:
    option = deriver.derive(session).options[0]
    return option.answer, str(option.error) if option.error else ""
