"""Weights and GGUF files on this computer: headers only, and no network."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import BinaryIO

from kvdesk.core.errors import SourceError
from kvdesk.core.findings import Finding, info
from kvdesk.core.json_value import JsonValue
from kvdesk.core.weights import Weights
from kvdesk.hub import checkpoint_files, gguf, gguf_config, safetensors, weights
from kvdesk.hub.checkpoint_files import Checkpoint
from kvdesk.hub.safetensors import PREFIX, Tensor
from kvdesk.hub.snapshot import Quantisation, RepoFile

MOST_FILES = 10_000


def weights_in(folder: Path, config: Mapping[str, JsonValue]) -> tuple[Weights | None, tuple[Finding, ...]]:
    """The weights beside a config.json: to the byte from safetensors headers, else as large as their files."""
    files = _listed(folder)
    indexed = _index(folder, files)
    checkpoint = checkpoint_files.choose(files, indexed)
    by_size = weights.from_files(checkpoint)
    if checkpoint.kind == "none":
        offers = checkpoint_files.quantisations(files)
        return (weights.from_quantisation(offers[-1]) if offers else None), ()
    if checkpoint.kind != "safetensors":
        return by_size, checkpoint.findings
    try:
        tensors = [tensor for file in checkpoint.files for tensor in _header(folder / file.name)]
    except SourceError as error:
        return by_size, (*checkpoint.findings, _unread(error))
    where = f"headers of {len(checkpoint.files)} local safetensors files"
    found = weights.from_tensors(tensors, weights.hints(config), where)
    return found, (*checkpoint.findings, *weights.remarks(found))


def gguf_file(path: Path) -> tuple[bytes, Weights | None]:
    """The keys of a config.json that a GGUF file's header holds, as JSON, and the file's weights.

    Of a split file all parts are counted. Raises `SourceError` and `RefusalError`.
    """
    with _opened(path) as file:

        def read(first: int, count: int) -> bytes:
            file.seek(first)
            return file.read(count)

        try:
            header = gguf.read_header(read, path.name)
        except OSError as error:
            raise _unreadable(path, error) from error
    offer = _offer(path)
    config = gguf_config.to_config(header)
    return json.dumps(config, indent=1).encode(), weights.from_quantisation(offer) if offer else None


def _offer(path: Path) -> Quantisation | None:
    """The file with the other parts of it in the same folder."""
    offers = checkpoint_files.quantisations([file for file in _listed(path.parent) if file.name.endswith(".gguf")])
    return next((offer for offer in offers if path.name in offer.files), None)


def _listed(folder: Path) -> list[RepoFile]:
    try:
        entries = [entry for entry in folder.iterdir() if entry.is_file()][:MOST_FILES]
        return sorted(
            (RepoFile(name=entry.name, size=entry.stat().st_size) for entry in entries), key=lambda file: file.name
        )
    except OSError as error:
        raise _unreadable(folder, error) from error


def _index(folder: Path, files: list[RepoFile]) -> frozenset[str] | None:
    checkpoint: Checkpoint = checkpoint_files.choose(files)
    if not checkpoint.ambiguous:
        return None
    place = folder / checkpoint_files.INDEX
    try:
        with _opened(place) as file:
            return safetensors.index_files(file.read(safetensors.LONGEST), place.name)
    except OSError as error:
        raise _unreadable(place, error) from error


def _header(path: Path) -> tuple[Tensor, ...]:
    try:
        size = path.stat().st_size
        with _opened(path) as file:
            length = safetensors.header_length(file.read(PREFIX), size, path.name)
            return safetensors.parse_header(file.read(length), size, path.name)
    except OSError as error:  # gone since it was listed, or a disk that fails
        raise _unreadable(path, error) from error


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise _unreadable(path, error) from error


def _unreadable(path: Path, error: OSError) -> SourceError:
    return SourceError(
        "unreadable-file",
        f"{path} cannot be read.",
        error.strerror or "",
        "Check the path and its permissions.",
    )


def _unread(error: SourceError) -> Finding:
    return info(
        "headers-unread",
        f"{error.title} {error.detail} The weights are taken as large as their files.",
        "Give their size with --weights-bytes.",
    )
