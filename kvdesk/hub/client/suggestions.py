"""Names of models on the Hub that are close to a text."""

import json
from urllib.parse import urlencode

from kvdesk.catalogue import models
from kvdesk.catalogue.suggestions import close_to, did_you_mean
from kvdesk.core.errors import SourceError
from kvdesk.core.json_value import JsonValue
from kvdesk.core.values import replace
from kvdesk.hub.cancel import Cancel, Cancelled
from kvdesk.hub.client import faults
from kvdesk.hub.client.settings import Settings
from kvdesk.hub.client.transport import connect
from kvdesk.hub.refs import HubRef

_LIMIT = 4 * 2**20
_SECONDS = 3.0
"""A suggestion is not worth a longer wait."""


def search(text: str, limit: int, cancel: Cancel, settings: Settings) -> tuple[str, ...]:
    """Ids of models whose names hold `text`, most downloaded first (huggingface_hub `HfApi.list_models`)."""
    transport = connect(settings, cancel)
    query = urlencode(
        {"search": text.strip()[:96], "sort": "downloads", "direction": -1, "limit": max(1, min(limit, 50))}
    )
    answer = transport.get(f"{settings.endpoint}/api/models?{query}", limit=_LIMIT, what="The search's answer")
    if answer.status >= 300:
        raise faults.of_status(
            answer.status, answer.headers, text.strip()[:96], token=transport.has_token, settings=settings
        )
    try:
        found: JsonValue = json.loads(answer.body)
    except (ValueError, RecursionError) as error:
        raise faults.malformed("Its answer is not JSON.", settings) from error
    return tuple(_ids(found))[:limit]


def _ids(found: JsonValue) -> list[str]:
    entries = [entry for entry in found if isinstance(entry, dict)] if isinstance(found, list) else []
    names = [entry.get("id") or entry.get("modelId") for entry in entries]
    return [name for name in names if isinstance(name, str) and 0 < len(name) <= 96 and name.isprintable()]


def with_suggestions(error: SourceError, ref: HubRef, cancel: Cancel, settings: Settings) -> SourceError:
    """The error with a way on: close names where the model was not found, the catalogue where its files are closed."""
    if error.code in {"gated", "denied"} and models.knows(ref.repo_id):
        card = models.find(ref.repo_id)
        remedy = f"{error.remedy} The offline catalogue knows this model as {card.name}."
        return SourceError(error.code, error.title, error.detail, remedy, suggestions=(card.name,))
    if error.code != "model-not-found":
        return error
    found = _close(ref, cancel, settings)
    if not found:
        return error
    detail = f"{error.detail} {did_you_mean(found)}".strip()
    return SourceError(error.code, error.title, detail, error.remedy, suggestions=found)


def _close(ref: HubRef, cancel: Cancel, settings: Settings) -> tuple[str, ...]:
    """Ids close to one that does not exist; the Hub finds whole parts of names, so a shorter part is tried too."""
    name = ref.repo_id.rpartition("/")[2]
    queries = [name] + ([stem] if len(stem := name.rpartition("-")[0]) >= 4 else [])
    brief = replace(settings, connect=_SECONDS, read=_SECONDS, total=_SECONDS, attempts=1)
    found: tuple[str, ...] = ()
    try:
        for query in queries:
            if not close_to(ref.repo_id, found):
                found += search(query, 30, cancel, brief)
    except Cancelled:
        raise
    except SourceError:
        found = ()
    return close_to(ref.repo_id, (*found, *(card.hub_id for card in models.all_cards())))
