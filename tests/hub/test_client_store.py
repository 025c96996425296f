"""Kept look-ups: damaged, stale, on a full or read-only disk, and shared by two processes."""

import errno
import json
import os
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from kvdesk.core.errors import SourceError
from kvdesk.core.findings import warning
from kvdesk.core.sourced import Origin, Source, Sourced
from kvdesk.core.weights import Weights
from kvdesk.hub import client
from kvdesk.hub.client import store_json
from kvdesk.hub.client.settings import Settings
from kvdesk.hub.client.store import Store
from kvdesk.hub.refs import HubRef
from kvdesk.hub.snapshot import Quantisation, RepoFile, Snapshot
from tests.support.fake_hub import FakeHub, Reply, safetensors

NAME = "org/model"
REF = HubRef(NAME)
COMMIT = "a" * 40
SNAPSHOT = Snapshot(
    repo_id=NAME,
    revision=COMMIT,
    config=b"\xff\x00 not even text",
    etag="e",
    files=(RepoFile(name="config.json", size=9, oid="o"), RepoFile(name="x", size=None)),
    side_files={"hf_quant_config.json": b"{}"},
    weights=Weights(
        bytes=Sourced(2**70, Source(Origin.HEADER, "h")),
        parameters=Sourced(7, Source(Origin.HEADER)),
        draft_bytes=1,
        encoder_bytes=2,
        by_format={"bf16": 3},
        exact=False,
    ),
    quantisations=(Quantisation(name="Q8_0", files=("a", "b"), bytes=None),),
    gated=True,
    fetched="2026-01-02",
    findings=(warning("code", "text", "remedy"),),
)


def test_everything_comes_back() -> None:
    assert store_json.load(store_json.dump(SNAPSHOT)) == SNAPSHOT
    bare = replace(SNAPSHOT, weights=None)
    assert store_json.load(store_json.dump(bare)) == bare


def test_any_changed_byte_is_noticed() -> None:
    data = store_json.dump(replace(SNAPSHOT, weights=None))
    for place in range(0, len(data), 7):
        changed = data[:place] + bytes([data[place] ^ 1]) + data[place + 1 :]
        found = store_json.load(changed)
        assert found is None or found == replace(SNAPSHOT, weights=None)


@pytest.mark.parametrize(
    "data", [b"", b"{}", b"[]", b"7", b"[" * 100_000, b'{"body": {}, "schema": "kvdesk.snapshot/1"}']
)
def test_what_is_no_look_up(data: bytes) -> None:
    assert store_json.load(data) is None


def test_branches_commits_and_files(tmp_path: Path) -> None:
    store = Store(tmp_path, "https://huggingface.co")
    store.keep(HubRef(NAME, "refs/pr/7"), SNAPSHOT)
    kept = replace(SNAPSHOT, from_cache=True)
    assert store.find(HubRef(NAME, "refs/pr/7")) == kept
    assert store.find(HubRef(NAME, COMMIT)) == kept
    assert store.find(REF) is None
    assert store.find(HubRef(NAME, COMMIT, "other.json")) is None
    assert Store(tmp_path, "https://other.example.com").find(HubRef(NAME, COMMIT)) is None
    long = HubRef(NAME, "b" * 250)
    store.keep(long, SNAPSHOT)
    assert store.find(long) == kept
    assert all(path.resolve().is_relative_to(tmp_path) for path in tmp_path.rglob("*"))


def damage(settings: Settings, content: bytes) -> None:
    assert settings.cache is not None
    for file in settings.cache.rglob("*.json"):
        file.write_bytes(content)


@pytest.mark.parametrize("content", [b"", b"{", b"\0" * 100])
def test_a_damaged_cache_is_as_none(fake_hub: FakeHub, settings: Settings, content: bytes) -> None:
    commit = fake_hub.add(NAME, {"config.json": {}}).commit
    client.look_up(REF, settings=settings)
    damage(settings, content)
    with pytest.raises(SourceError) as caught:
        client.look_up(REF, settings=replace(settings, offline=True))
    assert caught.value.code == "offline-not-cached"
    assert client.look_up(HubRef(NAME, commit), settings=settings).revision == commit
    assert client.look_up(REF, settings=settings).findings == ()
    assert client.look_up(REF, settings=replace(settings, offline=True)).from_cache


def test_a_stale_cache_is_used_only_without_an_answer(fake_hub: FakeHub, settings: Settings) -> None:
    repo = fake_hub.add(NAME, {"config.json": {"a": 1}})
    old = client.look_up(REF, settings=settings)
    repo.files["config.json"] = b'{"a": 2}'
    new = client.look_up(REF, settings=settings)
    assert (old.config, new.config) == (b'{"a": 1}', b'{"a": 2}')
    assert client.look_up(HubRef(NAME, old.revision), settings=settings).config == old.config
    fake_hub.fault = lambda _: Reply(status=503)
    kept = client.look_up(REF, settings=settings)
    assert kept.config == new.config
    assert [finding.code for finding in kept.findings] == ["from-cache"]
    assert new.fetched in kept.findings[0].text
    # Where the Hub says that there is no such model, an old look-up does not contradict it.
    fake_hub.fault = lambda _: Reply(status=404)
    with pytest.raises(SourceError) as caught:
        client.look_up(REF, settings=settings)
    assert caught.value.code == "model-not-found"


@pytest.mark.parametrize(("number", "word"), [(errno.ENOSPC, "space"), (errno.EROFS, "ead-only")])
def test_a_disk_that_takes_nothing(
    fake_hub: FakeHub, settings: Settings, monkeypatch: pytest.MonkeyPatch, number: int, word: str
) -> None:
    def refuse(_: int) -> None:
        raise OSError(number, os.strerror(number))

    fake_hub.add(NAME, {"config.json": {}})
    monkeypatch.setattr(os, "fsync", refuse)
    found = client.look_up(REF, settings=settings)
    assert [finding.code for finding in found.findings] == ["not-kept"]
    assert word in found.findings[0].text
    assert settings.cache is not None
    assert not [path for path in settings.cache.rglob("*") if path.is_file()]


def test_a_folder_that_cannot_be(fake_hub: FakeHub, settings: Settings, tmp_path: Path) -> None:
    fake_hub.add(NAME, {"config.json": {}})
    (tmp_path / "file").write_text("in the way")
    found = client.look_up(REF, settings=replace(settings, cache=tmp_path / "file" / "cache"))
    assert [finding.code for finding in found.findings] == ["not-kept"]
    assert client.look_up(REF, settings=replace(settings, cache=None)).findings == ()


def downloaded(folder: Path) -> Settings:
    """Settings over a cache as huggingface_hub leaves it after a download."""
    repository = folder / "models--org--model"
    files = repository / "snapshots" / COMMIT
    files.mkdir(parents=True)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(COMMIT)
    (files / "config.json").write_text('{"model_type": "llama"}')
    (files / "hf_quant_config.json").write_text("{}")
    header, size = safetensors({"a.weight": ("BF16", (4,), 8)})
    with (files / "model.safetensors").open("wb") as file:
        file.write(header)
        file.truncate(size)
    return Settings(endpoint="http://127.0.0.1:1", hub_cache=folder, offline=True)


def test_what_others_have_downloaded(tmp_path: Path) -> None:
    settings = downloaded(tmp_path)
    for ref in (REF, HubRef(NAME, COMMIT)):
        found = client.look_up(ref, settings=settings)
        assert found.revision == COMMIT
        assert found.config == b'{"model_type": "llama"}'
        assert found.side_files == {"hf_quant_config.json": b"{}"}
        assert found.weights is not None
        assert found.weights.bytes.value == 8
        assert [finding.code for finding in found.findings] == ["downloaded"]
    silent = client.look_up(REF, settings=replace(settings, offline=False))
    assert [finding.code for finding in silent.findings] == ["from-cache", "downloaded"]
    with pytest.raises(SourceError) as caught:
        client.look_up(HubRef("org/other"), settings=settings)
    assert caught.value.code == "offline-not-cached"


def test_a_damaged_download_is_as_none(tmp_path: Path) -> None:
    settings = downloaded(tmp_path)
    (tmp_path / "models--org--model" / "snapshots" / COMMIT / "config.json").write_text("{")
    with pytest.raises(SourceError) as caught:
        client.look_up(REF, settings=settings)
    assert caught.value.code == "offline-not-cached"


def test_readers_never_see_half_a_file(tmp_path: Path) -> None:
    store = Store(tmp_path, "x")
    snapshots = [replace(SNAPSHOT, etag=letter * 5000) for letter in "ab"]
    store.keep(REF, snapshots[0])
    done = threading.Event()
    seen: set[str] = set()

    def write(snapshot: Snapshot) -> None:
        while not done.is_set():
            store.keep(REF, snapshot)

    writers = [threading.Thread(target=write, args=(snapshot,)) for snapshot in snapshots]
    for writer in writers:
        writer.start()
    for _ in range(100):
        found = store.find(REF)
        seen.add(found.etag[:1] if found else "half")
    done.set()
    for writer in writers:
        writer.join()
    assert seen <= {"a", "b"}


@pytest.mark.slow
def test_two_processes_on_one_cache(fake_hub: FakeHub, tmp_path: Path) -> None:
    fake_hub.add(NAME, {"config.json": {"model_type": "llama"}})
    code = (
        f"from kvdesk.hub import client, refs\nfor _ in range(5): print(client.look_up(refs.HubRef('{NAME}')).revision)"
    )
    environment = os.environ | {"HF_ENDPOINT": fake_hub.url, "HF_HOME": str(tmp_path)}
    command = [sys.executable, "-c", code]
    both = [
        subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    for process in both:
        out, err = process.communicate(timeout=30)
        assert err == ""
        assert out.split() == [fake_hub.repos[NAME].commit] * 5
    kept = list(tmp_path.rglob(f"{fake_hub.repos[NAME].commit}.json"))
    assert len(kept) == 1
    assert json.loads(kept[0].read_bytes())["schema"] == store_json.SCHEMA
    assert not list(tmp_path.rglob("*.part"))
