"""Layouts that vLLM refuses are findings, not numbers. Rules: vLLM 0.33.0 `config/model.py`."""

import pytest

from kvdesk.core.geometry import Geometry
from kvdesk.core.layout import Layout
from kvdesk.engines.base import Answer
from kvdesk.engines.vllm.profile import ENGINE
from tests.engines import samples

QWEN_7B = samples.geometry(samples.full(28, 4), query_heads=28, vocab_size=152_064)


def answer(model: Geometry, **layout: int) -> Answer:
    return ENGINE.answer(samples.question(model, layout=Layout(**layout)))


@pytest.mark.parametrize(
    ("model", "layout", "words"),
    [
        (samples.LLAMA_8B, {"tp": 3}, "does not divide the 32 query heads"),
        (samples.geometry(samples.full(2, 6), query_heads=24), {"tp": 4}, "neither divides the 6 KV heads"),
        # 28 heads divide by 7, but 4 KV heads and the vocabulary of 152,064 do not.
        (QWEN_7B, {"tp": 7}, "does not divide the vocabulary, padded to 152,064"),
        (samples.LLAMA_8B, {"pp": 33}, "more than the 32 layers"),
        (samples.geometry(samples.full(20, 2), "Gemma3nForCausalLM"), {"pp": 2}, "no pipeline stages"),
        (samples.LLAMA_8B, {"tp": 8, "dcp": 2}, "DCP needs a TP above the 8 KV heads"),
        (samples.LLAMA_8B, {"tp": 16, "dcp": 4}, "DCP 4 is more than TP 16 / 8 KV heads"),
        (samples.GEMMA_3_27B, {"tp": 32, "dcp": 2}, "windows"),
        (samples.DEEPSEEK_V3, {"tp": 8, "dcp": 3}, "DCP 3 does not divide TP 8"),
        # 24 query heads on 2 KV heads: 12 each.
        (
            samples.geometry(samples.full(2, 2), query_heads=24, vocab_size=0),
            {"tp": 24, "dcp": 8},
            "the 12 query heads",
        ),
        (samples.QWEN3_NEXT, {"tp": 4, "dcp": 2}, "recurrent states"),
        (samples.QWEN3_NEXT, {"tp": 64}, "does not divide the 16 query heads"),
    ],
)
def test_an_impossible_layout(model: Geometry, layout: dict[str, int], words: str) -> None:
    found = answer(model, **layout)
    assert (found.fits, found.limit, found.num_blocks, found.pool_tokens) == (False, "layout", None, 0)
    assert any(words in finding.text for finding in found.findings)
    assert all(finding.code == "impossible-layout" and finding.remedy for finding in found.findings)


@pytest.mark.parametrize("layout", [{"tp": 8}, {"tp": 16, "dcp": 2}, {"tp": 32, "dcp": 4}, {"pp": 32}, {"dp": 3}])
def test_a_possible_layout(layout: dict[str, int]) -> None:
    assert answer(samples.LLAMA_8B, **layout).limit != "layout"


def test_an_option_that_contradicts_the_layout() -> None:
    found = ENGINE.answer(
        samples.question(samples.LLAMA_8B, layout=Layout(tp=2), arguments={"tensor_parallel_size": 4})
    )
    assert [f.code for f in found.findings] == ["contradicting-layout"]


def test_a_context_past_the_model() -> None:
    found = ENGINE.answer(samples.question(samples.LLAMA_8B, context=131_073))
    assert [f.code for f in found.findings] == ["context-past-model"]
    assert (found.fits, found.num_blocks, found.max_context) == (False, None, 131_072)


def test_a_context_past_max_model_len() -> None:
    found = ENGINE.answer(samples.question(samples.LLAMA_8B, context=8192, arguments={"max_model_len": 4096}))
    assert [f.code for f in found.findings] == ["context-past-max-model-len"]


def test_more_sequences_than_run_at_once() -> None:
    found = ENGINE.answer(samples.question(samples.LLAMA_8B, context=128, sequences=2000))
    assert "past-max-num-seqs" in [f.code for f in found.findings]
