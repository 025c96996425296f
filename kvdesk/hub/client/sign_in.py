"""Signing in: the token goes to huggingface_hub's own store, which `hf auth login` shares, and nowhere else."""

import re

from kvdesk.core.errors import KvdeskError, SourceError
from kvdesk.hub.cancel import Cancel
from kvdesk.hub.client import faults
from kvdesk.hub.client.parallel import Batch
from kvdesk.hub.client.settings import Settings, from_environment, takes_tokens

_TOKEN = re.compile(r"hf_[A-Za-z0-9_]{4,200}")


def sign_in(token: str, *, cancel: Cancel | None = None, settings: Settings | None = None) -> None:
    """Check the token with the Hub and keep it. Raises `SourceError`; no error's text holds the token."""
    token = token.strip()
    settings = settings or from_environment()
    if not _TOKEN.fullmatch(token):
        raise SourceError(
            "bad-token",
            "That is not a token of the Hub.",
            "A token starts with hf_ and has no spaces.",
            f"Make one with read access at {settings.endpoint}/settings/tokens.",
        )
    if not takes_tokens(settings.endpoint, settings):
        raise SourceError(
            "not-secure",
            f"{settings.host} is not reached over a secure connection, so no token is sent to it.",
            "HF_ENDPOINT begins with http://.",
            "Use an address that begins with https://.",
        )
    (outcome,) = Batch([lambda: _keep(token, settings)]).run(cancel or Cancel(), settings.total)
    if isinstance(outcome, KvdeskError):
        raise outcome


def _keep(token: str, settings: Settings) -> None:
    import httpx2
    import huggingface_hub
    from huggingface_hub.errors import HfHubHTTPError

    try:
        huggingface_hub.login(token=token, skip_if_logged_in=False)
    except (HfHubHTTPError, ValueError):
        # `from None`: the cause's text and its request hold the token.
        raise SourceError(
            "bad-token",
            "The Hub does not accept this token.",
            "It was mistyped, has expired, or was revoked.",
            f"Make a new one with read access at {settings.endpoint}/settings/tokens.",
        ) from None
    except httpx2.HTTPError as error:
        raise faults.of_exception(error, settings, "") from None
    except OSError as error:
        raise SourceError(
            "cannot-write", "The token could not be stored.", f"{error.strerror}.", "Check the folder of HF_HOME."
        ) from None
