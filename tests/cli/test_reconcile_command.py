"""`kvdesk reconcile` on public log formats, without a network."""

import io
import json
import sys
from pathlib import Path

import pytest

from kvdesk.cli.main import main

FIXTURES = Path(__file__).parents[1] / "fixtures"
QWEN = str(FIXTURES / "configs" / "Qwen__Qwen3-8B.json")


def log(name: str) -> str:
    return str(FIXTURES / "logs" / f"{name}.log")


@pytest.fixture(autouse=True)
def _offline(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def test_a_model_of_the_catalogue_needs_no_option(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reconcile", log("vllm_0_6_4")]) == 0
    printed = capsys.readouterr().out
    assert "1,952 blocks" in printed
    assert "equal within the printed rounding" in printed


def test_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reconcile", log("vllm_0_11"), "--model", QWEN, "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    rows = {row["key"]: row for row in data["rows"]}
    assert data["schema"] == "kvdesk.reconciliation/1"
    assert data["agrees"] is True
    assert (rows["kv_tokens"]["logged"], rows["kv_tokens"]["equal"]) == (366_400, True)
    assert data["measured"]["weights"] == 152_683 * 2**30 // 10_000


def test_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(Path(log("vllm_0_6_4")).read_bytes())))
    assert main(["reconcile", "-"]) == 0
    assert "1.56" in capsys.readouterr().out


def test_what_is_given_goes_before_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--gpu", "a100-80-sxm", "--context", "20480", "--engine-arg", "max_model_len=20480", "--kv-dtype", "fp8"]
    assert main(["reconcile", log("vllm_0_11"), "--model", QWEN, *options, "--json"]) == 0
    scenario = json.loads(capsys.readouterr().out)["scenario"]
    assert (scenario["gpu"], scenario["context"], scenario["kv_dtype"]) == ("a100-80-sxm", 20_480, "fp8")
    assert scenario["engine_arguments"]["max_model_len"] == 20_480


def test_a_model_that_is_not_at_hand_leaves_the_log(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reconcile", log("vllm_0_30_tp2")]) == 0
    printed = capsys.readouterr().out
    assert "302,921 tokens" in printed
    assert "cannot be looked up" in printed
    assert "--model" in printed


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        (["nowhere.log"], 3),
        ([log("vllm_0_11"), "--model", "nowhere.json"], 3),
        ([log("vllm_0_11"), "--model", QWEN, "--gpu", "h100-sxm", "--gpu", "b200"], 2),
        ([], 2),
    ],
)
def test_errors(arguments: list[str], status: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["reconcile", *arguments]) == status
    assert "Traceback" not in capsys.readouterr().err


def test_text_that_is_no_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "novel.txt"
    path.write_bytes(b"\xff\xfe It was a dark night.\n")
    assert main(["reconcile", str(path), "--json"]) == 3
    assert json.loads(capsys.readouterr().out)["code"] == "no-log"
