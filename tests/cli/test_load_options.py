"""The expected load and offload tiers of `kvdesk size`."""

import json
from pathlib import Path

import pytest

from kvdesk.cli.main import main

BASE = ["size", "llama-3.1-8b", "--gpu", "h100-sxm"]


def load(capsys: pytest.CaptureFixture[str], *options: str) -> dict[str, object]:
    assert main([*BASE, *options, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    found = data["load"][0]
    assert isinstance(found, dict)
    return found


def test_lengths_of_a_file(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    path = tmp_path / "lengths.csv"
    path.write_text("prompt,output\n1024,0\n", encoding="utf-8")
    # 54,539,477,504 / (1,024 x 131,072) = 406.35
    found = load(capsys, "--lengths", str(path))["expected"]
    assert isinstance(found, dict)
    assert (found["live_sequences"], found["preemption_from"], found["longest_request"]) == (406, 407, 1024)


def test_moments_and_text(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*BASE, "--prompt-tokens", "1500,4000", "--output-tokens", "300,800"]) == 0
    printed = capsys.readouterr().out
    assert "EXPECTED, not the worst case" in printed
    assert "Preemption starts" in printed


def test_tiers(capsys: pytest.CaptureFixture[str]) -> None:
    found = load(capsys, "--offload", "lmcache=100GiB", "--offload", "redis=1GB")["offload"]
    assert isinstance(found, list)
    assert (found[0]["tokens"], found[0]["sequences"]) == (819_200, 100)
    assert "redis" in found[1]["error"]


def test_without_these_options_nothing_is_added(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*BASE, "--json"]) == 0
    assert "load" not in json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("options", "status"),
    [
        (["--prompt-tokens", "100,200"], 2),
        (["--prompt-tokens", "many", "--output-tokens", "1"], 2),
        (["--prompt-tokens", "200,100", "--output-tokens", "1"], 2),
        (["--offload", "lmcache"], 2),
        (["--lengths", "nowhere.csv"], 3),
    ],
)
def test_errors(options: list[str], status: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*BASE, *options]) == status
    assert capsys.readouterr().err.startswith("kvdesk: ")
