"""The Hub over the network. Only this package touches it; huggingface_hub is imported when a look-up begins.

`look_up` answers a reference, from the network or from what an earlier look-up kept. `search` is for type-ahead.
"""

from kvdesk.core.errors import KvdeskError, SourceError
from kvdesk.core.findings import Finding, info, warning
from kvdesk.core.values import replace
from kvdesk.hub.cancel import Cancel
from kvdesk.hub.client import downloads, faults
from kvdesk.hub.client.parallel import Batch
from kvdesk.hub.client.settings import Settings, from_environment
from kvdesk.hub.client.store import Store
from kvdesk.hub.refs import HubRef
from kvdesk.hub.snapshot import Snapshot

__all__ = ["Settings", "look_up", "search"]

# Where the Hub itself says nothing about the model, an earlier look-up is better than none.
_HUB_SILENT = frozenset(
    {"no-network", "timeout", "tls", "proxy", "hub-error", "rate-limited", "broken-answer", "malformed-answer"}
    | {"bad-redirect"}
)


def look_up(ref: HubRef, *, cancel: Cancel | None = None, settings: Settings | None = None) -> Snapshot:
    """The commit, config.json, files and weights of the model that `ref` names.

    An earlier look-up of the same commit is used as it is; one of a branch or tag where there is no network, and
    failing that what another program has downloaded. Raises `Cancelled` at once when `cancel` is set, and otherwise
    `KvdeskError`.
    """
    settings = settings or from_environment()
    cancel = cancel or Cancel()
    store = Store(settings.cache, settings.endpoint) if settings.cache else None
    kept = store.find(ref) if store else None
    if kept and (settings.offline or ref.revision == kept.revision):
        return kept
    if settings.offline:
        downloaded = downloads.find(ref, settings)
        if downloaded is None:
            raise _not_kept(ref)
        return downloaded
    try:
        found = _fetch(ref, cancel, settings)
    except SourceError as error:
        kept = kept or (downloads.find(ref, settings) if error.code in _HUB_SILENT else None)
        if kept is None or error.code not in _HUB_SILENT:
            raise
        return replace(kept, findings=(_instead(kept, error), *kept.findings))
    return _keep(store, ref, found)


def _fetch(ref: HubRef, cancel: Cancel, settings: Settings) -> Snapshot:
    """The Hub's answer, got in a thread of its own so that Cancel does not wait for it."""

    def call() -> Snapshot:
        from kvdesk.hub.client import lookup, suggestions

        try:
            return lookup.fetch(ref, cancel, settings)
        except SourceError as error:
            raise suggestions.with_suggestions(error, ref, cancel, settings) from None

    (outcome,) = Batch([call]).run(cancel, 6 * settings.total + settings.headers)
    if isinstance(outcome, KvdeskError):
        raise outcome
    return outcome


def _keep(store: Store | None, ref: HubRef, found: Snapshot) -> Snapshot:
    """Keep the look-up; where the disk does not take it, say so and go on."""
    if store is None:
        return found
    try:
        store.keep(ref, found)
    except OSError as error:
        note = info(
            "not-kept",
            f"The look-up could not be kept on disk ({error.strerror or 'the disk refuses it'}).",
            "Without a network it will not be at hand; check the folder that HF_HOME names.",
        )
        return replace(found, findings=(*found.findings, note))
    return found


def _instead(kept: Snapshot, error: SourceError) -> Finding:
    what = f"The look-up of {kept.fetched}" if kept.fetched else "What lies on this computer"
    return warning(
        "from-cache",
        f"{error.title} {what} was used, commit {kept.revision[:7]}.",
        "Look the model up again when the Hub can be reached.",
    )


def _not_kept(ref: HubRef) -> SourceError:
    return SourceError(
        "offline-not-cached",
        f"{ref} was not looked up before, and HF_HUB_OFFLINE forbids the network.",
        "",
        f"Unset HF_HUB_OFFLINE once. {faults.OFFLINE_HINT}",
    )


def search(
    text: str, limit: int = 8, *, cancel: Cancel | None = None, settings: Settings | None = None
) -> tuple[str, ...]:
    """Ids of models whose names hold `text`, most downloaded first; () offline. Raises `KvdeskError`."""
    settings = settings or from_environment()
    cancel = cancel or Cancel()
    if settings.offline or len(text.strip()) < 2:
        return ()

    def call() -> tuple[str, ...]:
        from kvdesk.hub.client import suggestions

        return suggestions.search(text, limit, cancel, settings)

    (outcome,) = Batch([call]).run(cancel, settings.total)
    if isinstance(outcome, KvdeskError):
        raise outcome
    return outcome
