"""What went wrong with the Hub, in words: exceptions of the transport and status codes -> `SourceError`.

The error codes in headers are those of huggingface_hub's `utils/_http.py` (`hf_raise_for_status`), 2.4. No text of the
server or of an exception is passed on, since either could hold a token or a signed URL.
"""

import socket
import ssl
from collections.abc import Iterator, Mapping

from kvdesk.core.errors import SourceError
from kvdesk.hub.client.settings import Settings

OFFLINE_HINT = "Give a config.json that you have, or a name of “kvdesk models”, which work without a network."


def of_exception(error: BaseException, settings: Settings, proxy: str) -> SourceError:
    """The error that a request ended with; `proxy` is the host of the proxy in use, "" for none."""
    import httpx2

    chain = tuple(_chain(error))
    if isinstance(error, httpx2.ProxyError):
        return _proxy(proxy, error)
    for cause in chain:
        if isinstance(cause, ssl.SSLError) and not isinstance(error, httpx2.ReadError):
            return _tls(cause, settings)
        if isinstance(cause, socket.gaierror):
            name = proxy or settings.host
            return _no_network(f"The name {name} could not be resolved.", proxy)
    if isinstance(error, httpx2.TimeoutException):
        return timeout(settings)
    if isinstance(error, httpx2.ConnectError):
        refused = any(isinstance(cause, ConnectionRefusedError) for cause in chain)
        what = "refused the connection" if refused else "could not be reached"
        return _no_network(f"{proxy or settings.host} {what}.", proxy)
    return SourceError(
        "broken-answer",
        f"The answer of {settings.host} broke off or was not HTTP.",
        "The connection was cut, or something in between altered it.",
        "Try again; behind a company proxy, set HTTPS_PROXY.",
    )


def _chain(error: BaseException | None) -> Iterator[BaseException]:
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        yield error
        error = error.__cause__ or error.__context__


def timeout(settings: Settings) -> SourceError:
    """Nothing came for too long."""
    return SourceError(
        "timeout",
        f"{settings.host} did not answer in time.",
        f"It was given {settings.read:.0f} seconds for each step and {settings.total:.0f} seconds in all.",
        "Try again later. " + OFFLINE_HINT,
    )


def redirect(why: str) -> SourceError:
    """A redirect that is not followed."""
    return SourceError("bad-redirect", "The Hub's redirect was not followed.", why, "Check HF_ENDPOINT and any proxy.")


def too_large(what: str, limit: int) -> SourceError:
    """An answer beyond what its kind can need."""
    return SourceError(
        "too-large",
        f"{what} is too large to be read.",
        f"It has more than {limit // 2**20} MiB.",
        "Check that the address is that of a language model.",
    )


def malformed(what: str, settings: Settings) -> SourceError:
    """An answer that does not have the shape of the Hub's."""
    return SourceError(
        "malformed-answer",
        f"{settings.host} did not answer as a Hub does.",
        f"{what} A log-in page of the network or a proxy can be the reason.",
        "Open the model's page in a browser, or check HF_ENDPOINT.",
    )


def _no_network(why: str, proxy: str) -> SourceError:
    through = f" The proxy comes from HTTP_PROXY, HTTPS_PROXY or the system's settings ({proxy})." if proxy else ""
    return SourceError(
        "no-network",
        "The Hub cannot be reached.",
        why + through,
        "Check the network" + (" and the proxy. " if proxy else "; behind a proxy, set HTTPS_PROXY. ") + OFFLINE_HINT,
    )


def proxy_unusable(why: str) -> SourceError:
    """The proxy of the environment cannot be used; its address may hold a password and is not repeated."""
    return SourceError(
        "proxy",
        "The proxy that is set cannot be used.",
        f"{why} It comes from HTTP_PROXY, HTTPS_PROXY, ALL_PROXY or the system's settings.",
        "Correct it, or list the Hub in NO_PROXY.",
    )


def _proxy(proxy: str, error: BaseException | None) -> SourceError:
    """`error` is None where the proxy itself answered with 407."""
    asks = error is None or "407" in str(error)
    name = f"The proxy {proxy}".strip()
    return SourceError(
        "proxy",
        f"{name} asks for a password." if asks else f"{name} did not let the request through.",
        "It comes from HTTP_PROXY, HTTPS_PROXY or the system's settings.",
        "Set it as http://user:password@host:port." if asks else "Check its address, or list the Hub in NO_PROXY.",
    )


_TLS_REASONS = (
    ("expired", "Its certificate has expired, or this computer's clock is wrong."),
    ("self-signed", "Its certificate is signed by an authority that this computer does not trust."),
    ("self signed", "Its certificate is signed by an authority that this computer does not trust."),
    ("unable to get", "Its certificate is signed by an authority that this computer does not trust."),
    ("mismatch", "Its certificate belongs to another host."),
    ("not valid for", "Its certificate belongs to another host."),
)


def no_certificates() -> SourceError:
    """The certificates to check against cannot be read."""
    return SourceError(
        "tls",
        "No secure connection can be made.",
        "The certificates that SSL_CERT_FILE or SSL_CERT_DIR names cannot be read.",
        "Correct that variable, or unset it.",
    )


def _tls(error: ssl.SSLError, settings: Settings) -> SourceError:
    text = (getattr(error, "verify_message", "") or str(error)).lower()
    reason = next((words for mark, words in _TLS_REASONS if mark in text), "No secure connection could be agreed on.")
    return SourceError(
        "tls",
        f"The connection to {settings.host} is not secure, so it was not used.",
        reason,
        "Where your network inspects traffic, point SSL_CERT_FILE to its root certificate.",
    )


def of_status(status: int, headers: Mapping[str, str], repo_id: str, *, token: bool, settings: Settings) -> SourceError:
    """The error that a status of 400 and more means for a request about `repo_id`; `token` is whether one was sent."""
    code = headers.get("x-error-code", "")
    if code == "GatedRepo":
        return gated(repo_id, settings, token=token)
    if code in _MISSING:
        what, remedy = _MISSING[code]
        return SourceError(f"{what}-not-found", f"{repo_id} has no such {what}.", "", remedy)
    if status == 401 and headers.get("x-error-message", "").startswith("Invalid credentials"):
        return _bad_token()
    if code == "RepoNotFound" or status in {401, 404, 410}:
        return not_found(repo_id, token=token)
    return _of_plain_status(status, headers, repo_id, token=token, settings=settings)


_MISSING = {
    "RevisionNotFound": ("revision", "A revision is a branch, a tag or a commit; leave “@…” away for the newest."),
    "EntryNotFound": ("file", "Check the file's name."),
}


def _of_plain_status(
    status: int, headers: Mapping[str, str], repo_id: str, *, token: bool, settings: Settings
) -> SourceError:
    if status == 403:
        return _denied(repo_id, headers)
    if status == 407:
        return _proxy("", None)
    if status == 429:
        return _rate_limited(headers, settings, token=token)
    return _hub_error(status, settings)


def gated(repo_id: str, settings: Settings, *, token: bool) -> SourceError:
    """The repository's conditions were not accepted, or not by this user."""
    page = f"{settings.endpoint}/{repo_id}"
    log_in = "" if token else ", then log in with “hf auth login”"
    return SourceError(
        "gated",
        f"{repo_id} is gated: its files open only to those who accepted its conditions.",
        "The account of your token has no access." if token else "You are not logged in.",
        f"Accept the conditions at {page}{log_in}. {OFFLINE_HINT}",
    )


def not_found(repo_id: str, *, token: bool) -> SourceError:
    """No such model for this user."""
    return SourceError(
        "model-not-found",
        f"There is no model {repo_id} on the Hub, or it is private.",
        "Your token does not open it either." if token else "",
        "Check the spelling." if token else "Check the spelling; for a private model, log in with “hf auth login”.",
    )


def _bad_token() -> SourceError:
    return SourceError(
        "bad-token",
        "The Hub does not accept your access token.",
        "It has expired or was revoked.",
        "Log in again with “hf auth login”, or unset HF_TOKEN.",
    )


def _denied(repo_id: str, headers: Mapping[str, str]) -> SourceError:
    if headers.get("x-error-message") == "Access to this resource is disabled.":
        return SourceError(
            "disabled", f"{repo_id} has been disabled on the Hub.", "", "Choose another copy of the model."
        )
    return SourceError(
        "denied",
        f"The Hub denies access to {repo_id}.",
        "The token's permissions do not cover it, or a proxy blocks it.",
        "Use a token that may read this repository.",
    )


def _rate_limited(headers: Mapping[str, str], settings: Settings, *, token: bool) -> SourceError:
    seconds = retry_after(headers)
    when = "in a few minutes" if seconds is None else f"in {seconds} seconds"
    return SourceError(
        "rate-limited",
        f"{settings.host} has had too many requests from here.",
        "",
        f"Try again {when}." if token else f"Try again {when}; logged-in users may ask more often.",
    )


def retry_after(headers: Mapping[str, str]) -> int | None:
    """Seconds to wait that a 429 or 503 names, in `Retry-After` or the Hub's `RateLimit`; None for none."""
    from huggingface_hub.utils import parse_ratelimit_headers

    plain = headers.get("retry-after", "").strip()
    if plain.isascii() and plain.isdigit() and len(plain) < 8:
        return int(plain)
    limits = parse_ratelimit_headers(headers)
    return limits.reset_in_seconds if limits is not None and limits.remaining == 0 else None


def _hub_error(status: int, settings: Settings) -> SourceError:
    ours = "It did not understand the request." if status < 500 else "The fault is on its side."
    return SourceError(
        "hub-error",
        f"{settings.host} answered with status {status}.",
        ours,
        "Try again in a few minutes. " + OFFLINE_HINT,
    )
