"""The headers of a checkpoint's safetensors files, by HTTP range: no weights are downloaded."""

from collections.abc import Sequence
from functools import partial

from kvdesk.core.errors import KvdeskError, SourceError
from kvdesk.core.findings import Finding, info
from kvdesk.core.weights import Weights
from kvdesk.hub import safetensors, weights
from kvdesk.hub.checkpoint_files import INDEX, Checkpoint
from kvdesk.hub.client.parallel import Batch
from kvdesk.hub.client.repository import Repository, file_url
from kvdesk.hub.client.transport import Transport
from kvdesk.hub.safetensors import PREFIX, Tensor
from kvdesk.hub.snapshot import RepoFile
from kvdesk.hub.weights import Hints

FIRST = 1 << 16
"""Bytes of the first range where there is no index to tell: enough for the header of most single files."""
MOST_FIRST = 1 << 20
WIDTH = 48
MOST_FILES = 1024


def read(
    transport: Transport, repository: Repository, checkpoint: Checkpoint, hint: Hints
) -> tuple[Weights | None, tuple[Finding, ...]]:
    """The checkpoint's weights: to the byte from its headers, or as large as its files where they cannot be read."""
    by_size = weights.from_files(checkpoint)
    if checkpoint.kind != "safetensors" or len(checkpoint.files) > MOST_FILES:
        return by_size, ()
    try:
        tensors = _tensors(transport, repository, checkpoint.files)
    except SourceError as error:
        if error.code == "cancelled":
            raise
        return by_size, (_unread(error),)
    where = f"headers of {len(checkpoint.files)} safetensors files@{repository.commit[:7]}"
    found = weights.from_tensors(tensors, hint, where)
    return found, weights.remarks(found)


def _tensors(transport: Transport, repository: Repository, files: Sequence[RepoFile]) -> list[Tensor]:
    first = first_range(repository, len(files))
    calls = [partial(_header, transport, repository, file, first) for file in files]
    outcomes = Batch(calls, WIDTH).run(transport.cancel, transport.settings.headers)
    tensors: list[Tensor] = []
    for outcome in outcomes:
        if isinstance(outcome, KvdeskError):
            raise outcome
        tensors.extend(outcome)
    return tensors


def first_range(repository: Repository, files: int) -> int:
    """Bytes to ask for first, so that one request each will do for most files and little is moved in vain.

    The index has a line for each tensor, about 30 bytes shorter than the tensor's entry in its file's header. Twice the
    index's share of a file therefore holds a header with more tensors than the average one.
    """
    index = repository.file(INDEX)
    if index is None or index.size is None:
        return FIRST
    return min(MOST_FIRST, PREFIX + 2 * index.size // max(1, files))


def _header(transport: Transport, repository: Repository, file: RepoFile, first: int) -> tuple[Tensor, ...]:
    url = file_url(transport.settings, repository.repo_id, repository.commit, file.name)
    data = _bytes(transport, url, 0, min(first, file.size or first) - 1)
    length = safetensors.header_length(data, file.size, file.name)
    end = PREFIX + length
    if len(data) < end:
        data += _bytes(transport, url, len(data), end - 1)
    return safetensors.parse_header(data[PREFIX:end], file.size, file.name)


def _bytes(transport: Transport, url: str, first: int, last: int) -> bytes:
    answer = transport.get(url, limit=last - first + 1, what="A checkpoint's header", span=(first, last))
    if answer.status != 206 or not answer.headers.get("content-range", "").startswith(f"bytes {first}-"):
        raise SourceError("no-ranges", f"Parts of a file were answered with status {answer.status}.")
    return answer.body


def _unread(error: SourceError) -> Finding:
    return info(
        "headers-unread",
        "The checkpoint's headers could not be read, so the weights are taken as large as their files. " + error.title,
        "Look the model up again to read them.",
    )
