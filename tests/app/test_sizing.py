"""Session -> sizing -> JSON, by the contract's worked examples."""

from dataclasses import replace

import pytest

from kvdesk.app import lookup, sweep
from kvdesk.app.derive import Deriver
from kvdesk.app.plan import plan
from kvdesk.app.plan_json import plan_json
from kvdesk.app.session import GpuChoice, Session
from kvdesk.app.sizing_json import error_json, to_json
from kvdesk.app.verdict import verdict
from kvdesk.core.errors import KvdeskError, UsageError
from kvdesk.core.json_value import JsonValue

LLAMA = Session(model=lookup.load("llama-3.1-8b"), gpus=(GpuChoice(gpu="h100-sxm"),))


def test_the_default_scenario_to_the_digit() -> None:
    option = to_json(Deriver().derive(LLAMA))["options"]
    assert isinstance(option, list)
    first = option[0]
    assert isinstance(first, dict)
    expected = {
        "gpu": "h100-sxm",
        "count": 1,
        "device_bytes": 80_000_000_000,
        "budget_bytes": 73_600_000_000,
        "weights_bytes": 16_060_522_496,
        "reserve_bytes": 3_000_000_000,
        "pool_bytes": 54_539_477_504,
        "logical_bytes_per_sequence": 1_073_741_824,
        "allocated_bytes_per_sequence": 1_073_741_824,
        "pool_tokens": 416_103,
        "full_length_sequences": 50,
        "fits": True,
        "limit": None,
    }
    assert {key: first[key] for key in expected} == expected


def test_the_head_of_the_json() -> None:
    sizing = to_json(Deriver().derive(replace(LLAMA, context=131_072)))
    assert sizing["schema"] == "kvdesk.sizing/1"
    model, kv, weights = sizing["model"], sizing["kv"], sizing["weights"]
    assert isinstance(model, dict)
    assert isinstance(kv, dict)
    assert isinstance(weights, dict)
    assert (model["source"], model["model_type"], model["max_context"]) == ("catalogue", "llama", 131_072)
    assert model["layers"] == [{"kind": "full", "count": 32, "kv_heads": 8, "key_dim": 128, "value_dim": 128}]
    assert kv["logical_bytes_per_sequence"] == 17_179_869_184  # 16 GiB
    assert (kv["dtype"], kv["fixed_bytes_per_sequence"], kv["marginal_bytes_per_token"]) == ("bf16", 0, 131_072)
    assert (weights["bytes"], weights["parameters"]) == (16_060_522_496, 8_030_261_248)
    sources = sizing["sources"]
    assert isinstance(sources, dict)
    assert "model.max_context" in sources
    assert "options.0.budget.pool" in sources


def test_an_impossible_option_is_told_and_the_others_stay() -> None:
    session = replace(LLAMA, gpus=(GpuChoice(gpu="h100-sxm", count=3), GpuChoice(gpu="nope"), GpuChoice(gpu="l40s")))
    sizing = Deriver().derive(session)
    assert [option.fits for option in sizing.options] == [False, False, True]
    codes = [finding.code for finding in sizing.findings]
    assert "bad-layout" in codes
    assert "unknown-gpu" in codes
    options = to_json(sizing)["options"]
    assert isinstance(options, list)
    first = options[0]
    assert isinstance(first, dict)
    assert (first["fits"], first["limit"], first["full_length_sequences"]) == (False, "layout", 0)


@pytest.mark.parametrize("changes", [{"context": 0}, {"sequences": 0}, {"shared_prefix": -1}, {"shared_prefix": 9000}])
def test_impossible_workloads(changes: dict[str, int]) -> None:
    with pytest.raises(UsageError) as caught:
        Deriver().derive(replace(LLAMA, **changes))  # type: ignore[arg-type]  # whole numbers, as each field wants
    assert caught.value.code == "bad-workload"


@pytest.mark.parametrize(("version", "code"), [("nope", "bad-engine-version"), ("0.0.1", "unknown-engine-version")])
def test_versions_that_no_option_can_have(version: str, code: str) -> None:
    with pytest.raises(UsageError) as caught:
        Deriver().derive(replace(LLAMA, engine="vllm", engine_version=version))
    assert caught.value.code == code


def test_no_model() -> None:
    with pytest.raises(UsageError) as caught:
        Deriver().derive(Session())
    assert caught.value.code == "no-model"
    assert error_json(caught.value)["schema"] == "kvdesk.error/1"


def test_a_context_past_the_model_is_a_finding() -> None:
    sizing = Deriver().derive(replace(LLAMA, context=200_000))
    assert "context-past-model" in [finding.code for finding in sizing.findings]


def test_overrides_are_laid_over_the_config_and_taken_back() -> None:
    deriver = Deriver()
    four = LLAMA.with_override("num_key_value_heads", 4)
    # half the KV heads, half the bytes: 65,536 per token
    assert deriver.derive(four).logical.marginal(1) == 65_536
    assert deriver.derive(four.without_override("num_key_value_heads")).logical.marginal(1) == 131_072


def test_weights_typed_by_the_user() -> None:
    option = Deriver().derive(replace(LLAMA, weights_bytes=10**10)).options[0]
    assert option.answer is not None
    assert option.answer.weights_bytes == 10**10


def test_geometry_is_read_once_for_a_model() -> None:
    deriver = Deriver()
    assert deriver.derive(LLAMA).geometry is deriver.derive(replace(LLAMA, context=100)).geometry


def test_verdicts_in_a_sentence() -> None:
    sizing = Deriver().derive(replace(LLAMA, gpus=(GpuChoice(gpu="h100-sxm"), GpuChoice(gpu="t4")), sequences=50))
    fits, does_not = (verdict(option) for option in sizing.options)
    assert fits.startswith("FITS")
    assert "50 sequences of 8,192 tokens" in fits
    assert does_not.startswith("NO")
    assert "exceed the budget" in does_not
    many = verdict(Deriver().derive(replace(LLAMA, sequences=51)).options[0])
    assert "51 are wanted" in many


class TestSweep:
    def test_contexts_are_sorted_and_hold_the_powers_of_two(self) -> None:
        points = sweep.contexts(131_072)
        assert list(points) == sorted(set(points))
        assert {256 << n for n in range(10)} <= set(points)

    def test_the_curve_is_weights_reserve_and_cache(self) -> None:
        sizing = Deriver().derive(replace(LLAMA, sequences=50))
        curve = sweep.curve(sizing, sizing.options[0], sweep.contexts(sweep.longest_context(sizing)))
        assert curve is not None
        at_8k = curve.contexts.index(8192)
        # 50 sequences x 1 GiB + 16,060,522,496 + 3e9
        assert curve.total[at_8k] == 50 * 2**30 + 19_060_522_496
        assert curve.capacity == 73_600_000_000
        assert curve.crossing == 8320
        assert curve.fitting[at_8k] == 50

    def test_an_option_without_an_answer_has_no_curve(self) -> None:
        sizing = Deriver().derive(replace(LLAMA, gpus=(GpuChoice(gpu="nope"),)))
        assert sweep.curve(sizing, sizing.options[0], (256,)) is None


class TestPlan:
    def test_replicas_hold_the_sequences(self) -> None:
        # one B300 holds (288e9 x 0.92 - 16.06e9 - 3e9) / 1 GiB = 229.02 sequences of 8,192: 500 need three, N+1 four
        session = replace(LLAMA, gpus=(GpuChoice(gpu="b300"),), sequences=500)
        sizing, (row,) = plan(session, Deriver())
        assert (row.gpus, row.gpus_n_plus_1, row.per_replica, row.holds) == (3, 4, 229, 687)
        assert row.headroom == (687 - 500) / 687
        assert row.limit == "kv"
        rows = plan_json(sizing, (row,))["rows"]
        assert isinstance(rows, list)
        assert isinstance(rows[0], dict)
        assert (rows[0]["gpus"], rows[0]["dp"]) == (3, 3)

    def test_what_never_fits_says_why(self) -> None:
        session = replace(LLAMA, gpus=(GpuChoice(gpu="t4"),), weights_bytes=10**15)
        _, (row,) = plan(session, Deriver())
        assert (row.gpus, row.limit) == (None, "weights")
        assert row.reason

    def test_an_unknown_gpu_is_a_row_with_the_reason(self) -> None:
        _, (row,) = plan(replace(LLAMA, gpus=(GpuChoice(gpu="nope"),)), Deriver())
        assert row.limit == "layout"
        assert "nope" in row.reason


def test_a_source_that_does_not_exist() -> None:
    with pytest.raises(KvdeskError):
        lookup.load("./nowhere/config.json")


def test_no_budget_without_weights() -> None:
    # Counting unknown weights as nothing would promise room that is not there.
    model = replace(lookup.load("llama-3.1-8b"), weights=None, config={**LLAMA_PLAIN, "model_type": "unheard-of"})
    session = replace(LLAMA, model=model)
    option = Deriver().derive(session).options[0]
    assert option.error is not None
    assert option.error.code == "weights-unknown"
    given = Deriver().derive(replace(session, pool_bytes=2**30)).options[0]
    assert given.answer is not None


LLAMA_PLAIN: dict[str, JsonValue] = {
    "architectures": ["UnheardOfForCausalLM"],
    "num_hidden_layers": 32,
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_key_value_heads": 8,
    "max_position_embeddings": 8192,
    "vocab_size": 32000,
    "torch_dtype": "bfloat16",
}


def test_experts_in_mxfp4_are_padded_on_one_gpu_too() -> None:
    # gpt-oss-20b: 24 x 32 experts of 3 x 2,880 x 2,880 x 17 / 32 = 10,152,345,600 B become 2,944 x 3,072 on a B200,
    # x 9,043,968 / 8,294,400 = 11,069,816,832: 917,471,232 more than the 13,761,264,768 B of the checkpoint.
    session = Session(model=lookup.load("gpt-oss-20b"), gpus=(GpuChoice(gpu="b200"),), engine="vllm")
    option = Deriver().derive(session).options[0]
    assert option.answer is not None
    assert abs(option.answer.weights_bytes - 14_678_736_000) < 1_000_000


@pytest.mark.parametrize("gpus", [1, 8])
def test_draft_layers_of_a_catalogue_model_are_weighed(gpus: int) -> None:
    # DeepSeek-V3's MTP layer: 256 x 3 x 2,048 x 7,168 = 11.3 GB of experts in fp8 alone.
    session = Session(model=lookup.load("deepseek-v3"), gpus=(GpuChoice(gpu="h200-sxm", count=gpus),), engine="vllm")
    drafting = replace(session, engine_arguments={"speculative_config": {"method": "mtp", "num_speculative_tokens": 1}})
    plain, more = (Deriver().derive(one).options[0].answer for one in (session, drafting))
    assert plain is not None
    assert more is not None
    assert more.weights_bytes - plain.weights_bytes > 11_274_289_152 // gpus
