"""One bounded GET over huggingface_hub's own session.

Bounded in every direction: seconds to connect, to read and in all, bytes, redirects, attempts. A token goes to the
Hub's own origin over TLS (or loopback) and nowhere else, whatever a redirect says.
"""

import platform
import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import urljoin

from kvdesk import __version__
from kvdesk.core.errors import SourceError
from kvdesk.core.values import dataclass, field, replace
from kvdesk.hub.cancel import Cancel
from kvdesk.hub.client import faults
from kvdesk.hub.client.settings import Settings, origin_of, takes_tokens

if TYPE_CHECKING:
    import httpx2

_REDIRECTS = 8
_LONGEST_WAIT = 5
"""Seconds of `Retry-After` that are waited for; a longer wait is the user's to decide."""
_WORTH_RETRYING = frozenset({429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer below 400, or any answer where the caller asked for all; header names are in lower case.

    `headers` hold those of the redirects on the way too (X-Repo-Commit stands on the first), the last one winning.
    """

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Transport:
    """How one look-up talks to the Hub."""

    settings: Settings
    cancel: Cancel
    authorization: str = field(default="", repr=False)
    user_agent: str = ""

    @property
    def has_token(self) -> bool:
        """Whether requests to the Hub carry a token."""
        return bool(self.authorization)

    def get(self, url: str, *, limit: int, what: str, span: tuple[int, int] | None = None) -> Answer:
        """The answer to a GET, of any status, after redirects and the retries that can help.

        `limit` bounds the body in bytes and `what` names it in messages; `span` asks for bytes first..last only.
        Raises `SourceError` where no whole answer came, and `Cancelled`.
        """
        end = time.monotonic() + self.settings.total
        for attempt in range(1, self.settings.attempts + 1):
            last = attempt == self.settings.attempts
            try:
                answer = self._follow(url, limit, what, span, end)
            except _Transient as fault:
                if last or time.monotonic() > end:
                    raise fault.error from None
                self.cancel.wait(self._pause(attempt, end))
                continue
            wait = self._wait_for(answer, attempt)
            if last or wait is None or time.monotonic() + wait > end:
                return answer
            self.cancel.wait(wait)
        raise faults.timeout(self.settings)

    def _pause(self, attempt: int, end: float) -> float:
        return max(0.0, min(self._backoff(attempt), end - time.monotonic()))

    def _backoff(self, attempt: int) -> float:
        return self.settings.backoff * float(1 << (attempt - 1))

    def _wait_for(self, answer: Answer, attempt: int) -> float | None:
        """Seconds until the same request may fare better, None where it will not."""
        if answer.status not in _WORTH_RETRYING:
            return None
        asked = faults.retry_after(answer.headers)
        if asked is None:
            return None if answer.status == 429 else self._backoff(attempt)
        return asked if asked <= _LONGEST_WAIT else None

    def _follow(self, url: str, limit: int, what: str, span: tuple[int, int] | None, end: float) -> Answer:
        gathered: dict[str, str] = {}
        for _ in range(_REDIRECTS):
            answer = self._once(url, limit, what, span, end)
            gathered |= answer.headers
            location = answer.headers.get("location", "")
            if not (300 <= answer.status < 400 and location):
                return replace(answer, headers=gathered)
            gathered.pop("location", None)
            url = _target(url, location)
        raise faults.redirect("It redirects in a circle.")

    def _once(self, url: str, limit: int, what: str, span: tuple[int, int] | None, end: float) -> Answer:
        """One request without redirects."""
        import httpx2

        self.cancel.check()
        session = _session()
        timeout = httpx2.Timeout(self.settings.read, connect=self.settings.connect)
        sent = self._headers(url, span)
        try:
            with session.stream("GET", url, headers=sent, timeout=timeout, follow_redirects=False) as response:
                headers = {name.lower(): value for name, value in response.headers.items()}
                wanted = limit if span is None else min(limit, span[1] - span[0] + 1)
                if span is not None and response.status_code == 200:
                    # A server that ignores ranges would send the whole file.
                    return Answer(status=200, headers=headers)
                body = self._body(response.iter_bytes(), wanted, what, end)
                return Answer(status=response.status_code, headers=headers, body=body)
        except (httpx2.ReadError, httpx2.RemoteProtocolError, httpx2.WriteError) as error:
            raise _Transient(self._explained(error)) from None
        except (httpx2.HTTPError, httpx2.InvalidURL, httpx2.StreamError, OSError, ValueError) as error:
            raise self._explained(error) from None

    def _body(self, chunks: Iterable[bytes], limit: int, what: str, end: float) -> bytes:
        parts: list[bytes] = []
        size = 0
        for chunk in chunks:
            self.cancel.check()
            size += len(chunk)
            if size > limit:
                raise faults.too_large(what, limit)
            if time.monotonic() > end:
                raise faults.timeout(self.settings)
            parts.append(chunk)
        return b"".join(parts)

    def _headers(self, url: str, span: tuple[int, int] | None) -> dict[str, str]:
        headers = {"user-agent": self.user_agent, "accept-encoding": "identity"}
        if span is not None:
            headers["range"] = f"bytes={span[0]}-{span[1]}"
        if self.authorization and takes_tokens(url, self.settings):
            headers["authorization"] = self.authorization
        return headers

    def _explained(self, error: BaseException) -> SourceError:
        return faults.of_exception(error, self.settings, proxy_host(self.settings))


def _target(url: str, location: str) -> str:
    """Where a redirect leads; raises `SourceError` (`bad-redirect`)."""
    try:
        target = urljoin(url, location)
    except ValueError:
        target = ""
    scheme, host, _ = origin_of(target)
    if scheme not in {"http", "https"} or not host:
        raise faults.redirect("It leads to no web address.")
    if scheme == "http" and url.startswith("https:"):
        raise faults.redirect("It leads away from a secure connection.")
    return target


def _session() -> "httpx2.Client":
    """The session that all of huggingface_hub shares; made with the environment's proxies and certificates."""
    from huggingface_hub import get_session

    try:
        return get_session()
    except ImportError as error:
        raise faults.proxy_unusable("It is a SOCKS proxy, which this installation cannot use.") from error
    except OSError as error:
        raise faults.no_certificates() from error
    except Exception as error:  # what httpx2 raises for a malformed proxy depends on the fault: ValueError, InvalidURL
        raise faults.proxy_unusable("Its address is malformed.") from error


class _Transient(Exception):
    """A fault that may be gone at the next attempt."""

    def __init__(self, error: SourceError) -> None:
        super().__init__(error.code)
        self.error = error


def connect(settings: Settings, cancel: Cancel) -> Transport:
    """A transport with the token of huggingface_hub's own store, if there is one that may be sent.

    Raises `SourceError` (`bad-token`) for a token that cannot be a header. huggingface_hub's `build_hf_headers` is not
    used: for its user agent it asks the Hub for a list of programs, a round trip of up to three seconds.
    """
    import huggingface_hub
    from huggingface_hub import constants

    token = "" if constants.HF_HUB_DISABLE_IMPLICIT_TOKEN else huggingface_hub.get_token() or ""
    if not token.isascii() or not token.isprintable() or " " in token:
        raise SourceError(
            "bad-token",
            "Your access token is damaged.",
            "It holds characters that no token has.",
            "Log in again with “hf auth login”, or correct HF_TOKEN.",
        )
    agent = f"kvdesk/{__version__}; hf_hub/{huggingface_hub.__version__}; python/{platform.python_version()}"
    authorization = f"Bearer {token}" if token and takes_tokens(settings.endpoint, settings) else ""
    return Transport(settings, cancel, authorization, agent)


def proxy_host(settings: Settings) -> str:
    """The host of the proxy that requests to the Hub go through, "" for none; never its user or password."""
    from urllib.parse import urlsplit
    from urllib.request import getproxies, proxy_bypass

    proxies = getproxies()
    proxy = proxies.get(settings.origin[0]) or proxies.get("all") or ""
    if not proxy or proxy_bypass(settings.host):
        return ""
    try:
        return urlsplit(proxy if "://" in proxy else f"http://{proxy}").hostname or ""
    except ValueError:
        return ""
