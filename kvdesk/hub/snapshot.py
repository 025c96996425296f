"""What a look-up brings back: the files of one commit of one repository, not yet read."""

from collections.abc import Mapping

from kvdesk.core.findings import Finding
from kvdesk.core.values import dataclass, field
from kvdesk.core.weights import Weights


@dataclass(frozen=True, slots=True, kw_only=True)
class RepoFile:
    """One file of a repository: path, size in bytes, and its content's hash as the Hub gives it.

    `oid` is the SHA-256 for files in large-file storage and git's blob id for the others; "" where it is not known.
    """

    name: str
    size: int | None
    oid: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Quantisation:
    """One of the GGUF files (or sets of split files) that a repository offers: name, files in order, bytes together."""

    name: str
    files: tuple[str, ...]
    bytes: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One commit of a model repository.

    `config` are the bytes of `config_name`, as published; for a GGUF file without a config.json they are its header's
    keys under the names of a config.json. `side_files` are further small files by name. `etag` is the Hub's tag of
    `config`. `fetched` is the ISO date of the answer, also when it was kept from an earlier look-up (`from_cache`).
    """

    repo_id: str
    revision: str
    config: bytes
    config_name: str = "config.json"
    etag: str = ""
    files: tuple[RepoFile, ...] = ()
    side_files: Mapping[str, bytes] = field(default_factory=dict)
    weights: Weights | None = None
    quantisations: tuple[Quantisation, ...] = ()
    gated: bool = False
    from_cache: bool = False
    fetched: str = ""
    findings: tuple[Finding, ...] = ()
