"""Models that another program has downloaded into huggingface_hub's own cache: the next best without a network."""

from pathlib import Path

from kvdesk.core.errors import KvdeskError
from kvdesk.core.findings import info
from kvdesk.hub import config_file, local
from kvdesk.hub.client.settings import Settings
from kvdesk.hub.refs import HubRef
from kvdesk.hub.snapshot import Snapshot

_CONFIG = "config.json"
_SIDE_FILES = ("hf_quant_config.json",)


def find(ref: HubRef, settings: Settings) -> Snapshot | None:
    """The model as it lies in the cache, None where its config.json does not."""
    if ref.file or settings.hub_cache is None or not settings.hub_cache.is_dir():
        return None
    from huggingface_hub import try_to_load_from_cache

    try:
        found = try_to_load_from_cache(ref.repo_id, _CONFIG, cache_dir=settings.hub_cache, revision=ref.revision)
        return _snapshot(ref, Path(found)) if isinstance(found, str) else None
    except (OSError, ValueError, KvdeskError):
        return None


def _snapshot(ref: HubRef, path: Path) -> Snapshot:
    folder = path.parent
    data = _read(path)
    found, notes = local.weights_in(folder, config_file.parse(data))
    side_files = {name: _read(folder / name) for name in _SIDE_FILES if (folder / name).is_file()}
    note = info("downloaded", f"Read from the download of {ref.repo_id} on this computer, commit {folder.name[:7]}.")
    return Snapshot(
        repo_id=ref.repo_id,
        revision=folder.name,
        config=data,
        side_files=side_files,
        weights=found,
        from_cache=True,
        findings=(note, *notes),
    )


def _read(path: Path) -> bytes:
    with path.open("rb") as file:
        return file.read(config_file.MAX_BYTES + 1)
