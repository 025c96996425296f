"""A Hub on loopback that answers as the real one does, for tests and for the bench.

The shapes are those that huggingface_hub 2.4 relies on: `/api/models/ID[/revision/REV]` (hf_api.py `model_info`),
`/ID/resolve/REV/FILE` with ETag, X-Repo-Commit, X-Linked-Etag and X-Linked-Size, redirects of large files to another
place (file_download.py `get_hf_file_metadata`), and the X-Error-Code of `utils/_http.py` (`hf_raise_for_status`).

    python -m tests.support.fake_hub FOLDER [--port N] [--latency SECONDS]

serves every folder `FOLDER/org/name` that holds files as a repository.
"""

import argparse
import hashlib
import json
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

TOKEN = "hf_right"  # noqa: S105  # opens nothing but this server's repositories
LARGE = 10 * 2**20
"""Files at least this large are in large-file storage, as are all weights."""


@dataclass(kw_only=True)
class Repo:
    """One repository: its files by name, and who may read it.

    `sizes` announce a size other than that of the bytes at hand, so that a checkpoint needs its header only. `access`
    is "public", "gated" (anyone sees that it exists), or "private"; `token` is the one that opens it.
    """

    files: dict[str, bytes]
    sizes: dict[str, int] = field(default_factory=dict)
    access: str = "public"
    token: str = TOKEN
    revisions: dict[str, str] = field(default_factory=dict)
    renamed_to: str = ""

    @property
    def commit(self) -> str:
        """The commit of the files as they are."""
        text = json.dumps([[name, hashlib.sha256(data).hexdigest()] for name, data in sorted(self.files.items())])
        return hashlib.sha1(text.encode(), usedforsecurity=False).hexdigest()

    def size(self, name: str) -> int:
        """The size that the Hub announces."""
        return self.sizes.get(name, len(self.files[name]))

    def is_large(self, name: str) -> bool:
        """Whether the file is in large-file storage."""
        return name.endswith((".safetensors", ".gguf", ".bin")) or self.size(name) >= LARGE

    def etag(self, name: str) -> str:
        """The SHA-256 of a large file, git's blob id of a small one."""
        data = self.files[name]
        if self.is_large(name):
            return hashlib.sha256(data).hexdigest()
        return hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()


@dataclass(frozen=True, kw_only=True)
class Request:
    """A request as it came; header names in lower case."""

    method: str
    path: str
    query: Mapping[str, list[str]]
    headers: Mapping[str, str]
    at: float


@dataclass(kw_only=True)
class Reply:
    """What to answer. `raw` goes to the socket as it is; `cut` closes after that many bytes; `drip` waits between."""

    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""
    raw: bytes | None = None
    cut: int | None = None
    drip: float = 0.0


Fault = Callable[[Request], Reply | None]
"""Looks at a request before the Hub does; None leaves it to the Hub."""


class FakeHub:
    """The repositories and the log of one server. Start it with `serve`."""

    def __init__(self) -> None:
        self.repos: dict[str, Repo] = {}
        self.requests: list[Request] = []
        self.fault: Fault | None = None
        self.latency = 0.0
        self.url = ""
        self.redirects_small = False
        self.storage_url = ""
        self.released = threading.Event()

    def add(self, repo_id: str, files: Mapping[str, object], **options: object) -> Repo:
        """A repository; text and objects become bytes. `options` are fields of `Repo`."""
        data = {name: _as_bytes(content) for name, content in files.items()}
        repo = Repo(files=data, **options)  # type: ignore[arg-type]  # fields of Repo, checked by dataclasses
        self.repos[repo_id] = repo
        return repo

    @property
    def paths(self) -> list[str]:
        """The paths asked for, in order."""
        return [request.path for request in self.requests]

    def hang(self, seconds: float = 30.0) -> None:
        """Hold a request until the server stops."""
        self.released.wait(seconds)

    # ------------------------------------------------------------------------------------------------------ answering

    def answer(self, request: Request) -> Reply:
        """What the Hub says to `request`."""
        self.requests.append(request)
        if self.latency:
            self.released.wait(self.latency)
        if self.fault is not None and (reply := self.fault(request)) is not None:
            return reply
        if request.method == "CONNECT":
            return Reply(status=403)
        if request.path == "/api/models":
            return self._search(request)
        if request.path.startswith("/api/models/"):
            return self._info(request)
        if request.path.startswith("/storage/"):
            return self._stored(request)
        if "/resolve/" in request.path:
            return self._file(request)
        return error(404, "RepoNotFound", "Repository not found")

    def _search(self, request: Request) -> Reply:
        text = request.query.get("search", [""])[0].lower()
        found = [name for name in self.repos if text in name.lower()]
        return as_json([{"id": name, "modelId": name} for name in found])

    def _info(self, request: Request) -> Reply:
        tail = unquote(request.path.removeprefix("/api/models/"))
        repo_id, _, revision = tail.partition("/revision/")
        if (refused := self._refusal(repo_id, request, files=False)) is not None:
            return refused
        repo = self.repos[repo_id]
        if repo.renamed_to:
            return Reply(status=307, headers={"Location": f"/api/models/{repo.renamed_to}?{_query(request)}"})
        commit = self._commit(repo, revision or "main")
        if commit is None:
            return error(404, "RevisionNotFound", "Invalid rev id: " + revision)
        siblings = [self._sibling(repo, name, blobs="blobs" in request.query) for name in sorted(repo.files)]
        gated: object = "manual" if repo.access == "gated" else False
        return as_json(
            {"id": repo_id, "modelId": repo_id, "sha": commit, "gated": gated, "private": repo.access == "private"}
            | {"siblings": siblings, "tags": [], "downloads": 1}
        )

    def _sibling(self, repo: Repo, name: str, *, blobs: bool) -> dict[str, object]:
        entry: dict[str, object] = {"rfilename": name}
        if blobs:
            entry |= {"size": repo.size(name), "blobId": repo.etag(name)}
            if repo.is_large(name):
                entry["lfs"] = {"sha256": repo.etag(name), "size": repo.size(name), "pointerSize": 135}
        return entry

    def _file(self, request: Request) -> Reply:
        repo_id, _, rest = unquote(request.path).lstrip("/").partition("/resolve/")
        if (refused := self._refusal(repo_id, request, files=True)) is not None:
            return refused
        repo = self.repos[repo_id]
        if repo.renamed_to:
            return Reply(status=307, headers={"Location": f"/{repo.renamed_to}/resolve/{rest}"})
        revision, name = _split_revision(rest)
        commit = self._commit(repo, revision)
        if commit is None:
            return error(404, "RevisionNotFound", "Invalid rev id: " + revision)
        if name not in repo.files:
            return error(404, "EntryNotFound", "Entry not found", {"X-Repo-Commit": commit})
        headers = {"X-Repo-Commit": commit, "ETag": f'"{repo.etag(name)}"', "Accept-Ranges": "bytes"}
        if repo.is_large(name):
            headers |= {"X-Linked-Size": str(repo.size(name)), "X-Linked-ETag": f'"{repo.etag(name)}"'}
            base = self.storage_url or self.url
            headers["Location"] = f"{base}/storage/{repo_id}/{name}?signature=x"
            return Reply(status=302, headers=headers)
        if self.redirects_small and "redirected" not in request.query:
            headers["Location"] = f"{request.path}?redirected=1"
            return Reply(status=307, headers=headers)
        return ranged(request, repo.files[name], repo.size(name), headers)

    def _stored(self, request: Request) -> Reply:
        org, name, file = unquote(request.path).removeprefix("/storage/").split("/", 2)
        repo = self.repos[f"{org}/{name}"]
        return ranged(request, repo.files[file], repo.size(file), {})

    def _refusal(self, repo_id: str, request: Request, *, files: bool) -> Reply | None:
        repo = self.repos.get(repo_id)
        sent = request.headers.get("authorization", "").removeprefix("Bearer ")
        if sent == "hf_expired":
            return error(401, "", "Invalid credentials in Authorization header")
        if repo is None or (repo.access == "private" and sent != repo.token):
            # The Hub does not tell strangers whether a repository exists.
            return error(404, "RepoNotFound", "Repository not found") if sent else error(401, "RepoNotFound", "Sorry")
        if files and repo.access == "gated" and sent != repo.token:
            return error(403 if sent else 401, "GatedRepo", "Access to model is restricted")
        return None

    def _commit(self, repo: Repo, revision: str) -> str | None:
        if revision in {"main", repo.commit}:
            return repo.commit
        return repo.revisions.get(revision)


def ranged(request: Request, data: bytes, size: int, headers: dict[str, str]) -> Reply:
    """`data`, or the part of it that was asked for, as the beginning of a file of `size` bytes."""
    span = request.headers.get("range", "")
    if not span.startswith("bytes="):
        return Reply(headers=headers, body=data)
    first, _, last = span.removeprefix("bytes=").partition("-")
    begin, end = int(first), min(int(last or size - 1), size - 1)
    if begin >= size:
        return Reply(status=416, headers={"Content-Range": f"bytes */{size}"})
    part = data[begin : end + 1].ljust(end + 1 - begin, b"\0")
    return Reply(status=206, headers=headers | {"Content-Range": f"bytes {begin}-{end}/{size}"}, body=part)


def as_json(value: object) -> Reply:
    """A JSON answer."""
    return Reply(headers={"Content-Type": "application/json; charset=utf-8"}, body=json.dumps(value).encode())


def error(status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> Reply:
    """An error as the Hub writes it."""
    marks = {"X-Error-Message": message} | ({"X-Error-Code": code} if code else {}) | dict(headers or {})
    body = json.dumps({"error": message}).encode()
    return Reply(status=status, headers=marks | {"Content-Type": "application/json"}, body=body)


def safetensors(tensors: Mapping[str, tuple[str, tuple[int, ...], int]]) -> tuple[bytes, int]:
    """The header of a safetensors file and the size of the whole file: name -> (format, shape, bytes)."""
    entries: dict[str, object] = {"__metadata__": {"format": "pt"}}
    offset = 0
    for name, (dtype, shape, size) in tensors.items():
        entries[name] = {"dtype": dtype, "shape": list(shape), "data_offsets": [offset, offset + size]}
        offset += size
    text = json.dumps(entries).encode()
    text += b" " * (-len(text) % 8)
    return len(text).to_bytes(8, "little") + text, 8 + len(text) + offset


def _split_revision(rest: str) -> tuple[str, str]:
    parts = rest.split("/")
    length = 3 if parts[0] == "refs" else 1
    return "/".join(parts[:length]), "/".join(parts[length:])


def _query(request: Request) -> str:
    return "&".join(f"{key}={value}" for key, values in request.query.items() for value in values)


def _as_bytes(content: object) -> bytes:
    if isinstance(content, bytes):
        return content
    return (content if isinstance(content, str) else json.dumps(content)).encode()


# ---------------------------------------------------------------------------------------------------------- the server


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # or the body waits 40 ms for the acknowledgement of the headers
    hub: FakeHub

    def do_GET(self) -> None:
        self._reply(body=True)

    def do_HEAD(self) -> None:
        self._reply(body=False)

    def do_CONNECT(self) -> None:
        """As a proxy that lets nothing through, unless `fault` says otherwise."""
        self._reply(body=True)

    def _reply(self, *, body: bool) -> None:
        url = urlsplit(self.path)
        request = Request(
            method=self.command,
            path=url.path,
            query=parse_qs(url.query, keep_blank_values=True),
            headers={name.lower(): value for name, value in self.headers.items()},
            at=time.monotonic(),
        )
        reply = self.hub.answer(request)
        try:
            self._send(reply, body=body)
        except (BrokenPipeError, ConnectionResetError):
            self.close_connection = True

    def _send(self, reply: Reply, *, body: bool) -> None:
        if reply.raw is not None:
            self.wfile.write(reply.raw)
            self.close_connection = True
            return
        self.send_response(reply.status)
        for name, value in ({"Content-Length": str(len(reply.body))} | reply.headers).items():
            self.send_header(name, value)
        self.end_headers()
        if not body:
            return
        sent = reply.body if reply.cut is None else reply.body[: reply.cut]
        if reply.drip:
            self._drip(sent, reply.drip)
        else:
            self.wfile.write(sent)
        self.close_connection = self.close_connection or reply.cut is not None

    def _drip(self, data: bytes, pause: float) -> None:
        for index in range(len(data)):
            self.wfile.write(data[index : index + 1])
            self.wfile.flush()
            if self.hub.released.wait(pause):
                return

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # the base class's own name
        """Say nothing."""


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: object, client_address: object) -> None:
        """A client that went away is no error."""


@contextmanager
def serve(hub: FakeHub | None = None, port: int = 0, certificate: Path | None = None) -> Iterator[FakeHub]:
    """A running Hub; its address is `.url`. With a `certificate` (PEM, key included) it speaks TLS."""
    hub = hub or FakeHub()
    handler = type("Handler", (_Handler,), {"hub": hub})
    server = _Server(("127.0.0.1", port), handler)
    if certificate is not None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate)
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    hub.url = f"{'https' if certificate else 'http'}://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield hub
    finally:
        hub.released.set()
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)


def load_folder(hub: FakeHub, folder: Path) -> None:
    """Every `folder/org/name` with files in it as a repository."""
    for place in sorted(folder.glob("*/*")):
        files = {str(f.relative_to(place).as_posix()): f.read_bytes() for f in place.rglob("*") if f.is_file()}
        if files:
            hub.add(f"{place.parent.name}/{place.name}", files)


def main() -> None:
    """Serve a folder until interrupted."""
    parser = argparse.ArgumentParser(description="A Hub on loopback.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--latency", type=float, default=0.0)
    arguments = parser.parse_args()
    hub = FakeHub()
    hub.latency = arguments.latency
    load_folder(hub, arguments.folder)
    with serve(hub, arguments.port):
        print(f"HF_ENDPOINT={hub.url}", flush=True)  # noqa: T201  # the caller reads the address
        with _until_interrupted():
            threading.Event().wait()


@contextmanager
def _until_interrupted() -> Iterator[None]:
    """Ctrl-C ends the server without a traceback."""
    try:
        yield
    except KeyboardInterrupt:
        return


if __name__ == "__main__":
    main()
