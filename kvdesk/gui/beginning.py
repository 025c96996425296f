"""What the window begins with: the default scenario and its verdict, known before the panels are made."""

from kvdesk.app.defaults import default_session
from kvdesk.app.derive import Deriver
from kvdesk.app.session import Session
from kvdesk.app.verdict import headroom, verdict
from kvdesk.core.values import dataclass
from kvdesk.engines.registry import titled
from kvdesk.gui.wording import told


@dataclass(frozen=True, slots=True, kw_only=True)
class Beginning:
    """A scenario, what derived it, and the answer: what is sized, then a sentence for each GPU option."""

    session: Session
    deriver: Deriver
    sentences: tuple[str, ...]


def default() -> Beginning:
    """The default scenario, sized."""
    session, deriver = default_session(), Deriver()
    sizing = deriver.derive(session)
    what = f"{sizing.model.id}, {titled(sizing.engine, sizing.engine_version)}, KV cache {sizing.kv_format.name}"
    verdicts = (told(f"{verdict(option)} {headroom(option)}".strip()) for option in sizing.options)
    return Beginning(session=session, deriver=deriver, sentences=(what, *verdicts))
