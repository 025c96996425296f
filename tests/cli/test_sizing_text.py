"""The sizing as text: one line for each line of the budget, formulas with --explain, no nought for small sizes."""

from pathlib import Path

import pytest

from kvdesk.cli.main import main
from kvdesk.cli.output import wrapped

CONFIGS = Path(__file__).parents[1] / "fixtures" / "configs"


def printed(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[str]:
    assert main(["size", *arguments]) == 0
    return capsys.readouterr().out.splitlines()


@pytest.mark.parametrize("engine", ["plain", "vllm", "sglang", "tensorrt_llm", "llama_cpp"])
@pytest.mark.parametrize(
    "model", ["google__gemma-3-27b-it", "Qwen__Qwen3-Next-80B-A3B-Instruct", "openai__whisper-tiny"]
)
def test_lines_fit_a_terminal(engine: str, model: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--gpu", "h200-sxmx4", "--tp", "2", "--pp", "2", "--context", "448", "--shared-prefix", "300"]
    for more in ((), ("--explain",)):
        lines = printed(capsys, str(CONFIGS / f"{model}.json"), "--engine", engine, *options, *more)
        assert max(map(len, lines)) <= 120


def test_the_textbook_can_be_done_by_hand(capsys: pytest.CaptureFixture[str]) -> None:
    text = printed(capsys, "llama-3.1-8b", "--explain")
    at = next(i for i, line in enumerate(text) if line.split()[:2] == ["P", "KV"] and i > text.index("  How:"))
    assert [line.strip() for line in text[at + 1 : at + 5]] == [
        "= max(0, B − W − R)",
        "= max(0; 73,600,000,000 − 16,060,522,496 − 3,000,000,000)",
        "= 54,539,477,504 B",
        "[derived]",
    ]


def test_sources_are_in_the_explanation_only(capsys: pytest.CaptureFixture[str]) -> None:
    short = "\n".join(printed(capsys, "llama-3.1-8b", "--engine", "vllm"))
    long = "\n".join(printed(capsys, "llama-3.1-8b", "--engine", "vllm", "--explain"))
    assert "request_memory" not in short
    assert "[engine profile: vLLM 0.33.0: v1/worker/utils.py request_memory]" in long


def test_the_range_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    """Reserves of 8, 3 and 1 GB leave 46, 50 and 52 sequences."""
    text = printed(capsys, "llama-3.1-8b")
    low = next(line for line in text if line.strip().startswith("low,"))
    high = next(line for line in text if line.strip().startswith("high,"))
    assert low.split()[-1] == "46"
    assert high.split()[-1] == "52"
    assert not any("low," in line for line in printed(capsys, "llama-3.1-8b", "--reserve", "3GB"))


def test_small_sizes_are_no_nought(capsys: pytest.CaptureFixture[str]) -> None:
    text = "\n".join(printed(capsys, str(CONFIGS / "openai__whisper-tiny.json"), "--context", "1"))
    assert " 0.00 GB" not in text
    assert " 0.01 GB" not in text


def test_text_is_wrapped_at_spaces() -> None:
    assert wrapped("one two three", width=8, hanging="  ") == "one two\n  three"
    assert wrapped("longer-than-that x", width=6) == "longer-than-that\nx"
    assert wrapped("", indent="  ") == "  "
