"""The Hub's answers about a repository: its commit and its files."""

import json
from urllib.parse import quote

from kvdesk.core.json_value import JsonValue
from kvdesk.core.values import dataclass
from kvdesk.hub.client import faults
from kvdesk.hub.client.settings import Settings
from kvdesk.hub.refs import HubRef
from kvdesk.hub.snapshot import RepoFile

INFO_LIMIT = 64 * 2**20
"""Bytes of an answer about a repository; one with 10,000 files takes about 4 MB."""
MOST_FILES = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Repository:
    """One commit of a repository: its present id (a renamed one answers under its new id), commit and files."""

    repo_id: str
    commit: str
    files: tuple[RepoFile, ...]
    gated: bool

    def file(self, name: str) -> RepoFile | None:
        """The file of that name, None where there is none."""
        return next((file for file in self.files if file.name == name), None)


def info_url(settings: Settings, ref: HubRef) -> str:
    """Where commit and files with their sizes come in one answer (huggingface_hub `HfApi.model_info`, blobs)."""
    at = f"/revision/{quote(ref.revision, safe='')}" if ref.revision else ""
    return f"{settings.endpoint}/api/models/{ref.repo_id}{at}?blobs=True"


def file_url(settings: Settings, repo_id: str, revision: str, name: str) -> str:
    """Where a file is (huggingface_hub `hf_hub_url`)."""
    return f"{settings.endpoint}/{repo_id}/resolve/{quote(revision, safe='')}/{quote(name)}"


def read_info(body: bytes, asked: str, settings: Settings) -> Repository:
    """The answer of `info_url`; raises `SourceError` (`malformed-answer`)."""
    try:
        data: JsonValue = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise faults.malformed("Its answer is not JSON.", settings) from error
    commit = data.get("sha") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(commit, str) or not _is_commit(commit):
        raise faults.malformed("Its answer names no commit.", settings)
    listed = data.get("siblings")
    if not isinstance(listed, list):
        raise faults.malformed("Its answer lists no files.", settings)
    named = data.get("id")
    return Repository(
        repo_id=named if isinstance(named, str) and _same_shape(named) else asked,
        commit=commit,
        files=tuple(file for file in map(_file, listed[:MOST_FILES]) if file is not None),
        gated=bool(data.get("gated")),
    )


def _is_commit(text: str) -> bool:
    return 0 < len(text) <= 64 and text.isascii() and text.isalnum()


def _same_shape(name: str) -> bool:
    return 0 < len(name) <= 96 and name.count("/") <= 1 and ".." not in name and name.isprintable() and " " not in name


def _file(entry: JsonValue) -> RepoFile | None:
    """One file; a name that leads out of the repository is dropped."""
    if not isinstance(entry, dict):
        return None
    name, size, large = entry.get("rfilename"), entry.get("size"), entry.get("lfs")
    if not isinstance(name, str) or not is_safe_name(name):
        return None
    oid = large.get("sha256") if isinstance(large, dict) else entry.get("blobId")
    if isinstance(large, dict) and isinstance(large.get("size"), int):
        size = large.get("size")
    if not isinstance(size, int) or isinstance(size, bool) or not 0 <= size < 1 << 63:
        size = None
    return RepoFile(name=name, size=size, oid=oid if isinstance(oid, str) else "")


def is_safe_name(name: str) -> bool:
    """Whether a file's name stays inside its repository."""
    parts = name.split("/")
    return 0 < len(name) <= 1024 and name.isprintable() and "\\" not in name and not {"", ".", ".."} & set(parts)
