"""The reserve against 65 public vLLM start-up logs (0.6 to 0.30).

`fixtures/reserve_logs.json` holds what each log gives: total x utilization - weights - KV as `reserve_mib`, the KV
memory, the model's sizes and the settings, the engine's defaults where the log does not show them.
"""

import json
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

import pytest

from kvdesk.core.budget import BudgetLine
from kvdesk.core.device import Device
from kvdesk.core.geometry import Geometry
from kvdesk.core.layout import Layout
from kvdesk.core.sourced import Origin, Source, Sourced
from kvdesk.core.units import GIB, MIB
from kvdesk.core.workload import Workload
from kvdesk.engines.base import Question
from kvdesk.engines.reserve import TERMS, estimate, forward_elements_per_token, release

READ = Source(Origin.CONFIG)
LOGS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[1] / "fixtures" / "reserve_logs.json").read_text(encoding="utf-8")
)


def question(
    *, vocab: int, hidden: int, feed_forward: int, multimodal: bool = False, tp: int = 1, pp: int = 1
) -> Question:
    geometry = Geometry(
        model_type="llama",
        architecture="LlamaForCausalLM",
        layers=(),
        vocab_size=vocab,
        hidden_size=hidden,
        multimodal=multimodal,
        facts={"intermediate_size": Sourced(feed_forward, READ)} if feed_forward else {},
        model_dtype=Sourced("bf16", READ),
    )
    device = Device(id="h100-sxm", name="H100", vendor="NVIDIA", marketed_bytes=Sourced(80 * 10**9, READ))
    return Question(
        geometry=geometry, weights=None, workload=Workload(context=8192), device=device, layout=Layout(tp=tp, pp=pp)
    )


def llama(tp: int = 1) -> Question:
    return question(vocab=128256, hidden=4096, feed_forward=14336, tp=tp)


def lines(asked: Question, version: str = "0.33.0", sequences: int = 1024, tokens: int = 8192) -> dict[str, BudgetLine]:
    found = estimate(
        asked, engine="vllm", version=version, max_num_seqs=sequences, max_num_batched_tokens=tokens, max_model_len=8192
    )
    return {line.key: line for line in found}


def of_log(log: dict[str, Any]) -> BudgetLine:
    asked = question(**{key: log[key] for key in ("vocab", "hidden", "feed_forward", "multimodal", "tp", "pp")})
    return estimate(
        asked,
        engine="vllm",
        version=log["version"],
        max_num_seqs=log["sequences"],
        max_num_batched_tokens=log["tokens"],
        max_model_len=log["max_model_len"],
        chunked_prefill=log["chunked_prefill"],
        cuda_graphs=not log["eager"],
        large_graphs=log["large_graphs"],
    )[-1]


def test_nine_of_ten_logs_lie_in_the_band() -> None:
    inside = 0
    for log in LOGS:
        line = of_log(log)
        assert line.low is not None
        assert line.high is not None
        inside += line.low <= log["reserve_mib"] * MIB <= line.high
    assert inside / len(LOGS) >= 0.9


def test_the_median_log_s_pool_is_predicted_within_five_percent() -> None:
    errors = [abs(int(of_log(log).value) / MIB - log["reserve_mib"]) / abs(log["kv_mib"]) for log in LOGS]
    assert median(errors) <= 0.05


def test_the_sampler_s_run_is_38_and_a_half_bytes_per_entry_and_sequence() -> None:
    # 77/2 x 128,256 x 1,024 + 2 x 4,096 x 8,192 = 5,056,364,544 + 67,108,864; the log of this run shows 4.76 GiB.
    line = lines(llama(), "0.12.0")["reserve.activation"]
    assert line.value == 5_056_364_544 + 67_108_864
    assert abs(int(line.value) / GIB - 4.76) < 0.02


@pytest.mark.parametrize(("tokens", "logged_gib"), [(20_000, 17.06 - 14.9888), (29_000, 17.98 - 14.9888)])
def test_without_chunked_prefill_activation_grows_with_the_length(tokens: int, logged_gib: float) -> None:
    # vllm-project/vllm#10517, vLLM 0.6.4: peak torch memory less weights.
    found = estimate(
        llama(),
        engine="vllm",
        version="0.6.4",
        max_num_seqs=256,
        max_num_batched_tokens=2048,
        max_model_len=tokens,
        chunked_prefill=False,
    )
    peak = next(line for line in found if line.key == "reserve.activation")
    assert abs(int(peak.value) / GIB - logged_gib) < 0.02


def test_a_mixture_of_experts_has_a_workspace_for_each_chosen_expert() -> None:
    # Qwen3-30B-A3B: 8 x (3 x 768 + 2,048) + 3 x 2,048 = 34,816 + 6,144.
    geometry = question(vocab=151936, hidden=2048, feed_forward=6144).geometry
    facts = {**geometry.facts, "num_experts_per_tok": Sourced(8, READ), "moe_intermediate_size": Sourced(768, READ)}
    assert forward_elements_per_token(replace(geometry, facts=facts), 1) == 40_960


def test_graphs_are_inside_the_budget_since_0_20() -> None:
    assert "reserve.graphs" not in lines(llama(), "0.19.1")
    assert lines(llama(), "0.20.0")["reserve.graphs"].value > 0


def test_penalty_counts_are_kept_since_0_30() -> None:
    assert "reserve.sampler_state" not in lines(llama(), "0.29.1")
    # 4.125 x 128,256 x 1,024
    assert lines(llama(), "0.30.0")["reserve.sampler_state"].value == 541_753_344


def test_communication_only_with_more_than_one_gpu() -> None:
    assert "reserve.communication" not in lines(llama())
    assert lines(llama(tp=8))["reserve.communication"].value > 0


def test_the_total_is_the_sum_of_its_terms() -> None:
    found = lines(llama(tp=2))
    total = found["reserve"]
    assert total.value == sum(int(found[key].value) for key in TERMS if key in found)
    assert isinstance(total.value, int)
    assert total.low is not None
    assert total.high is not None
    assert total.low < total.value < total.high


def test_a_measured_term_replaces_its_estimate_and_loses_its_band() -> None:
    plain = lines(llama())
    measured = lines(replace(llama(), overrides={"reserve.activation": 2 * GIB}))
    line = measured["reserve.activation"]
    assert (line.value, line.exact, line.source.origin) == (2 * GIB, True, Origin.MEASURED)
    difference = int(plain["reserve.activation"].value) - 2 * GIB
    assert measured["reserve"].value == int(plain["reserve"].value) - difference


def test_a_measured_part_goes_into_the_peak() -> None:
    measured = lines(replace(llama(), overrides={"activation.sampler": 7 * GIB}))
    assert measured["reserve.activation"].value == 7 * GIB


def test_a_measured_total_replaces_the_sum() -> None:
    measured = lines(replace(llama(), overrides={"reserve": 3 * GIB}))["reserve"]
    assert (measured.value, measured.exact, measured.source.origin) == (3 * GIB, True, Origin.MEASURED)


def test_a_typed_reserve_is_the_only_line() -> None:
    found = lines(replace(llama(), reserve_bytes=3 * 10**9))
    assert list(found) == ["reserve"]
    assert (found["reserve"].value, found["reserve"].source.origin) == (3 * 10**9, Origin.USER)


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("0.20.1rc0", (0, 20, 1)),
        ("v0.6", (0, 6)),
        ("", ()),
        ("latest", ()),
        ("0.11.0rc2.dev98", (0, 11, 0)),
        ("9" * 50, ()),
    ],
)
def test_release_reads_the_leading_numbers(text: str, numbers: tuple[int, ...]) -> None:
    assert release(text) == numbers
