"""`kvdesk plan` as text and as JSON."""

import json
from pathlib import Path

import pytest

from kvdesk.cli.main import main

CONFIGS = Path(__file__).parents[1] / "fixtures" / "configs"


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["plan", *arguments]) == 0
    return capsys.readouterr().out


def test_the_table(capsys: pytest.CaptureFixture[str]) -> None:
    """120 sequences of 1 GiB: three H100 of 50, also at the low end of 46."""
    text = printed(capsys, "llama-3.1-8b", "--gpu", "h100-sxm", "--sequences", "120")
    row = next(line for line in text.splitlines() if line.startswith("h100-sxm"))
    assert row.split()[:2] == ["h100-sxm", "3"]
    assert row.split()[-4:] == ["3", "4", "2.1", "kv"]  # low end, N+1, 3 x 700 W
    assert max(map(len, text.splitlines())) <= 110
    for word in ("holds:", "low end:", "N+1:"):
        assert word in text


def test_json_names_the_replica(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(
        capsys, str(CONFIGS / "deepseek-ai__DeepSeek-V3.json"), "--engine", "vllm", "--gpu", "h200-sxm", "--json",
        "--sequences", "200",
    )  # fmt: skip
    (row,) = json.loads(text)["rows"]
    replica = row["replica"]
    assert row["gpus"] == row["tp"] * row["pp"] * row["dp"] == row["replicas"] * replica["gpus"]
    assert replica["gpus"] == replica["tp"] * replica["pp"] * replica["dp"]
    assert row["gpus_n_plus_1"] == row["gpus"] + replica["gpus"]
    assert row["nodes"] * row["per_node"] >= row["gpus"]
    assert row["gpus_low"] >= row["gpus"]


def test_what_never_fits_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "llama-3.1-8b", "--gpu", "t4", "--weights-bytes", "900TB", "--sequences", "5")
    assert "Not one sequence fits" in text
    assert "NVIDIA T4" in text or "T4" in text


def test_a_layout_that_spans_nodes_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "llama-3.1-8b", "--gpu", "t4", "--weights-bytes", "60GB", "--sequences", "1")
    assert "spans 2 nodes of 4" in " ".join(text.split())
