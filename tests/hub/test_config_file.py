"""Untrusted bytes: what is read, what is refused, and that nothing else happens."""

import json
import math

import pytest

from kvdesk.core.errors import ExitStatus, SourceError
from kvdesk.hub import config_file


def test_a_plain_object() -> None:
    assert config_file.parse(b'\n{"hidden_size": 4096, "nested": {"a": [1, null, true]}}') == {
        "hidden_size": 4096,
        "nested": {"a": [1, None, True]},
    }


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_encodings_of_windows_editors(encoding: str) -> None:
    assert config_file.parse('{"model_type": "llama"}'.encode(encoding)) == {"model_type": "llama"}


def test_integers_are_exact_past_64_bits() -> None:
    assert config_file.parse(b'{"a": 9223372036854775809}')["a"] == 2**63 + 1


def test_bare_infinity_of_nemotron_h_is_read() -> None:
    found = config_file.parse(b'{"time_step_limit": [0.0, Infinity], "x": NaN, "y": -Infinity}')
    assert found["time_step_limit"] == [0.0, math.inf]
    assert isinstance(found["x"], float)
    assert math.isnan(found["x"])


def test_contradicting_duplicates_are_told() -> None:
    found = config_file.parse(b'{"num_key_value_heads": 8, "a": 1, "a": 1, "num_key_value_heads": 64}')
    assert found["num_key_value_heads"] == 64
    assert [finding.code for finding in found.findings] == ["duplicate-key"]
    assert "num_key_value_heads" in found.findings[0].text


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "not JSON"),
        (b"<html>", "not JSON"),
        (b"[1]", "array"),
        (b'"x"', "string"),
        (b"null", "null"),
        (b"true", "boolean"),
        (b"3", "number"),
        (b'{"a": ' + b"9" * 500 + b"}", "500 digits"),
        (b'{"a": ' * 70 + b"1" + b"}" * 70, "64 levels"),
        (b'{"a": ' * 100_000, ""),
        (b"[" * 1_000_000, ""),
        (b"\xff\xfe\x00\xd8{", ""),
        (b'{"a": "\xff"}', "UTF-8"),
        (b" " * (10 * 2**20 + 1), "bytes long"),
    ],
)
def test_refusals(data: bytes, words: str) -> None:
    with pytest.raises(SourceError) as caught:
        config_file.parse(data, "params.json")
    assert caught.value.code == "malformed-config"
    assert caught.value.exit_status is ExitStatus.SOURCE
    assert caught.value.title == "params.json could not be read."
    assert words in caught.value.detail
    assert caught.value.remedy


def test_ten_mebibytes_are_read() -> None:
    data = json.dumps({"ignore": "x" * (10 * 2**20 - 20)}).encode()
    assert len(config_file.parse(data)) == 1
