"""What a value of the user's took the place of: for each one the sizing as it would be without it."""

from collections.abc import Callable, Mapping

from kvdesk.app.derive import Deriver
from kvdesk.app.results import Sizing
from kvdesk.app.session import Session
from kvdesk.core.errors import KvdeskError
from kvdesk.core.values import replace

LEFT: Mapping[str, Callable[[Session], Session]] = {
    "encoder_tokens": lambda session: replace(session, encoder_tokens=None),
    "kv_dtype": lambda session: replace(session, kv_dtype="auto"),
    "weights_dtype": lambda session: replace(session, weights_dtype=None),
    "weights_bytes": lambda session: replace(session, weights_bytes=None),
    "utilization": lambda session: replace(session, utilization=None),
    "reserve_bytes": lambda session: replace(session, reserve_bytes=None),
    "device_memory": lambda session: replace(session, device_memory=None),
    "pool_bytes": lambda session: replace(session, pool_bytes=None),
}
"""Fields of a session that stand for a value of the model or of the engine, and the session that leaves it to them."""


def is_own(session: Session, name: str) -> bool:
    """Whether a field of `LEFT` is the user's."""
    return getattr(session, name) not in (None, "auto")


def sizings(session: Session, deriver: Deriver) -> Mapping[str, Sizing]:
    """By the name of the session's field; none where the field is left to model or engine."""
    found = {}
    for name, left in LEFT.items():
        if is_own(session, name):
            try:
                found[name] = deriver.derive(left(session))
            except KvdeskError:
                continue  # without it nothing can be said: the value is then all there is
    return found
