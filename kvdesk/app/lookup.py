"""From what a user pasted to a model: a local file, a name of the offline catalogue, or a look-up on the Hub."""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from kvdesk.app.session import Model
from kvdesk.core.errors import SourceError
from kvdesk.core.findings import Finding
from kvdesk.core.json_value import JsonValue
from kvdesk.core.sourced import Origin, Source, Sourced
from kvdesk.core.weights import Weights
from kvdesk.files.reading import read_bounded
from kvdesk.hub import config_file, refs

if TYPE_CHECKING:
    from kvdesk.catalogue.models import ModelCard
    from kvdesk.hub.cancel import Cancel

CONFIG = "config.json"
SIDE_FILES = ("hf_quant_config.json",)
"""Files beside config.json that can decide the cache's format."""
SCENARIO = ".kvdesk"
WEIGHTS = (".safetensors", ".bin", ".pt", ".pth", ".gguf")


def load(text: str, *, cancel: "Cancel | None" = None) -> Model:
    """The model that `text` names: id, URL, `id@revision`, path of a file or folder, or a name of the catalogue.

    A path never causes a network call. Raises `KvdeskError`.
    """
    ref = refs.parse(text)
    if isinstance(ref, refs.LocalRef):
        return load_path(ref.path)
    if isinstance(ref, refs.CatalogueRef):
        return from_card(ref.name)
    return _from_hub(ref, cancel)


def load_path(path: Path) -> Model:
    """The model of a config.json, of a folder that holds one, of a GGUF file, or of a saved scenario."""
    if path.suffix.lower() == SCENARIO and path.is_file():
        return _from_scenario(path)
    if path.suffix.lower() == ".gguf" and path.is_file():
        return _from_gguf(path)
    folder = path if path.is_dir() else path.parent
    config_path = path / CONFIG if path.is_dir() else path
    data = _read(config_path)
    config = config_file.parse(data, config_path.name)
    weights, findings = _local_weights(folder, config) if config_path.name == CONFIG else (None, ())
    return Model(
        id=_local_name(config_path),
        origin="file",
        config=config,
        config_sha256=hashlib.sha256(data).hexdigest(),
        side_files=_side_files(folder) if config_path.name == CONFIG else {},
        weights=weights,
        where=config_path.name,
        path=str(path.resolve()),
        findings=(*findings, *config.findings),
    )


def _local_weights(folder: Path, config: Mapping[str, JsonValue]) -> tuple[Weights | None, tuple[Finding, ...]]:
    """The weights that lie beside a config.json, if any do; what reads them is loaded only then."""
    try:
        beside = any(entry.name.endswith(WEIGHTS) for entry in folder.iterdir())
    except OSError:
        beside = False
    if not beside:
        return None, ()
    from kvdesk.hub import local

    return local.weights_in(folder, config)


def _from_scenario(path: Path) -> Model:
    """The model that a scenario file holds whole: its active scenario's."""
    from kvdesk.app import scenarios

    model = scenarios.opened(path).session.model
    if model is None:
        raise SourceError("no-model", f"{path} holds no model.", "", "Open it in the window and choose one.")
    return model


def _from_gguf(path: Path) -> Model:
    from kvdesk.hub import local

    data, weights = local.gguf_file(path)
    return Model(
        id=path.name,
        origin="file",
        config=config_file.parse(data, path.name),
        config_sha256=hashlib.sha256(data).hexdigest(),
        weights=weights,
        where=f"header of {path.name}",
        path=str(path.resolve()),
    )


def from_card(name: str) -> Model:
    """A model of the offline catalogue."""
    from kvdesk.catalogue import models

    card = models.find(name)
    return Model(
        id=card.hub_id,
        origin="catalogue",
        config=card.config,
        config_sha256=_card_hash(card.config),
        weights=_card_weights(card),
        where=f"catalogue card {card.name}",
    )


def _card_weights(card: "ModelCard") -> Weights:
    source = Source(Origin.CATALOGUE, f"{card.name}: {card.weights_source}")
    return Weights(bytes=Sourced(card.weights_bytes, source), parameters=Sourced(card.parameters, source))


def _card_hash(config: Mapping[str, object]) -> str:
    import json

    return hashlib.sha256(json.dumps(config, sort_keys=True).encode()).hexdigest()


def _read(path: Path) -> bytes:
    try:
        return read_bounded(path, config_file.MAX_BYTES + 1)
    except FileNotFoundError as error:
        raise SourceError(
            "no-config", f"{path} does not exist.", "", "Give a config.json or a folder that holds one."
        ) from error
    except OSError as error:
        raise SourceError(
            "unreadable-file", f"{path} cannot be read.", error.strerror or "", "Check the path and its permissions."
        ) from error


def _side_files(folder: Path) -> dict[str, bytes]:
    return {name: _read(folder / name) for name in SIDE_FILES if (folder / name).is_file()}


def _local_name(path: Path) -> str:
    """What to call a local model: its file's name, or the folder's where the file is just config.json."""
    if path.name == CONFIG:
        return path.resolve().parent.name or path.name
    return path.name


def _from_hub(ref: "refs.HubRef", cancel: "Cancel | None") -> Model:
    from kvdesk.hub import client

    snapshot = client.look_up(ref, cancel=cancel)
    config = config_file.parse(snapshot.config, snapshot.config_name)
    return Model(
        id=snapshot.repo_id,
        origin="hub",
        revision=snapshot.revision,
        config=config,
        config_sha256=hashlib.sha256(snapshot.config).hexdigest(),
        side_files=snapshot.side_files,
        weights=snapshot.weights,
        where=f"{snapshot.config_name}@{snapshot.revision[:7]}",
        looked_up=snapshot.fetched,
        findings=(*snapshot.findings, *config.findings),
    )
