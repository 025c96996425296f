"""Look-ups kept on disk, so that a model that was looked up once can be sized without a network.

One JSON file per commit and one small file per branch or tag, both written whole and then renamed into place: two
processes can share the folder, and a file that was cut or altered is not used.
"""

import hashlib
import os
import tempfile
from pathlib import Path
from urllib.parse import quote

from kvdesk.core.values import replace
from kvdesk.hub.client import store_json
from kvdesk.hub.refs import HubRef
from kvdesk.hub.snapshot import Snapshot

DEFAULT_REVISION = "main"
LARGEST = 256 * 2**20


class Store:
    """The kept look-ups of one Hub."""

    def __init__(self, folder: Path, endpoint: str) -> None:
        self._folder = folder / "hub" / hashlib.sha256(endpoint.encode()).hexdigest()[:16]

    def keep(self, ref: HubRef, snapshot: Snapshot) -> None:
        """Keep `snapshot` as the answer to `ref`; raises `OSError` where the disk does not take it."""
        commit = self._place(ref, snapshot.revision, "commits")
        _write(commit, store_json.dump(snapshot))
        if ref.revision != snapshot.revision:
            _write(self._place(ref, ref.revision or DEFAULT_REVISION, "refs"), snapshot.revision.encode())

    def find(self, ref: HubRef) -> Snapshot | None:
        """What was kept for `ref`, None for nothing that can be used."""
        revision = ref.revision or DEFAULT_REVISION
        pointer = _read(self._place(ref, revision, "refs"))
        commit = pointer.decode("ascii", "replace").strip() if pointer else revision
        return self.find_commit(ref, commit)

    def find_commit(self, ref: HubRef, commit: str) -> Snapshot | None:
        """The kept look-up of that very commit."""
        data = _read(self._place(ref, commit, "commits"))
        if data is None:
            return None
        found = store_json.load(data)
        return None if found is None else replace(found, from_cache=True)

    def _place(self, ref: HubRef, revision: str, kind: str) -> Path:
        # A file named inside the repository makes another look-up of the same commit.
        tail = f"@{quote(ref.file, safe='')}" if ref.file else ""
        name = f"{quote(revision, safe='')}{tail}"
        if len(name) > 200:
            name = hashlib.sha256(name.encode()).hexdigest()
        return self._folder / f"models--{ref.repo_id.replace('/', '--')}" / kind / f"{name}.json"


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".part")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:  # whatever ends the write, nothing is left lying about; it goes on its way
        Path(name).unlink(missing_ok=True)
        raise


def _read(path: Path) -> bytes | None:
    try:
        with path.open("rb") as file:
            data = file.read(LARGEST + 1)
    except OSError:
        return None
    return data if len(data) <= LARGEST else None
