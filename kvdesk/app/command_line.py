"""A session as the `kvdesk` call that gives the same numbers."""

import json
import shlex
from collections.abc import Iterator

from kvdesk.app.session import GpuChoice, Model, Session
from kvdesk.core.errors import KvdeskError
from kvdesk.core.json_value import JsonValue
from kvdesk.core.layout import for_gpus

CARD = "catalogue card "
"""How `lookup` names the card of a catalogue model in `Model.where`."""

Degrees = tuple[int | None, int | None, int | None, int | None]


def command_line(session: Session, command: str = "size") -> str:
    """One line; or one for each layout, where GPU options differ in theirs, since `--tp` and its like hold for all."""
    groups: dict[Degrees, list[GpuChoice]] = {}
    for choice in session.gpus:
        groups.setdefault(_degrees(choice), []).append(choice)
    shared = list(_shared(session))
    calls = [
        ["kvdesk", command, source(session.model), *_hardware(degrees, group), *shared]
        for degrees, group in groups.items()
    ]
    return "\n".join(shlex.join(call) for call in calls or [["kvdesk", command, source(session.model), *shared]])


def source(model: Model | None) -> str:
    """What names the model on the command line: its id at the revision that was read, or what was opened."""
    if model is None:
        return "SOURCE"
    if model.origin == "catalogue":
        return model.where.removeprefix(CARD)
    if model.path:
        return model.path
    return f"{model.id}@{model.revision}" if model.origin == "hub" and model.revision else model.id


def _degrees(choice: GpuChoice) -> Degrees:
    """The degrees to write out: beside `--tp` nothing is filled in there, so that what the layout came to is said."""
    degrees = (choice.tp, choice.pp, choice.dp, choice.dcp)
    if choice.tp is None:
        return degrees
    try:
        layout = for_gpus(choice.count, tp=choice.tp, pp=choice.pp, dp=choice.dp, dcp=choice.dcp)
    except KvdeskError:
        return degrees
    pp = layout.pp if layout.pp > 1 else choice.pp
    dp = layout.dp if layout.dp > 1 else choice.dp
    return choice.tp, pp, dp, choice.dcp


def _hardware(degrees: Degrees, group: list[GpuChoice]) -> Iterator[str]:
    for choice in group:
        yield from ("--gpu", f"{choice.gpu}x{choice.count}" if choice.count > 1 else choice.gpu)
    for name, value in zip(("tp", "pp", "dp", "dcp"), degrees, strict=True):
        if value is not None:
            yield from (f"--{name}", str(value))


def _shared(session: Session) -> Iterator[str]:
    plain = (
        ("--context", session.context),
        ("--sequences", session.sequences if session.sequences != 1 else None),
        ("--shared-prefix", session.shared_prefix or None),
        ("--encoder-tokens", session.encoder_tokens),
        ("--kv-dtype", session.kv_dtype if session.kv_dtype != "auto" else None),
        ("--weights-dtype", session.weights_dtype),
        ("--weights-bytes", session.weights_bytes),
        ("--engine", session.engine if session.engine != "plain" else None),
        ("--engine-version", session.engine_version),
        ("--utilization", session.utilization),
        ("--reserve", session.reserve_bytes),
        ("--device-memory", session.device_memory.value if session.device_memory else None),
        ("--pool-bytes", session.pool_bytes),
    )
    for name, value in plain:
        if value is not None:
            yield from (name, str(value))
    for option, mapping in (("--engine-arg", session.engine_arguments), ("--set", session.overrides)):
        for key, item in sorted(mapping.items()):
            yield from (option, f"{key}={_spelled(item)}")


def _spelled(value: JsonValue) -> str:
    """As the command line reads it: JSON, or the text itself where it would not be taken for JSON."""
    if not isinstance(value, str):
        return json.dumps(value, separators=(",", ":"))
    try:
        json.loads(value)
    except ValueError:
        return value
    return json.dumps(value)
