"""Every budget line recomputes from the numbers printed with it, for every engine and all kinds of layer."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from kvdesk.app import lookup
from kvdesk.app.derive import Deriver
from kvdesk.app.results import OptionResult
from kvdesk.app.session import GpuChoice, Model, Session
from kvdesk.app.sizing_json import JsonObject, option_json
from kvdesk.core.budget import BudgetLine
from kvdesk.core.values import replace
from kvdesk.engines.base import Answer
from kvdesk.report.arithmetic import recompute

CONFIGS = Path(__file__).parents[1] / "fixtures" / "configs"
ENGINES = ("plain", "vllm", "sglang", "tensorrt_llm", "llama_cpp")
MODELS = {
    "dense": "meta-llama__Llama-3.1-8B-Instruct",
    "dense, tied, few heads": "Qwen__Qwen2.5-1.5B",
    "mixture of experts": "Qwen__Qwen3-30B-A3B",
    "latent": "deepseek-ai__DeepSeek-V3",
    "latent with an indexer": "deepseek-ai__DeepSeek-V3.2",
    "compressed": "deepseek-ai__DeepSeek-V4-Flash",
    "windows": "google__gemma-3-27b-it",
    "windows, sinks, MXFP4": "openai__gpt-oss-120b",
    "windows of other heads": "XiaomiMiMo__MiMo-V2-Flash",
    "chunks": "meta-llama__Llama-4-Scout-17B-16E-Instruct",
    "gated delta hybrid": "Qwen__Qwen3-Next-80B-A3B-Instruct",
    "Mamba-2 hybrid": "nvidia__NVIDIA-Nemotron-3-Nano-30B-A3B-BF16",
    "Mamba-1 hybrid": "ai21labs__AI21-Jamba-1.5-Mini",
    "states only": "mistralai__Mamba-Codestral-7B-v0.1",
    "encoder and decoder": "openai__whisper-large-v3",
    "cross-attention": "meta-llama__Llama-3.2-90B-Vision-Instruct",
    "multimodal": "Qwen__Qwen3-VL-30B-A3B-Instruct",
}
LAYOUTS = {
    "1": {"tp": 1},
    "TP 4": {"tp": 4},
    "TP 2, PP 3": {"tp": 2, "pp": 3},
    "PP 2": {"tp": 1, "pp": 2},
    "TP 2, DP 2": {"tp": 2, "dp": 2},
    "TP 8, DCP 2": {"tp": 8, "dcp": 2},
}
VARIANTS: dict[str, dict[str, Any]] = {
    "as it comes": {},
    "many sequences, shared prefix, fp8": {
        "context": 3001, "sequences": 37, "shared_prefix": 777, "kv_dtype": "fp8", "utilization": 0.8712345,
    },
    "pool given": {"pool_bytes": 12_345_678_901, "sequences": 3, "shared_prefix": 128},
    "everything measured": {
        "budget_overrides": {"weights": 9_876_543_211, "reserve.graphs": 123_456_789, "activation.forward": 7_654_321},
        "context": 4097,
    },
    "reserve typed": {"reserve_bytes": 2_500_000_001},
    "reserve measured": {"budget_overrides": {"reserve": 1_000_000_007}},
    "too small a pool": {"pool_bytes": 1_000_003, "shared_prefix": 2048},
}  # fmt: skip
FIGURES = {
    "device": "device_bytes",
    "budget": "budget_bytes",
    "weights": "weights_bytes",
    "reserve": "reserve_bytes",
    "pool": "pool_bytes",
    "tokens": "pool_tokens",
    "sequences": "full_length_sequences",
    "blocks": "num_blocks",
    "concurrency": "max_concurrency",
}
"""The JSON's figure of each line."""


@pytest.fixture(scope="module")
def models() -> dict[str, Model]:
    return {kind: lookup.load_path(CONFIGS / f"{name}.json") for kind, name in MODELS.items()}


@pytest.fixture(scope="module")
def deriver() -> Deriver:
    return Deriver()


def option(model: Model, engine: str, layout: dict[str, int], more: dict[str, Any], deriver: Deriver) -> OptionResult:
    count = layout.get("tp", 1) * layout.get("pp", 1) * layout.get("dp", 1)
    session = Session(model=model, engine=engine, gpus=(GpuChoice(gpu="h200-sxm", count=count, **layout),))
    values = {"context": 2048 if "shared_prefix" in more else None, **more}
    if engine == "llama_cpp" and "kv_dtype" in more:
        values["kv_dtype"] = "q8_0"  # it has no fp8
    return deriver.derive(replace(session, **values)).options[0]


def cases() -> Iterator[tuple[str, str, str]]:
    """Every model with every layout in the first variant, and with every variant on two replicas."""
    yield from product(MODELS, LAYOUTS, ["as it comes"])
    yield from product(MODELS, ["TP 2, DP 2"], [name for name in VARIANTS if name != "as it comes"])


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("kind", "layout", "variant"), list(cases()))
def test_lines(engine: str, kind: str, layout: str, variant: str, models: dict[str, Model], deriver: Deriver) -> None:
    found = option(models[kind], engine, LAYOUTS[layout], VARIANTS[variant], deriver)
    answer = found.answer
    if answer is None:
        assert found.error  # refused: no lines to check
        return
    if not answer.budget:
        assert answer.findings
        assert not answer.fits
        return
    check_lines(answer)
    check_sums(answer)
    check_figures(found, answer)
    check_verdict(answer, int(str(VARIANTS[variant].get("sequences", 1))))


def check_lines(answer: Answer) -> None:
    lines = answer.budget
    assert len({line.symbol for line in lines}) == len(lines), sorted(line.symbol for line in lines)
    assert len({line.key for line in lines}) == len(lines)
    values: dict[str, int | float] = {}
    for line in lines:
        assert line.symbol.isidentifier(), line.symbol
        assert " x " not in line.formula + line.substituted, line
        if line.substituted:
            assert recomputes(line), (line.key, line.formula, line.substituted, line.value)
        else:
            assert not line.formula or is_given(line), (line.key, line.formula)
        if line.formula.partition(" = ")[1] and line.formula.startswith(line.symbol + " = "):
            node = recompute(line.formula, {**values, **constants(answer)})
            # Where the formula in symbols is arithmetic, it says the same as the numbers.
            assert node is None or close(node.value, line.value), (line.key, line.formula, node.value)
        values[line.symbol] = line.value


def constants(answer: Answer) -> dict[str, int]:
    layout = answer.layout
    return {"TP": layout.tp, "PP": layout.pp, "DP": layout.dp, "DCP": layout.dcp}


def is_given(line: BudgetLine) -> bool:
    """Not worked out here: a constant of the profile, or what somebody typed or measured, and the source says so."""
    words = ("constant", "given", "typed", "measured", "unknown", "max_mamba_cache_size", "weights", "nothing")
    held_back = line.key in ("reserve", "tokens")
    return bool(line.source.detail or line.source.origin) and (held_back or any(w in line.formula for w in words))


def recomputes(line: BudgetLine) -> bool:
    node = recompute(line.substituted, {})
    return node is not None and close(node.value, line.value)


def close(found: Fraction, value: float) -> bool:
    """Equal, or to the digits of a ratio."""
    if isinstance(value, int):
        return found == value
    return abs(found - Fraction(value)) <= abs(Fraction(value)) / 10**5


def check_sums(answer: Answer) -> None:
    lines = {line.key: line for line in answer.budget}
    if "reserve" in lines and lines["reserve"].substituted:
        terms = [line for line in answer.budget if line.key.startswith("reserve.")]
        assert sum(int(line.value) for line in terms) == lines["reserve"].value
    if "budget" in lines and lines["pool"].substituted:
        left = answer.budget_bytes - answer.weights_bytes - answer.reserve_bytes
        assert answer.pool_bytes == max(0, left)
        if answer.engine != "tensorrt_llm":  # a fraction of what is free, which is cut off at 0 before
            assert "max(0" in lines["pool"].substituted
    for line in answer.budget:
        if line.low is not None and line.high is not None:
            assert line.low <= line.value <= line.high, line


def check_figures(found: OptionResult, answer: Answer) -> None:
    data = option_json(found)
    for line in answer.budget:
        if line.key in FIGURES:
            assert data[FIGURES[line.key]] == line.value, line
    assert number(data, "pool_low_bytes") <= answer.pool_bytes <= number(data, "pool_high_bytes")
    assert number(data, "sequences_low") <= answer.full_length_sequences <= number(data, "sequences_high")


def number(data: JsonObject, key: str) -> float:
    value = data[key]
    assert isinstance(value, int | float)
    return value


def check_verdict(answer: Answer, wanted: int) -> None:
    assert answer.fits == (answer.full_length_sequences >= wanted)
    assert (answer.limit is None) == answer.fits
    if answer.limit == "weights":
        assert answer.pool_bytes == 0
    if answer.fits:
        assert answer.max_context >= 1
