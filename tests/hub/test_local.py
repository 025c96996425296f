"""Weights and GGUF files on this computer."""

import json
from pathlib import Path

import pytest

from kvdesk.app import lookup
from kvdesk.core.errors import SourceError
from kvdesk.core.json_value import JsonValue
from kvdesk.core.sourced import Origin
from kvdesk.hub import local
from tests.support.fake_hub import safetensors

CONFIG: dict[str, JsonValue] = {"model_type": "llama", "num_hidden_layers": 2}


def shard(folder: Path, name: str, tensors: dict[str, tuple[str, tuple[int, ...], int]]) -> int:
    """A file of that size whose tensors are holes."""
    header, size = safetensors(tensors)
    with (folder / name).open("wb") as file:
        file.write(header)
        file.truncate(size)
    return size


def test_weights_beside_a_config(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    shard(tmp_path, "model-00001-of-00002.safetensors", {"a.weight": ("BF16", (10, 10), 200)})
    shard(tmp_path, "model-00002-of-00002.safetensors", {"b.weight": ("F32", (10,), 40)})
    shard(tmp_path, "consolidated.safetensors", {"a.weight": ("BF16", (10, 10), 200)})
    model = lookup.load(str(tmp_path))
    assert model.weights is not None
    assert model.weights.bytes.value == 240
    assert model.weights.bytes.source.origin is Origin.HEADER
    assert model.weights.parameters is not None
    assert model.weights.parameters.value == 110


def test_the_index_decides_between_several(tmp_path: Path) -> None:
    shard(tmp_path, "model.safetensors", {"a.weight": ("BF16", (10,), 20)})
    shard(tmp_path, "other.safetensors", {"b.weight": ("BF16", (10,), 20)})
    (tmp_path / "model.safetensors.index.json").write_text('{"weight_map": {"a.weight": "model.safetensors"}}')
    weights, findings = local.weights_in(tmp_path, CONFIG)
    assert weights is not None
    assert weights.bytes.value == 20
    assert findings == ()


def test_a_damaged_header_leaves_the_size(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"\xff" * 100)
    weights, findings = local.weights_in(tmp_path, CONFIG)
    assert weights is not None
    assert weights.bytes.value == 100
    assert [finding.code for finding in findings] == ["headers-unread"]


def test_pickled_weights_are_sized_and_not_opened(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").write_bytes(b"\x80\x04" * 50)
    (tmp_path / "training_args.bin").write_bytes(b"x" * 7)
    weights, _ = local.weights_in(tmp_path, CONFIG)
    assert weights is not None
    assert weights.bytes.value == 100
    assert not weights.exact


def test_a_folder_without_weights(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(CONFIG))
    assert lookup.load(str(tmp_path)).weights is None
    assert local.weights_in(tmp_path, CONFIG) == (None, ())


def test_what_cannot_be_read(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as caught:
        local.weights_in(tmp_path / "none", CONFIG)
    assert caught.value.code == "unreadable-file"
    with pytest.raises(SourceError) as caught:
        local.gguf_file(tmp_path / "none.gguf")
    assert caught.value.code == "unreadable-file"
