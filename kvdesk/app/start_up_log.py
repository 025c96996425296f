"""A start-up log against the present session: read within bounds, then reconciled."""

from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from kvdesk.app.derive import Deriver
from kvdesk.app.log_scenario import model_name, scenario
from kvdesk.app.reconcile import Reconciliation, reconcile
from kvdesk.app.session import GpuChoice, Model, Session
from kvdesk.core.errors import KvdeskError, SourceError, UsageError
from kvdesk.engines.logs.record import EngineLog
from kvdesk.files.reading import read_bounded

if TYPE_CHECKING:
    from kvdesk.hub.cancel import Cancel

MAX_BYTES = 64 * 2**20


def read_log(source: "Path | BinaryIO") -> EngineLog:
    """The log of a file or a stream. Raises `KvdeskError`."""
    from kvdesk.engines.logs import reader

    return reader.read(_text_of(source) if isinstance(source, Path) else _bounded(source.read(MAX_BYTES + 1), "-"))


def model_of(log: EngineLog, given: str | None, cancel: "Cancel | None" = None) -> Model:
    """The model that was given, else the one that the log names, looked up. Raises `KvdeskError`."""
    from kvdesk.app import lookup
    from kvdesk.catalogue import models

    name = given or model_name(log)
    if name is None:
        raise UsageError("no-model", "The log does not name its model.", "", "Give it with --model.")
    if given is None and models.knows(name):
        return lookup.from_card(name)
    try:
        return lookup.load(name, cancel=cancel)
    except KvdeskError as error:
        if given is not None:
            raise
        raise SourceError(
            error.code,
            f"The model “{name[:100]}” that the log names cannot be looked up.",
            f"{error.title} {error.detail}".strip(),
            "Give it with --model: a Hub id, a config.json, or a name of `kvdesk models`.",
        ) from error


def read_text(text: str) -> EngineLog:
    """The log of a text that was pasted. Raises `KvdeskError`."""
    from kvdesk.engines.logs import reader

    return reader.read(text)


def compare(log: EngineLog, session: Session) -> Reconciliation:
    """The log's figures beside ours, of the session's model. Raises `KvdeskError`."""
    return reconcile(log, session, Deriver())


def own_scenario(log: EngineLog, gpus: tuple[GpuChoice, ...], cancel: "Cancel") -> Session:
    """The scenario that a log describes, its model looked up; `gpus` stand in for one that it does not name.

    Raises `KvdeskError`.
    """
    return scenario(log, Session(model=model_of(log, None, cancel), gpus=gpus)).session


def _text_of(path: Path) -> str:
    try:
        data = read_bounded(path, MAX_BYTES + 1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise SourceError(
            "unreadable-file", f"“{path.name}” cannot be read.", f"{reason}.", "Check its path."
        ) from error
    return _bounded(data, path.name)


def _bounded(data: bytes, name: str) -> str:
    if len(data) > MAX_BYTES:
        raise SourceError("large-log", f"“{name}” is larger than {MAX_BYTES >> 20} MiB.", "", "Cut it to the start.")
    # PowerShell's `>` writes UTF-16 with a byte-order mark.
    marked = data.startswith((b"\xff\xfe", b"\xfe\xff"))
    return data.decode("utf-16" if marked else "utf-8-sig", errors="replace")
