"""What a pasted text refers to: a model of the Hub, a local file or folder, or a name of the offline catalogue.

Nothing here touches the network. Text that names something on this computer is always a local reference, so that it can
never cause a network call.
"""

import os
import re
from collections.abc import Callable
from pathlib import Path

from kvdesk.core.errors import SourceError, UsageError
from kvdesk.core.values import dataclass

HUB = "https://huggingface.co"
LONGEST = 4096
"""Characters; longer text is no reference."""

# huggingface_hub.utils.validate_repo_id: letters, digits, "-", "_" and ".", at most 96 in all, no "--" and no "..".
_ID_PART = r"[A-Za-z0-9_](?:[A-Za-z0-9._-]*[A-Za-z0-9_])?"
_REVISION = r"[^\s\x00-\x1f\x7f~^:?*\[\\]{1,255}"
_ACCESS_MARK = r"hf_[A-Za-z0-9]{20,}"
_LOCAL_ENDINGS = (".json", ".gguf", ".safetensors")
_QUOTES = "\"'`“”‘’<>"
_INVISIBLE = "\ufeff\u200b\u200c\u200d\u2060"


@dataclass(frozen=True, slots=True)
class HubRef:
    """A model repository on the Hub; `revision` a branch, tag or commit, None for the default branch.

    `file` is what was named inside the repository, "" for nothing: a GGUF file, a quantisation (`org/name:Q4_K_M`), or
    the config.json of a subfolder.
    """

    repo_id: str
    revision: str | None = None
    file: str = ""

    def __str__(self) -> str:
        return f"{self.repo_id}@{self.revision}" if self.revision else self.repo_id


@dataclass(frozen=True, slots=True)
class LocalRef:
    """A file (config.json, .gguf) or a folder on this computer."""

    path: Path

    def __str__(self) -> str:
        return str(self.path)


@dataclass(frozen=True, slots=True)
class CatalogueRef:
    """A model of the offline catalogue, by its name."""

    name: str

    def __str__(self) -> str:
        return self.name


Ref = HubRef | LocalRef | CatalogueRef


def parse(
    text: str,
    *,
    endpoint: str | None = None,
    exists: Callable[[Path], bool] = Path.exists,
    catalogue: Callable[[str], bool] | None = None,
) -> Ref:
    """What `text` refers to.

    `endpoint` is the Hub in use (HF_ENDPOINT by default). `exists` says whether a path exists on this computer and
    `catalogue` whether a name is in the offline catalogue; both are looked up for real by default.

    Raises `UsageError` (`no-source`, `bad-model-id`, `bad-revision`, `not-a-model`, `not-a-hub-url`,
    `secret-in-source`) and `SourceError` (`file-not-found`).
    """
    text = _cleaned(text)
    if text.lower().startswith("hf://"):
        return _from_hf(text[5:])
    if "://" in text[:12] or _names_a_hub(text):
        return _from_url(text, endpoint or os.environ.get("HF_ENDPOINT", "").strip() or HUB)
    if _looks_local(text) or (not _in_catalogue(text, catalogue) and _on_disk(text, exists)):
        return _local(text, exists)
    if _in_catalogue(text, catalogue) and "/" not in text:
        return CatalogueRef(text.lower())
    return _from_id(text)


def _cleaned(text: str) -> str:
    text = text.strip().strip(_QUOTES + _INVISIBLE).strip()
    if not text:
        raise UsageError("no-source", "No model was given.", "", "Paste a Hub id such as org/name, a URL, or a path.")
    if "hf_" in text and re.search(_ACCESS_MARK, text):
        raise UsageError(
            "secret-in-source",
            "This text holds an access token.",
            "It was neither used nor kept.",
            "Log in with “hf auth login” instead, and give only the model's id.",
        )
    if len(text) > LONGEST or any(ord(letter) < 32 for letter in text):
        raise UsageError("bad-model-id", "This text is not a model id.", "", "Give one id, URL or path on one line.")
    return text


def _in_catalogue(text: str, catalogue: Callable[[str], bool] | None) -> bool:
    if catalogue is None:
        from kvdesk.catalogue import models

        catalogue = models.knows
    return catalogue(text)


# ---------------------------------------------------------------------------------------------------------- local paths


def _looks_local(text: str) -> bool:
    """Whether `text` can only be meant as a path."""
    drive = len(text) > 2 and text[0].isascii() and text[0].isalpha() and text[1] == ":" and text[2] in "\\/"
    starts = text in {".", ".."} or text.startswith(("/", "./", "../", "~", ".\\", "..\\", "\\\\"))
    return drive or starts or "\\" in text or text.lower().endswith(_LOCAL_ENDINGS)


def _on_disk(text: str, exists: Callable[[Path], bool]) -> bool:
    try:
        return exists(Path(text))
    except (OSError, ValueError):
        return False


def _local(text: str, exists: Callable[[Path], bool]) -> LocalRef:
    try:
        path = Path(text).expanduser()
    except RuntimeError:  # no home folder
        path = Path(text)
    if not _on_disk(str(path), exists):
        raise SourceError(
            "file-not-found",
            f"There is no file or folder “{_short(text)}”.",
            "It was taken for a path on this computer.",
            "Check the path, or paste a Hub id such as org/name.",
        )
    return LocalRef(path)


# ------------------------------------------------------------------------------------------------------------------ ids


def _from_id(text: str) -> HubRef:
    """`org/name`, `name`, `org/name@revision`, `org/name:Q4_K_M`, with `models/` before or `/tree/revision` after."""
    head, at, revision = text.partition("@")
    head, colon, quantisation = head.partition(":")
    segments = [part for part in head.strip("/").split("/") if part]
    if not at and not colon:
        return _from_segments(segments, text)
    if colon and not re.fullmatch(_ID_PART, quantisation):
        raise _bad_id(text)
    name = _repo_id(_without_kind(segments, text), text)
    return HubRef(name, _revision(revision.strip("/")) if at else None, quantisation)


def _from_hf(body: str) -> HubRef:
    """`org/name[@revision][/file]` after `hf://`, as huggingface_hub's HfUri has it."""
    head, at, tail = body.strip("/").partition("@")
    segments = _without_kind([part for part in head.split("/") if part], body)
    if at:
        return _with_rest(_repo_id(segments, body), [part for part in tail.split("/") if part], body)
    return HubRef(_repo_id(segments[:2], body), None, "/".join(segments[2:]))


def _without_kind(segments: list[str], text: str) -> list[str]:
    """The segments without a leading `models`; other kinds of repository are refused by name."""
    kind = segments[0].lower() if segments else ""
    if kind in _OTHER_KINDS and len(segments) > 1:
        raise UsageError(
            "not-a-model",
            f"“{_short(text)}” is {_OTHER_KINDS[kind]}, not a model.",
            "",
            "Give the id of the model itself.",
        )
    return segments[1:] if kind == "models" else segments


_OTHER_KINDS = {
    "datasets": "a dataset",
    "spaces": "a Space",
    "kernels": "a kernel",
    "buckets": "a storage bucket",
    "collections": "a collection",
    "papers": "a paper",
    "docs": "a page of documentation",
    "blog": "a blog post",
    "posts": "a post",
    "organizations": "an organisation",
    "learn": "a course",
    "chat": "a chat",
    "settings": "a settings page",
}


def _repo_id(segments: list[str], text: str) -> str:
    repo_id = "/".join(segments)
    valid = (
        len(segments) in {1, 2}
        and len(repo_id) <= 96
        and all(re.fullmatch(_ID_PART, part) for part in segments)
        and not any(bad in repo_id for bad in ("--", ".."))
        and not repo_id.endswith(".git")
    )
    if not valid:
        raise _bad_id(text)
    return repo_id


def _bad_id(text: str) -> UsageError:
    return UsageError(
        "bad-model-id",
        f"“{_short(text)}” is not a model id.",
        "An id has the form org/name, of letters, digits, “-”, “_” and “.”.",
        "Copy it from the top of the model's page on the Hub.",
    )


def _revision(text: str) -> str:
    parts = text.split("/")
    if not re.fullmatch(_REVISION, text) or "" in parts or ".." in text or text.startswith("-") or "@" in text:
        raise UsageError(
            "bad-revision",
            f"“{_short(text)}” is not a revision.",
            "A revision is a branch, a tag or a commit.",
            "Leave “@…” away for the newest version, or give for example @main.",
        )
    return text


# ----------------------------------------------------------------------------------------------------------------- URLs

_KNOWN_HOSTS = frozenset({"huggingface.co", "www.huggingface.co", "hf.co", "www.hf.co"})
_FILE_ROUTES = frozenset({"tree", "blob", "resolve", "raw", "blame", "edit"})
_REVISION_ROUTES = frozenset({"commit", "commits", "revision"})
_PAGE_ROUTES = frozenset({"discussions", "settings", "community", "activity"})


def _names_a_hub(text: str) -> bool:
    return text.lower().partition("/")[0] in _KNOWN_HOSTS


def _from_url(text: str, endpoint: str) -> Ref:
    from urllib.parse import unquote, urlsplit

    try:
        url = urlsplit(text if "://" in text else f"https://{text}")
        host, port = (url.hostname or "").lower(), url.port
    except ValueError as error:
        raise _not_a_hub_url("This URL", "It is malformed.") from error
    if "@" in url.netloc:
        raise UsageError(
            "secret-in-source",
            "This URL holds a user name or a password.",
            "It was neither used nor kept.",
            "Log in with “hf auth login” instead, and give only the model's id.",
        )
    if url.scheme == "file":
        return _local(unquote(url.path), Path.exists)
    own = urlsplit(endpoint)
    path = url.path
    web = url.scheme in {"http", "https"}
    if web and host and (host, port) == ((own.hostname or "").lower(), own.port):
        path = path.removeprefix(own.path.rstrip("/"))
    elif not web or host not in _KNOWN_HOSTS:
        raise _not_a_hub_url(f"“{_short(host or url.scheme)}”", f"The Hub in use is {own.hostname or HUB}.")
    segments = [unquote(part) for part in path.split("/") if part]
    if any(".." in part.split("/") or any(ord(letter) < 32 for letter in part) for part in segments):
        raise _not_a_hub_url("This URL", "Its path is not that of a model.")
    if segments[:1] == ["api"]:
        segments = segments[1:]
    return _from_segments(segments, f"{host}{url.path}")


def _from_segments(segments: list[str], text: str) -> HubRef:
    """`org/name` with what may follow it in a URL: route, revision and file."""
    segments = _without_kind(segments, text)
    if not segments:
        raise UsageError(
            "not-a-model", f"“{_short(text)}” does not name a model.", "", "Open a model's page and copy its address."
        )
    split = next((i for i, part in enumerate(segments) if i in {1, 2} and part in _ROUTES), len(segments))
    repo_id, route, rest = segments[:split], "".join(segments[split : split + 1]), segments[split + 1 :]
    name = _repo_id(repo_id, text)
    if not rest or route in _PAGE_ROUTES:
        return HubRef(name)
    if route in _REVISION_ROUTES:
        return HubRef(name, _revision("/".join(rest)))
    found = _with_rest(name, rest, text)
    return HubRef(name, found.revision) if route == "tree" else found


def _with_rest(name: str, rest: list[str], text: str) -> HubRef:
    """A revision and, after it, a file. Only refs/pr/7 and refs/convert/x may have slashes that are not quoted."""
    if not rest:
        raise _bad_id(text)
    length = 3 if rest[0] == "refs" and len(rest) >= 3 else 1
    return HubRef(name, _revision("/".join(rest[:length])), "/".join(rest[length:]))


_ROUTES = _FILE_ROUTES | _REVISION_ROUTES | _PAGE_ROUTES


def _not_a_hub_url(what: str, why: str) -> UsageError:
    return UsageError(
        "not-a-hub-url",
        f"{what} is not a page of the Hub.",
        why,
        "Paste the model's id (org/name), or set HF_ENDPOINT to the Hub you use.",
    )


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:77]}…"
