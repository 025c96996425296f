"""A start-up log against the present session: read within bounds, then reconciled."""

from collections.abc import Callable
from pathlib import Path

from kvdesk.app.derive import Deriver
from kvdesk.app.reconcile import Reconciliation, reconcile
from kvdesk.app.session import Session
from kvdesk.core.errors import SourceError

MAX_BYTES = 64 * 2**20
Work = Callable[[Session], Reconciliation]


def compare(text: str, session: Session) -> Reconciliation:
    """The log's figures beside ours, of the session's model. Raises `KvdeskError`."""
    from kvdesk.engines.logs import reader

    return reconcile(reader.read(text), session, Deriver())


def compare_file(path: Path, session: Session) -> Reconciliation:
    """The same for a file."""
    try:
        with path.open("rb") as file:
            data = file.read(MAX_BYTES + 1)
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise SourceError(
            "unreadable-file", f"“{path.name}” cannot be read.", f"{reason}.", "Check its path."
        ) from error
    if len(data) > MAX_BYTES:
        raise SourceError(
            "large-log", f"“{path.name}” is larger than {MAX_BYTES >> 20} MiB.", "", "Cut it to the start."
        )
    return compare(data.decode("utf-8", errors="replace"), session)
