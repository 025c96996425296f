"""One look-up: commit, files, config.json and what it calls for, in two round trips one after the other.

First the repository's answer and its config.json side by side; then side files and the checkpoint's headers, all at
once. The config is that of the very commit that was answered: where a branch moved in between, it is fetched again.
"""

import time
from collections.abc import Callable, Mapping
from functools import partial

from kvdesk.core.errors import KvdeskError, UsageError
from kvdesk.core.findings import Finding, info
from kvdesk.core.json_value import JsonValue
from kvdesk.core.units import gb
from kvdesk.core.values import dataclass, replace
from kvdesk.core.weights import Weights
from kvdesk.hub import checkpoint_files, config_file, safetensors, weights
from kvdesk.hub.cancel import Cancel
from kvdesk.hub.checkpoint_files import Checkpoint
from kvdesk.hub.client import faults, headers
from kvdesk.hub.client.parallel import Batch
from kvdesk.hub.client.repository import INFO_LIMIT, Repository, file_url, info_url, read_info
from kvdesk.hub.client.settings import Settings
from kvdesk.hub.client.transport import Answer, Transport, connect
from kvdesk.hub.refs import HubRef
from kvdesk.hub.snapshot import Quantisation, Snapshot

CONFIG = "config.json"
QUANTISATION = "hf_quant_config.json"
SIDE_LIMIT = 64 * 2**20
"""Bytes; the index of a checkpoint of 100,000 tensors takes 10 MB."""


def fetch(ref: HubRef, cancel: Cancel, settings: Settings, *, follow: bool = True) -> Snapshot:
    """The Hub's present answer to `ref`; with `follow`, an adapter's is that of its base. Raises `KvdeskError`."""
    transport = connect(settings, cancel)
    repository, answer = _first_trip(transport, ref)
    if answer is None:
        from kvdesk.hub.client import other_kinds

        return other_kinds.fetch(transport, repository, ref, follow=follow)
    config = config_file.parse(answer.body, _config_name(ref))
    snapshot = Snapshot(
        repo_id=repository.repo_id,
        revision=repository.commit,
        config=answer.body,
        config_name=_config_name(ref),
        etag=answer.headers.get("etag", "").removeprefix("W/").strip('"'),
        files=repository.files,
        gated=repository.gated,
        fetched=today(),
    )
    return _second_trip(transport, repository, ref, snapshot, config)


def today() -> str:
    """The ISO date of now, in UTC."""
    return time.strftime("%Y-%m-%d", time.gmtime())


def _config_name(ref: HubRef) -> str:
    return ref.file if ref.file.endswith(".json") else CONFIG


def _first_trip(transport: Transport, ref: HubRef) -> tuple[Repository, Answer | None]:
    """The repository, and the answer with its config.json; None where there is no such file."""
    settings = transport.settings
    name = _config_name(ref)
    config_url = file_url(settings, ref.repo_id, ref.revision or "main", name)
    info_answer, config_answer = Batch(
        [
            lambda: transport.get(info_url(settings, ref), limit=INFO_LIMIT, what="The list of files"),
            lambda: transport.get(config_url, limit=config_file.MAX_BYTES, what=name),
        ]
    ).run(transport.cancel, settings.total + settings.read)
    if isinstance(info_answer, KvdeskError):
        raise info_answer
    check(info_answer, ref.repo_id, transport)
    repository = read_info(info_answer.body, ref.repo_id, settings)
    if isinstance(config_answer, KvdeskError):
        raise config_answer
    commit = config_answer.headers.get("x-repo-commit", "")
    if commit != repository.commit and config_answer.status < 300:
        url = file_url(settings, repository.repo_id, repository.commit, name)
        pinned = transport.get(url, limit=config_file.MAX_BYTES, what=name)
        # A mirror that knows no commits has just the one file.
        config_answer = config_answer if not commit and pinned.status == 404 else pinned
    if config_answer.status == 404 and repository.file(name) is None:
        return repository, None
    check(config_answer, repository.repo_id, transport)
    return repository, config_answer


def check(answer: Answer, repo_id: str, transport: Transport) -> None:
    """Raise what a status other than success means."""
    if answer.status >= 300:
        raise faults.of_status(
            answer.status, answer.headers, repo_id, token=transport.has_token, settings=transport.settings
        )


@dataclass(frozen=True, slots=True)
class _SideFile:
    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class _Sized:
    weights: Weights | None
    findings: tuple[Finding, ...]


def _second_trip(
    transport: Transport, repository: Repository, ref: HubRef, snapshot: Snapshot, config: Mapping[str, JsonValue]
) -> Snapshot:
    """`snapshot` with the side files that `config` calls for and with its weights."""
    checkpoint = checkpoint_files.choose(repository.files)
    if checkpoint.ambiguous:
        index = side_file(transport, repository, checkpoint_files.INDEX)
        named = safetensors.index_files(index, checkpoint_files.INDEX)
        checkpoint = checkpoint_files.choose(repository.files, named)
    offers = checkpoint_files.quantisations(repository.files)
    names = [QUANTISATION] if _wants_quantisation(config, repository) else []

    def read(name: str) -> _SideFile:
        return _SideFile(name, side_file(transport, repository, name))

    calls: list[Callable[[], _SideFile | _Sized]] = [partial(read, name) for name in names]
    calls.append(lambda: _sized(transport, repository, ref, checkpoint, offers, config))
    outcomes = Batch(calls).run(
        transport.cancel, transport.settings.total + transport.settings.read + transport.settings.headers
    )
    side_files: dict[str, bytes] = {}
    sized = _Sized(None, ())
    for outcome in outcomes:
        if isinstance(outcome, KvdeskError):
            raise outcome
        if isinstance(outcome, _SideFile):
            side_files[outcome.name] = outcome.data
        else:
            sized = outcome
    return replace(
        snapshot,
        side_files=side_files,
        weights=sized.weights,
        quantisations=offers,
        findings=(*checkpoint.findings, *sized.findings),
    )


def _wants_quantisation(config: Mapping[str, JsonValue], repository: Repository) -> bool:
    """ModelOpt writes its formats, the cache's among them, into a file beside a config that may not mention them."""
    described = config.get("quantization_config")
    method = described.get("quant_method") if isinstance(described, dict) else None
    return repository.file(QUANTISATION) is not None and (method is None or str(method).startswith("modelopt"))


def side_file(transport: Transport, repository: Repository, name: str) -> bytes:
    """A small file of that very commit; raises `SourceError`."""
    url = file_url(transport.settings, repository.repo_id, repository.commit, name)
    answer = transport.get(url, limit=SIDE_LIMIT, what=name)
    check(answer, repository.repo_id, transport)
    return answer.body


def _sized(
    transport: Transport,
    repository: Repository,
    ref: HubRef,
    checkpoint: Checkpoint,
    offers: tuple[Quantisation, ...],
    config: Mapping[str, JsonValue],
) -> _Sized:
    named = "" if ref.file.endswith(".json") else ref.file
    if named or checkpoint.kind == "none":
        offer = chosen(offers, named, repository.repo_id)
        if offer is None:
            return _Sized(None, ())
        return _Sized(weights.from_quantisation(offer), offered(offers, offer, named))
    return _Sized(*headers.read(transport, repository, checkpoint, weights.hints(config)))


def chosen(offers: tuple[Quantisation, ...], named: str, repo_id: str) -> Quantisation | None:
    """The offer that was named, or the largest; raises `UsageError` (`unknown-quantisation`)."""
    offer = checkpoint_files.pick(offers, named)
    if named and offer is None:
        names = ", ".join(offer.name for offer in offers) or "none"
        raise UsageError(
            "unknown-quantisation",
            f"{repo_id} offers no “{named[:60]}”.",
            f"It offers {names[:400]}.",
            "Name one of them after a colon, as in org/name:Q4_K_M.",
        )
    return offer


def offered(offers: tuple[Quantisation, ...], taken: Quantisation, named: str) -> tuple[Finding, ...]:
    """What the user should know of the other quantisations, where none was named."""
    if named or len(offers) < 2:
        return ()
    listed = ", ".join(f"{offer.name} {gb(offer.bytes)}" if offer.bytes else offer.name for offer in offers)
    return (
        info(
            "several-quantisations",
            f"The repository offers {len(offers)} quantisations: {listed[:600]}. The largest, {taken.name}, was taken.",
            f"Name one after the id, as in :{offers[0].name}.",
        ),
    )
