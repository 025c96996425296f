"""A look-up as bytes and back. The bytes carry their own hash, so that a damaged file is told from a good one."""

import base64
import hashlib
import json
from typing import Any

from kvdesk.core.findings import Finding, Severity
from kvdesk.core.sourced import Origin, Source, Sourced
from kvdesk.core.weights import Weights
from kvdesk.hub.snapshot import Quantisation, RepoFile, Snapshot

SCHEMA = "kvdesk.snapshot/1"

_Object = dict[str, Any]


def dump(snapshot: Snapshot) -> bytes:
    """`snapshot` as bytes."""
    body = _body(snapshot)
    return json.dumps({"schema": SCHEMA, "sha256": _hash(body), "body": body}).encode()


def load(data: bytes) -> Snapshot | None:
    """The look-up in `data`, None where it is damaged or of another schema."""
    try:
        sealed = json.loads(data)
        body = sealed["body"]
        if sealed["schema"] != SCHEMA or sealed["sha256"] != _hash(body):
            return None
        return _snapshot(body)
    except (ValueError, TypeError, KeyError, IndexError, RecursionError):
        return None


def _hash(body: _Object) -> str:
    return hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()


def _body(snapshot: Snapshot) -> _Object:
    return {
        "repo_id": snapshot.repo_id,
        "revision": snapshot.revision,
        "config": base64.b64encode(snapshot.config).decode(),
        "config_name": snapshot.config_name,
        "etag": snapshot.etag,
        "files": [[file.name, file.size, file.oid] for file in snapshot.files],
        "side_files": {name: base64.b64encode(data).decode() for name, data in snapshot.side_files.items()},
        "weights": None if snapshot.weights is None else _weights_object(snapshot.weights),
        "quantisations": [[item.name, list(item.files), item.bytes] for item in snapshot.quantisations],
        "gated": snapshot.gated,
        "fetched": snapshot.fetched,
        "findings": [[f.code, f.severity.value, f.text, f.remedy] for f in snapshot.findings],
    }


def _snapshot(body: _Object) -> Snapshot:
    return Snapshot(
        repo_id=body["repo_id"],
        revision=body["revision"],
        config=base64.b64decode(body["config"]),
        config_name=body["config_name"],
        etag=body["etag"],
        files=tuple(RepoFile(name=name, size=size, oid=oid) for name, size, oid in body["files"]),
        side_files={name: base64.b64decode(data) for name, data in body["side_files"].items()},
        weights=None if body["weights"] is None else _weights(body["weights"]),
        quantisations=tuple(
            Quantisation(name=name, files=tuple(files), bytes=size) for name, files, size in body["quantisations"]
        ),
        gated=body["gated"],
        fetched=body["fetched"],
        findings=tuple(
            Finding(code=code, severity=Severity(severity), text=text, remedy=remedy)
            for code, severity, text, remedy in body["findings"]
        ),
    )


def _weights_object(weights: Weights) -> _Object:
    return {
        "bytes": _sourced_list(weights.bytes),
        "parameters": None if weights.parameters is None else _sourced_list(weights.parameters),
        "replicated_bytes": weights.replicated_bytes,
        "draft_bytes": weights.draft_bytes,
        "encoder_bytes": weights.encoder_bytes,
        "by_format": dict(weights.by_format),
        "exact": weights.exact,
    }


def _weights(body: _Object) -> Weights:
    parameters = body["parameters"]
    return Weights(
        bytes=_sourced(body["bytes"]),
        parameters=None if parameters is None else _sourced(parameters),
        replicated_bytes=body["replicated_bytes"],
        draft_bytes=body["draft_bytes"],
        encoder_bytes=body["encoder_bytes"],
        by_format=body["by_format"],
        exact=body["exact"],
    )


def _sourced_list(value: Sourced[int]) -> list[int | str]:
    return [value.value, value.source.origin.value, value.source.detail]


def _sourced(parts: list[Any]) -> Sourced[int]:
    value, origin, detail = parts
    return Sourced(value, Source(Origin(origin), detail))
