"""Repositories without a config.json: GGUF files, adapters, diffusion pipelines, and what cannot be sized."""

import json

from kvdesk.core.errors import KvdeskError, RefusalError, SourceError
from kvdesk.core.findings import warning
from kvdesk.core.json_value import JsonValue
from kvdesk.core.values import replace
from kvdesk.hub import checkpoint_files, gguf, gguf_config, refs, weights
from kvdesk.hub.client import lookup
from kvdesk.hub.client.repository import Repository, file_url
from kvdesk.hub.client.transport import Transport
from kvdesk.hub.refs import HubRef
from kvdesk.hub.snapshot import Snapshot

ADAPTER = "adapter_config.json"
PIPELINE = "model_index.json"
_NO_CONFIG = "no-config"


def fetch(transport: Transport, repository: Repository, ref: HubRef, *, follow: bool) -> Snapshot:
    """What can be had of a repository without a config.json; raises `KvdeskError`."""
    names = {file.name for file in repository.files}
    if ADAPTER in names and follow:
        return _base_of_adapter(transport, repository)
    if PIPELINE in names:
        raise RefusalError(
            "diffusion-model",
            f"{repository.repo_id} is a diffusion pipeline, which keeps no KV cache.",
            f"It has a {PIPELINE} and no config.json.",
            "Give a language model.",
        )
    offers = checkpoint_files.quantisations(repository.files)
    if offers:
        return _gguf(transport, repository, ref)
    raise _no_config(repository, names, ref)


def _no_config(repository: Repository, names: set[str], ref: HubRef) -> SourceError:
    inner = sorted(name for name in names if name.endswith("/config.json"))
    if inner and not ref.file:
        return SourceError(
            _NO_CONFIG,
            f"{repository.repo_id} has no config.json at its top.",
            f"It has {', '.join(inner[:3])[:200]}.",
            "Paste the address of the one that you mean.",
        )
    detail = "It has Mistral's params.json only." if "params.json" in names else _files(len(names))
    return SourceError(
        _NO_CONFIG,
        f"{repository.repo_id} has no {ref.file or 'config.json'}, so its geometry is not known.",
        detail,
        "Look for a copy of the model for transformers, or give a config.json.",
    )


def _files(count: int) -> str:
    return f"It holds {count:,} files." if count != 1 else "It holds one file."


def _base_of_adapter(transport: Transport, repository: Repository) -> Snapshot:
    """The base model of a LoRA or other adapter, with a word about it."""
    base = _base_id(lookup.side_file(transport, repository, ADAPTER))
    if base is None:
        raise SourceError(
            _NO_CONFIG,
            f"{repository.repo_id} is an adapter that does not name its base model.",
            f"Its {ADAPTER} holds no id of the Hub under base_model_name_or_path.",
            "Give the id of the base model.",
        )
    try:
        found = lookup.fetch(base, transport.cancel, transport.settings, follow=False)
    except SourceError as error:
        if error.code != "model-not-found":
            raise
        raise SourceError(
            "adapter-base",
            f"{repository.repo_id} is an adapter of {base.repo_id}, which is not on the Hub, or is private.",
            "",
            "Give the id of the base model that you use, or log in with “hf auth login”.",
        ) from error
    size = checkpoint_files.total(file for file in repository.files if file.name.startswith("adapter_model"))
    note = warning(
        "adapter",
        f"{repository.repo_id} is an adapter of {found.repo_id}; the base model was sized.",
        f"The adapter's own {size:,} bytes come on top of the weights where it is not merged.",
    )
    return replace(found, findings=(note, *found.findings))


def _base_id(data: bytes) -> HubRef | None:
    try:
        config: JsonValue = json.loads(data)
    except (ValueError, RecursionError):
        return None
    name = config.get("base_model_name_or_path") if isinstance(config, dict) else None
    revision = config.get("revision") if isinstance(config, dict) else None
    if not isinstance(name, str):
        return None
    try:
        ref = refs.parse(name, exists=lambda _: False, catalogue=lambda _: False)
    except KvdeskError:
        return None
    pinned = revision if isinstance(revision, str) and revision else None
    return HubRef(ref.repo_id, pinned) if isinstance(ref, HubRef) else None


def _gguf(transport: Transport, repository: Repository, ref: HubRef) -> Snapshot:
    """A GGUF repository: the header of one of its files gives the keys of a config.json."""
    offers = checkpoint_files.quantisations(repository.files)
    named = "" if ref.file.endswith(".json") else ref.file
    offer = lookup.chosen(offers, named, repository.repo_id) or offers[-1]
    name = offer.files[0]
    url = file_url(transport.settings, repository.repo_id, repository.commit, name)

    def read(first: int, count: int) -> bytes:
        span = (first, first + count - 1)
        answer = transport.get(url, limit=count, what="A GGUF header", span=span)
        if answer.status == 416:
            return b""
        if answer.status != 206:
            lookup.check(answer, repository.repo_id, transport)
            raise SourceError("no-ranges", f"Parts of {name[:80]} cannot be read from here.", "", "Download the file.")
        return answer.body

    header = gguf.read_header(read, name)
    config = gguf_config.to_config(header)
    return Snapshot(
        repo_id=repository.repo_id,
        revision=repository.commit,
        config=json.dumps(config, indent=1).encode(),
        config_name=name,
        files=repository.files,
        weights=weights.from_quantisation(offer),
        quantisations=offers,
        gated=repository.gated,
        fetched=lookup.today(),
        findings=lookup.offered(offers, offer, named),
    )
