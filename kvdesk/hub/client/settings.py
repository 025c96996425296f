"""Where the Hub is and how long to wait for it, from huggingface_hub's own environment variables.

They are read at each look-up, not when huggingface_hub is imported, so that a long-running window follows a change.
"""

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from kvdesk.core.errors import UsageError
from kvdesk.core.values import dataclass
from kvdesk.hub.refs import HUB

_TRUE = frozenset({"1", "ON", "YES", "TRUE"})
_LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The Hub's address without a slash at its end, and the limits of one look-up in seconds.

    `connect` and `read` bound one step on the wire, `total` one request with its redirects and retries, `headers` the
    reading of all checkpoint headers together. `cache` is None where nothing shall be kept; `hub_cache` is where other
    programs keep their downloads.
    """

    endpoint: str = HUB
    offline: bool = False
    cache: Path | None = None
    hub_cache: Path | None = None
    connect: float = 5.0
    read: float = 10.0
    total: float = 20.0
    headers: float = 30.0
    attempts: int = 3
    backoff: float = 0.5

    @property
    def host(self) -> str:
        """The Hub's host, for messages: without user, password and path."""
        return urlsplit(self.endpoint).hostname or self.endpoint

    @property
    def origin(self) -> tuple[str, str, int | None]:
        """Scheme, host and port: where a token may go."""
        return origin_of(self.endpoint)


def origin_of(url: str) -> tuple[str, str, int | None]:
    """Scheme, host and port of a URL, the scheme's own port filled in; all empty for a malformed one."""
    try:
        parts = urlsplit(url)
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return "", "", None
    return parts.scheme, (parts.hostname or "").lower(), port


def takes_tokens(url: str, settings: Settings) -> bool:
    """Whether a token may be sent to `url`: the Hub's own origin, over TLS or on this computer."""
    scheme, host, _ = origin_of(url)
    return origin_of(url) == settings.origin and (scheme == "https" or host in _LOOPBACK)


def from_environment(environment: Mapping[str, str] = os.environ) -> Settings:
    """The settings in force; raises `UsageError` (`bad-endpoint`) where HF_ENDPOINT is not a web address."""
    endpoint = (environment.get("HF_ENDPOINT", "").strip() or HUB).rstrip("/")
    try:
        parts = urlsplit(endpoint)
        valid = parts.scheme in {"http", "https"} and bool(parts.hostname) and parts.port != 0
    except ValueError:
        valid = False
    if not valid or "@" in endpoint:
        raise UsageError(
            "bad-endpoint",
            "HF_ENDPOINT is not the address of a Hub.",
            "It must begin with https:// or http:// and hold no user name or password.",
            f"Set it to such an address, or unset it to use {HUB}.",
        )
    offline = environment.get("HF_HUB_OFFLINE") or environment.get("TRANSFORMERS_OFFLINE") or ""
    return Settings(
        endpoint=endpoint,
        offline=offline.upper() in _TRUE,
        cache=_folder(environment, "ASSETS") / "kvdesk",
        hub_cache=_folder(environment, "HUB"),
    )


def _folder(environment: Mapping[str, str], kind: str) -> Path:
    """A folder of huggingface_hub: `HF_ASSETS_CACHE` or `HF_HUB_CACHE`, else below `HF_HOME` (its `constants.py`)."""
    home = environment.get("HF_HOME") or f"{environment.get('XDG_CACHE_HOME') or '~/.cache'}/huggingface"
    names = (f"HF_{kind}_CACHE", f"HUGGINGFACE_{kind}_CACHE")
    found = next((environment[name] for name in names if environment.get(name)), f"{home}/{kind.lower()}")
    return Path(os.path.expandvars(found)).expanduser()
