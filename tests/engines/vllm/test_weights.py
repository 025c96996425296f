"""Weights of one GPU. Wanted: parameter bytes of rank 0 of each stage as vLLM 0.33.0 builds the models."""

from dataclasses import replace

import pytest

from kvdesk.catalogue import accelerators
from kvdesk.core.device import Device
from kvdesk.core.geometry import Geometry
from kvdesk.core.layout import Layout
from kvdesk.core.sourced import Origin, Source, Sourced
from kvdesk.core.units import GB
from kvdesk.core.weights import Weights
from kvdesk.engines.vllm.arguments import parse
from kvdesk.engines.vllm.model import Model
from kvdesk.engines.vllm.profile import ENGINE
from kvdesk.engines.vllm.versions import rules
from kvdesk.engines.vllm.weights import shares
from tests.engines import samples

READ = Source(Origin.HEADER)
LLAMA_70B = samples.geometry(samples.full(80), query_heads=64, hidden_size=8192)
# 128,256 x 8,192 x 2 B each for embedding and head; 161 norms of 8,192 x 2 B.
WEIGHTS_70B = Weights(
    bytes=Sourced(141_107_412_992, READ),
    parameters=Sourced(70_553_706_496, READ),
    replicated_bytes=161 * 8192 * 2,
    embedding_bytes=128_256 * 8192 * 2,
    head_bytes=128_256 * 8192 * 2,
)
WEIGHTS_8B = Weights(
    bytes=Sourced(16_060_522_496, READ),
    parameters=Sourced(8_030_261_248, READ),
    replicated_bytes=65 * 4096 * 2,
    embedding_bytes=128_256 * 4096 * 2,
    head_bytes=128_256 * 4096 * 2,
)


def stages(weights: Weights, model: Geometry, layout: Layout) -> tuple[int, ...]:
    return shares(weights, Model(model, samples.H100, parse({})), layout, rules(None)).stages


@pytest.mark.parametrize(
    ("weights", "model", "layout", "measured"),
    [
        (WEIGHTS_70B, LLAMA_70B, Layout(), (141_107_412_992,)),
        (WEIGHTS_70B, LLAMA_70B, Layout(tp=2), (70_555_025_408,)),
        (WEIGHTS_70B, LLAMA_70B, Layout(tp=8), (17_640_734_720,)),
        (WEIGHTS_70B, LLAMA_70B, Layout(tp=4, pp=3), (12_077_334_528, 11_551_997_952, 11_649_499_136)),
        (WEIGHTS_8B, samples.LLAMA_8B, Layout(tp=2), (8_030_527_488,)),
        # 16 and 32 ranks hold a whole KV head each, copied from 8.
        (WEIGHTS_8B, samples.LLAMA_8B, Layout(tp=16), (1_037_836_288,)),
        (WEIGHTS_8B, samples.LLAMA_8B, Layout(tp=32), (552_738_816,)),
    ],
)
def test_as_the_engine_builds_them(
    weights: Weights, model: Geometry, layout: Layout, measured: tuple[int, ...]
) -> None:
    found = stages(weights, model, layout)
    assert len(found) == len(measured)
    for ours, theirs in zip(found, measured, strict=True):
        assert abs(ours - theirs) <= theirs // 10_000


def test_a_tied_embedding_is_on_both_ends() -> None:
    tied = Weights(bytes=Sourced(10 * GB, READ), embedding_bytes=GB)
    # (10 - 1) x 16 / 32 + 1 on the first and on the last stage
    assert stages(tied, samples.LLAMA_8B, Layout(pp=2)) == (5_500_000_000, 5_500_000_000)


def test_experts_are_divided_over_data_parallel_ranks_too() -> None:
    moe = Weights(bytes=Sourced(100 * GB, READ), expert_bytes=96 * GB)
    assert stages(moe, samples.DEEPSEEK_V3, Layout(dp=8)) == (4 * GB + 12 * GB,)
    assert stages(moe, samples.DEEPSEEK_V3, Layout(tp=2, dp=4)) == (2 * GB + 12 * GB,)


@pytest.mark.parametrize(
    ("gpu", "version", "tp", "times"),
    [
        ("h100-sxm", "0.33.0", 1, (2_880, 2_880)),
        ("b200", "0.33.0", 1, (2_944, 3_072)),
        ("a100-80-sxm", "0.33.0", 1, (2_944, 3_072)),
        # a quarter of 2,880 is 720: 768 in steps of 64 on Hopper
        ("h100-sxm", "0.33.0", 4, (4 * 768, 2_880)),
        # Marlin; whole model 60.77 + 56.73 x 0.0904 = 65.90 GiB (vllm-project/vllm#27508: 65.97 less 0.1 by its sums)
        ("h100-sxm", "0.11.0", 1, (2_944, 3_072)),
        ("b200", "0.26.0", 1, (3_072, 3_072)),
    ],
)
def test_experts_in_mxfp4_are_padded(gpu: str, version: str, tp: int, times: tuple[int, int]) -> None:
    facts = {"intermediate_size": Sourced(2_880, READ)}
    model = replace(samples.GPT_OSS_120B, hidden_size=2_880, quantization="mxfp4", facts=facts)
    held = Weights(bytes=Sourced(60_914_073_600, READ), expert_bytes=60_914_073_600)
    found = shares(held, Model(model, accelerators.find(gpu), parse({})), Layout(tp=tp), rules(version)).fullest
    assert found == 60_914_073_600 * times[0] * times[1] // (2_880 * 2_880 * tp)


def test_draft_layers_are_loaded_for_speculation_only() -> None:
    model = samples.DEEPSEEK_V3
    drafting = Geometry(
        model_type="test", architecture="", layers=model.layers, draft_layers=model.layers[:1],
        model_dtype=model.model_dtype,
    )  # fmt: skip
    held = Weights(bytes=Sourced(100 * GB, READ), draft_bytes=8 * GB)
    speculation = parse({"speculative_config": {"method": "mtp", "num_speculative_tokens": 1}})
    assert shares(held, Model(drafting, samples.H100, speculation), Layout(tp=8), rules(None)).stages == (
        13_500_000_000,
    )
    assert stages(held, drafting, Layout(tp=8)) == (12_500_000_000,)


def test_the_budget_of_llama_8b_on_an_h100() -> None:
    # nvidia-smi's total: ceil(0.92 x 85,520,809,984) = 78,679,145,186; - 16,060,522,496 - 3e9 = 59,618,622,690
    device = Device(
        id="h100-sxm",
        name="H100",
        vendor="NVIDIA",
        marketed_bytes=Sourced(80 * GB, READ),
        reported_bytes=Sourced(85_520_809_984, READ),
        compute_capability=(9, 0),
    )
    found = ENGINE.answer(
        samples.question(
            samples.LLAMA_8B, context=8192, pool=None, device=device, weights=WEIGHTS_8B, reserve_bytes=3 * GB
        )
    )
    assert (found.device_bytes, found.budget_bytes) == (85_520_809_984, 78_679_145_186)
    assert (found.weights_bytes, found.reserve_bytes, found.pool_bytes) == (16_060_522_496, 3 * GB, 59_618_622_690)
    # 59,618,622,690 // 2,097,152 = 28,428 blocks x 16 = 454,848 tokens
    assert (found.num_blocks, found.pool_tokens) == (28_428, 454_848)
    lines = {line.key: line for line in found.budget}
    assert list(lines)[:4] == ["device", "utilization", "budget", "weights"]
    assert all(line.formula for key, line in lines.items() if key not in ("device", "utilization"))


def test_weights_that_leave_no_pool() -> None:
    found = ENGINE.answer(samples.question(samples.LLAMA_8B, pool=None, weights=samples.weights(200 * GB)))
    assert (found.fits, found.limit, found.num_blocks) == (False, "weights", 0)


def test_measured_values_replace_lines() -> None:
    found = ENGINE.answer(
        samples.question(
            samples.LLAMA_8B,
            pool=None,
            weights=WEIGHTS_8B,
            overrides={"weights": 15 * GB, "reserve": 4 * GB},
            utilization=0.9,
        )
    )
    assert (found.weights_bytes, found.reserve_bytes) == (15 * GB, 4 * GB)
    assert found.pool_bytes == found.budget_bytes - 19 * GB


def test_an_older_default_utilization() -> None:
    found = ENGINE.answer(samples.question(samples.LLAMA_8B, pool=None, engine_version="0.19.1"))
    assert found.budget[1].value == 0.9


def test_kv_cache_memory_bytes_is_the_pool() -> None:
    given = {"kv_cache_memory_bytes": 10 * 2**30, "gpu_memory_utilization": 0.5}
    found = ENGINE.answer(samples.question(samples.LLAMA_8B, pool=None, arguments=given))
    assert (found.pool_bytes, found.num_blocks) == (10 * 2**30, 5_120)


def test_the_smallest_pool_of_all_stages_decides() -> None:
    layout = Layout(tp=4, pp=3)
    found = ENGINE.answer(
        samples.question(LLAMA_70B, context=8192, pool=None, layout=layout, weights=WEIGHTS_70B, reserve_bytes=3 * GB)
    )
    # Stage 0: 442,368 B per block and the most weights; stage 2 has 425,984 B per block.
    assert found.num_blocks == found.pool_bytes // 442_368


def test_a_draft_head_that_nothing_describes_weighs_as_much_as_a_layer() -> None:
    eagle = parse({"speculative_config": {"method": "eagle", "num_speculative_tokens": 3}})
    found = shares(WEIGHTS_8B, Model(samples.LLAMA_8B, samples.H100, eagle), Layout(), rules(None)).fullest
    # (16,060,522,496 - 2 x 1,050,673,152) / 32
    assert found == 16_060_522_496 + 436_224_256
