"""The user's account at the Hub."""

from kvdesk.hub.cancel import Cancel


def sign_in(token: str, cancel: Cancel) -> None:
    """Check a token with the Hub and keep it in huggingface_hub's store. Raises `SourceError`."""
    from kvdesk.hub.client.sign_in import sign_in as keep

    keep(token, cancel=cancel)


def suggestions(text: str, cancel: Cancel) -> tuple[str, ...]:
    """Ids of models at the Hub whose names hold `text`; () offline. Raises `KvdeskError`."""
    from kvdesk.hub.client import search

    return search(text, cancel=cancel)
