"""The matrix of network faults over real sockets: the word, the time until it shows, and that a retry works.

Every fault ends in a `SourceError` with a remedy, within the limits of the fixture `settings` (0.5 s for a step, 2 s in
all), and a look-up after the fault has gone succeeds.
"""

import errno
import os
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from kvdesk.core.errors import SourceError, UsageError
from kvdesk.hub import client
from kvdesk.hub.client.settings import Settings, from_environment
from kvdesk.hub.refs import HubRef
from kvdesk.hub.snapshot import Snapshot
from tests.support.fake_hub import FakeHub, Reply, Request, error, serve

NAME = "org/model"
REF = HubRef(NAME)
TLS = Path(__file__).parents[1] / "fixtures" / "tls"


@pytest.fixture
def model(fake_hub: FakeHub) -> str:
    """A model on the Hub; its commit."""
    return fake_hub.add(NAME, {"config.json": {"model_type": "llama"}}).commit


def fails(settings: Settings, code: str, within: float = 2.7, ref: HubRef = REF) -> SourceError:
    """The error of a look-up that has to fail with `code` in that time."""
    start = time.monotonic()
    with pytest.raises(SourceError) as caught:
        client.look_up(ref, settings=settings)
    took = time.monotonic() - start
    assert caught.value.code == code, str(caught.value)
    assert took < within, f"{code} took {took:.1f} s"
    assert caught.value.title
    assert caught.value.remedy
    assert len(str(caught.value)) < 600
    return caught.value


def works(settings: Settings) -> Snapshot:
    return client.look_up(REF, settings=settings)


# ------------------------------------------------------------------------------------ answers that are none, or not all


def raw(data: bytes) -> Reply:
    return Reply(raw=data)


BROKEN: dict[str, tuple[Callable[[Request], Reply], str]] = {
    "garbage": (lambda _: raw(b"\x00\x01\x02 nonsense\r\n\r\n"), "broken-answer"),
    "closed at once": (lambda _: raw(b""), "broken-answer"),
    "cut headers": (lambda _: raw(b"HTTP/1.1 200 OK\r\nContent-Le"), "broken-answer"),
    "cut body": (lambda _: Reply(body=b'{"sha": "0123456789"}', cut=5), "broken-answer"),
    "body shorter than said": (lambda _: Reply(headers={"Content-Length": "500"}, body=b"{}", cut=2), "broken-answer"),
    "bad chunk": (
        lambda _: raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\nabc"),
        "broken-answer",
    ),
    "a log-in page": (lambda _: Reply(headers={"Content-Type": "text/html"}, body=b"<html>Log in"), "malformed-answer"),
    "another JSON": (lambda _: Reply(body=b"[1, 2]"), "malformed-answer"),
    "no commit": (lambda _: Reply(body=b'{"sha": 7, "siblings": []}'), "malformed-answer"),
    "no files": (lambda _: Reply(body=b'{"sha": "' + b"a" * 40 + b'"}'), "malformed-answer"),
    "deep JSON": (lambda _: Reply(body=b"[" * 200_000), "malformed-answer"),
    "500": (lambda _: Reply(status=500), "hub-error"),
    "502": (lambda _: Reply(status=502, body=b"<html>"), "hub-error"),
    "503": (lambda _: Reply(status=503), "hub-error"),
    "504": (lambda _: Reply(status=504), "hub-error"),
    "418": (lambda _: Reply(status=418), "hub-error"),
    "403": (lambda _: Reply(status=403), "denied"),
    "disabled": (lambda _: error(403, "", "Access to this resource is disabled."), "disabled"),
    "404": (lambda _: Reply(status=404), "model-not-found"),
    "410": (lambda _: Reply(status=410), "model-not-found"),
    "429": (lambda _: Reply(status=429), "rate-limited"),
    "redirects in a circle": (lambda request: Reply(status=302, headers={"Location": request.path}), "bad-redirect"),
    "redirect to a file": (lambda _: Reply(status=302, headers={"Location": "file:///etc/passwd"}), "bad-redirect"),
    "redirect to nothing": (lambda _: Reply(status=302, headers={"Location": "http://"}), "bad-redirect"),
    "redirect to nonsense": (lambda _: Reply(status=302, headers={"Location": "http://[::1"}), "bad-redirect"),
}


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize("name", BROKEN)
def test_broken_answers(fake_hub: FakeHub, settings: Settings, name: str) -> None:
    fake_hub.fault, code = BROKEN[name]
    fails(settings, code)
    fake_hub.fault = None
    works(settings)


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize("where", ["/api/models/", "/resolve/"])
def test_hangs_before_the_answer(fake_hub: FakeHub, settings: Settings, where: str) -> None:
    def hang(request: Request) -> Reply | None:
        if where in request.path:
            fake_hub.hang(5)
        return None

    fake_hub.fault = hang
    fails(settings, "timeout", within=1.5)
    fake_hub.fault = None
    works(settings)


@pytest.mark.usefixtures("model")
def test_slow_drip(fake_hub: FakeHub, settings: Settings) -> None:
    fake_hub.fault = lambda _: Reply(body=b" " * 1000, drip=0.1)
    fails(replace(settings, total=1.0), "timeout", within=1.7)
    fake_hub.fault = None
    works(settings)


@pytest.mark.usefixtures("model")
def test_hangs_in_the_middle(fake_hub: FakeHub, settings: Settings) -> None:
    fake_hub.fault = lambda _: Reply(body=b" " * 10, drip=5.0)
    fails(settings, "timeout", within=1.5)
    fake_hub.fault = None
    works(settings)


@pytest.mark.usefixtures("model")
def test_what_is_too_large_is_not_read(fake_hub: FakeHub, settings: Settings) -> None:
    fake_hub.repos[NAME].files["config.json"] = b" " * (10 * 2**20 + 1)
    fails(settings, "too-large")


@pytest.mark.usefixtures("model")
def test_a_passing_fault_is_overcome(fake_hub: FakeHub, settings: Settings) -> None:
    left = [Reply(status=503), raw(b""), Reply(status=500), Reply(status=502)]
    fake_hub.fault = lambda _: left.pop() if left else None
    assert not works(settings).from_cache
    assert left == []


@pytest.mark.usefixtures("model")
def test_a_short_wait_is_waited_for(fake_hub: FakeHub, settings: Settings) -> None:
    left = [Reply(status=429, headers={"Retry-After": "1"})]
    fake_hub.fault = lambda _: left.pop() if left else None
    start = time.monotonic()
    works(settings)
    assert 1.0 <= time.monotonic() - start < 1.9


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize(
    "headers",
    [{"Retry-After": "55"}, {"RateLimit": '"api";r=0;t=55', "RateLimit-Policy": '"fixed window";"api";q=500;w=300'}],
)
def test_a_long_wait_is_told(fake_hub: FakeHub, settings: Settings, headers: dict[str, str]) -> None:
    fake_hub.fault = lambda _: Reply(status=429, headers=headers)
    assert "in 55 seconds" in fails(settings, "rate-limited", within=1.0).remedy


# ------------------------------------------------------------------------------------------------------ nobody is there


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port: int = taken.getsockname()[1]
    return port


def test_refused(settings: Settings) -> None:
    found = fails(replace(settings, endpoint=f"http://127.0.0.1:{free_port()}"), "no-network", within=1.0)
    assert "refused" in found.detail


@contextmanager
def full_queue() -> Iterator[int]:
    """A port whose queue is full: connections are neither taken nor refused."""
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(0)
        port: int = listening.getsockname()[1]
        waiting = [socket.socket() for _ in range(8)]
        for one in waiting:
            one.setblocking(False)
            one.connect_ex(("127.0.0.1", port))
        try:
            yield port
        finally:
            for one in waiting:
                one.close()


@pytest.mark.skipif(os.name == "nt", reason="Windows refuses what a full queue cannot take")
def test_a_connection_that_is_never_taken(settings: Settings) -> None:
    with full_queue() as port:
        fails(replace(settings, endpoint=f"http://127.0.0.1:{port}", connect=0.5), "timeout", within=1.5)


def test_unreachable(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def unreachable(*_: object, **__: object) -> None:
        raise OSError(errno.ENETUNREACH, "Network is unreachable")

    monkeypatch.setattr(socket, "create_connection", unreachable)
    fails(settings, "no-network", within=1.0)


def test_a_name_that_does_not_exist(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    found = fails(replace(settings, endpoint="http://hub.invalid"), "no-network", within=1.0)
    assert "hub.invalid" in found.detail


# ------------------------------------------------------------------------------------------------------ who may read it


def test_gated(fake_hub: FakeHub, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_hub.add(NAME, {"config.json": {}}, access="gated")
    found = fails(settings, "gated")
    assert f"{fake_hub.url}/{NAME}" in found.remedy
    assert "hf auth login" in found.remedy
    monkeypatch.setenv("HF_TOKEN", "hf_other")
    assert "account" in fails(settings, "gated").detail
    monkeypatch.setenv("HF_TOKEN", "hf_right")
    assert works(settings).gated


def test_a_gated_model_of_the_catalogue_says_so(fake_hub: FakeHub, settings: Settings) -> None:
    name = "meta-llama/Llama-3.1-8B-Instruct"
    fake_hub.add(name, {"config.json": {}}, access="gated")
    assert "llama-3.1-8b" in fails(settings, "gated", ref=HubRef(name)).remedy


def test_private(fake_hub: FakeHub, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_hub.add(NAME, {"config.json": {}}, access="private")
    assert "log in" in fails(settings, "model-not-found").remedy
    monkeypatch.setenv("HF_TOKEN", "hf_other")
    assert "token" in fails(settings, "model-not-found").detail
    monkeypatch.setenv("HF_TOKEN", "hf_right")
    works(settings)


@pytest.mark.usefixtures("model")
def test_bad_tokens(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_expired")
    fails(settings, "bad-token")
    monkeypatch.setenv("HF_TOKEN", "hf_with\x07bell")
    assert "bell" not in str(fails(settings, "bad-token"))


@pytest.mark.usefixtures("model")
def test_an_unknown_revision(settings: Settings) -> None:
    fails(settings, "revision-not-found", ref=HubRef(NAME, "nope"))


# -------------------------------------------------------------------------------------------- where a token does not go


@pytest.mark.usefixtures("model")
def test_no_token_follows_to_another_host(
    fake_hub: FakeHub, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_TOKEN", "hf_right")
    config = fake_hub.repos[NAME].files["config.json"]
    with serve() as other:
        other.fault = lambda _: Reply(body=config)

        def away(request: Request) -> Reply | None:
            if "/resolve/" not in request.path:
                return None
            headers = {"Location": f"{other.url}/elsewhere", "X-Repo-Commit": fake_hub.repos[NAME].commit}
            return Reply(status=302, headers=headers)

        fake_hub.fault = away
        works(settings)
        assert other.requests
        assert all("authorization" not in request.headers for request in other.requests)
    assert all(request.headers["authorization"] == "Bearer hf_right" for request in fake_hub.requests)


def test_no_token_without_tls_but_on_this_computer() -> None:
    from kvdesk.hub.client.settings import takes_tokens

    hub = Settings(endpoint="https://hub.example.com/x")
    assert takes_tokens("https://hub.example.com/a", hub)
    assert takes_tokens("https://HUB.example.com:443/a", hub)
    assert not takes_tokens("http://hub.example.com/a", hub)
    assert not takes_tokens("https://hub.example.com:8443/a", hub)
    assert not takes_tokens("https://example.com/a", hub)
    assert not takes_tokens("http://hub.example.com/a", Settings(endpoint="http://hub.example.com"))
    assert takes_tokens("http://127.0.0.1:9/a", Settings(endpoint="http://127.0.0.1:9"))


@pytest.mark.usefixtures("model")
def test_a_token_is_in_no_word_and_no_file(
    fake_hub: FakeHub, settings: Settings, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    monkeypatch.setenv("HF_TOKEN", "hf_right")
    texts = [repr(works(settings))]
    for name, (fault, _) in BROKEN.items():
        fake_hub.fault = fault
        with pytest.raises(SourceError) as caught:
            client.look_up(HubRef(NAME, "main", "x.json"), settings=replace(settings, cache=None))
        texts += [name, str(caught.value), repr(caught.value.__cause__), repr(caught.value.__context__)]
    assert settings.cache is not None
    texts += [file.read_text() for file in settings.cache.rglob("*") if file.is_file()]
    texts += [record.getMessage() for record in caplog.records]
    assert not [text for text in texts if "hf_right" in text]


# ------------------------------------------------------------------------------------------------------------------ TLS


@pytest.fixture
def no_session() -> Iterator[None]:
    """A session that is made anew, so that it reads the environment of this test."""
    from huggingface_hub.utils import close_session

    close_session()
    yield
    close_session()


@pytest.mark.usefixtures("no_session")
@pytest.mark.parametrize(("name", "reason"), [("self_signed.pem", "trust"), ("expired.pem", "trust")])
def test_certificates_nobody_vouches_for(tmp_path: Path, settings: Settings, name: str, reason: str) -> None:
    with serve(certificate=TLS / name) as hub:
        found = fails(replace(settings, endpoint=hub.url), "tls", within=1.5)
        assert reason in found.detail
        assert hub.requests == []


@pytest.mark.usefixtures("no_session")
def test_an_expired_certificate(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(TLS / "expired.pem"))
    with serve(certificate=TLS / "expired.pem") as hub:
        assert "expired" in fails(replace(settings, endpoint=hub.url), "tls", within=1.5).detail


@pytest.mark.usefixtures("no_session")
def test_a_certificate_that_the_user_trusts(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(TLS / "self_signed.pem"))
    monkeypatch.setenv("HF_TOKEN", "hf_right")
    with serve(certificate=TLS / "self_signed.pem") as hub:
        hub.add(NAME, {"config.json": {}})
        works(replace(settings, endpoint=hub.url))
        assert {request.headers["authorization"] for request in hub.requests} == {"Bearer hf_right"}


@pytest.mark.usefixtures("no_session")
def test_no_way_back_from_tls(fake_hub: FakeHub, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(TLS / "self_signed.pem"))
    with serve(certificate=TLS / "self_signed.pem") as hub:
        hub.fault = lambda request: Reply(status=307, headers={"Location": f"{fake_hub.url}{request.path}"})
        fails(replace(settings, endpoint=hub.url), "bad-redirect")
    assert fake_hub.requests == []


@pytest.mark.usefixtures("no_session")
def test_a_certificate_file_that_is_not_there(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", "/no/such/file.pem")
    assert "SSL_CERT_FILE" in fails(settings, "tls").detail


def test_tls_to_a_server_without_it(fake_hub: FakeHub, settings: Settings) -> None:
    fails(replace(settings, endpoint=fake_hub.url.replace("http:", "https:")), "tls")


# -------------------------------------------------------------------------------------------------------------- proxies


@pytest.mark.usefixtures("model")
@pytest.mark.parametrize("user", ["", "me:secret@"])
def test_through_a_proxy(fake_hub: FakeHub, settings: Settings, monkeypatch: pytest.MonkeyPatch, user: str) -> None:
    monkeypatch.setenv("HTTP_PROXY", fake_hub.url.replace("//", f"//{user}"))
    works(replace(settings, endpoint="http://hub.invalid"))
    sent = {request.headers.get("proxy-authorization", "") for request in fake_hub.requests}
    # Basic me:secret
    assert sent == ({"Basic bWU6c2VjcmV0"} if user else {""})
    assert {request.headers["host"] for request in fake_hub.requests} == {"hub.invalid"}


@pytest.mark.usefixtures("model")
def test_proxies_that_do_not_help(fake_hub: FakeHub, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", fake_hub.url)
    monkeypatch.setenv("HTTPS_PROXY", fake_hub.url.replace("//", "//me:secret@"))
    fake_hub.fault = lambda _: Reply(status=407)
    assert "password" in fails(replace(settings, endpoint="http://hub.invalid"), "proxy").title
    assert "secret" not in str(fails(replace(settings, endpoint="https://hub.invalid"), "proxy"))
    fake_hub.fault = None
    found = fails(replace(settings, endpoint="https://hub.invalid"), "proxy")
    assert "127.0.0.1" in found.title
    works(replace(settings, endpoint="http://hub.invalid"))


def test_a_proxy_that_is_not_there(settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://me:secret@127.0.0.1:{free_port()}")
    found = fails(replace(settings, endpoint="http://hub.invalid"), "no-network", within=1.0)
    assert "proxy" in found.detail
    assert "secret" not in str(found)


@pytest.mark.parametrize("address", ["nonsense://127.0.0.1:1", "http://[::1", "socks5://127.0.0.1:1"])
def test_a_proxy_that_makes_no_sense(settings: Settings, monkeypatch: pytest.MonkeyPatch, address: str) -> None:
    monkeypatch.setenv("HTTP_PROXY", address)
    with pytest.raises(SourceError) as caught:
        client.look_up(REF, settings=replace(settings, endpoint="http://hub.invalid"))
    assert caught.value.code == "proxy"


@pytest.mark.usefixtures("model")
def test_no_proxy(fake_hub: FakeHub, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{free_port()}")
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")
    works(settings)


# ------------------------------------------------------------------------------------------------------------ endpoints


@pytest.mark.usefixtures("model")
def test_an_endpoint_with_a_path(fake_hub: FakeHub, settings: Settings) -> None:
    def below(request: Request) -> Reply | None:
        assert request.path.startswith("/mirror/hf/")
        fake_hub.fault = None
        reply = fake_hub.answer(replace(request, path=request.path.removeprefix("/mirror/hf")))
        fake_hub.fault = below
        return reply

    fake_hub.fault = below
    found = client.look_up(REF, settings=replace(settings, endpoint=f"{fake_hub.url}/mirror/hf"))
    assert found.repo_id == NAME


@pytest.mark.parametrize("address", ["ftp://x", "huggingface.co", "https://", "http://[::1", "https://me:secret@x"])
def test_endpoints_that_are_none(address: str) -> None:
    with pytest.raises(UsageError) as caught:
        from_environment({"HF_ENDPOINT": address})
    assert caught.value.code == "bad-endpoint"
    assert "secret" not in str(caught.value)


def test_settings_come_from_the_environment() -> None:
    found = from_environment({"HF_ENDPOINT": " https://hub.example.com/x/ ", "HF_HUB_OFFLINE": "yes", "HF_HOME": "/hf"})
    assert (found.endpoint, found.offline) == ("https://hub.example.com/x", True)
    assert found.cache == Path("/hf/assets/kvdesk")
    assert from_environment({"HF_ASSETS_CACHE": "/a"}).cache == Path("/a/kvdesk")
    assert from_environment({}).endpoint == "https://huggingface.co"
