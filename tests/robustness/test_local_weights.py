"""Weights beside a config.json that cannot be read: their files' sizes are taken and it is said, or there are none."""

import json
import os
import sys
from pathlib import Path

import pytest

from kvdesk.app import lookup
from kvdesk.core.json_value import JsonValue
from kvdesk.hub import local
from tests.robustness.test_command_line import LLAMA


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "config.json").write_text(json.dumps(LLAMA), encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("data", [b"", b"\0" * 8, b"\xff" * 100, b"\x10\0\0\0\0\0\0\0" + b"[" * 16, os.urandom(1000)])
def test_a_header_that_is_none(folder: Path, data: bytes) -> None:
    (folder / "model.safetensors").write_bytes(data)
    found = lookup.load(str(folder))
    assert found.weights is None or found.weights.bytes.value == len(data)
    assert found.weights is None or not found.weights.exact or found.findings


def test_a_file_of_twenty_gigabytes_costs_its_header(folder: Path) -> None:
    with (folder / "model.safetensors").open("wb") as file:
        file.truncate(20 * 10**9)
    found = lookup.load(str(folder))
    assert found.weights is not None
    assert found.weights.bytes.value == 20 * 10**9


def test_a_disk_that_fails_is_told(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "model.safetensors").write_bytes(b"\0" * 100)

    def broken(*_: object) -> None:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("kvdesk.hub.safetensors.header_length", broken)
    found = lookup.load(str(folder))
    assert found.weights is not None
    assert "headers-unread" in [finding.code for finding in found.findings]


@pytest.mark.skipif(sys.platform == "win32", reason="no pipes in folders")
def test_a_pipe_among_the_weights_is_not_opened(folder: Path) -> None:
    os.mkfifo(folder / "model.safetensors")
    assert lookup.load(str(folder)).weights is None


def test_code_and_pickles_beside_a_config_are_not_touched(folder: Path, tmp_path: Path) -> None:
    """A file that would tell if anybody ran or unpickled it."""
    told = tmp_path / "told"
    program = f"import pathlib; pathlib.Path({str(told)!r}).write_text('ran')"
    for name in ("modeling_x.py", "configuration_x.py", "config.py", "__init__.py"):
        (folder / name).write_text(program, encoding="utf-8")
    # A pickle whose reduction writes the file: `c os system` would, were it loaded.
    (folder / "pytorch_model.bin").write_bytes(b"cos\nsystem\n(S'touch " + str(told).encode() + b"'\ntR.")
    config: dict[str, JsonValue] = {**LLAMA, "auto_map": {"AutoConfig": "configuration_x.X"}, "trust_remote_code": True}
    (folder / "config.json").write_text(json.dumps(config), encoding="utf-8")
    lookup.load(str(folder))
    local.weights_in(folder, config)
    assert not told.exists()
