"""The worked examples of the textbook, to the digit; the arithmetic is beside each figure."""

from dataclasses import replace

import pytest

from kvdesk.core.device import Device, DeviceMemory
from kvdesk.core.errors import UsageError
from kvdesk.core.geometry import Geometry
from kvdesk.core.layout import Layout
from kvdesk.core.sourced import Origin, Source, Sourced
from kvdesk.core.workload import Workload
from kvdesk.engines.base import Answer, Question
from kvdesk.engines.plain.profile import ENGINE
from tests.support.models import DEEPSEEK_V3, GEMMA_3_27B, LLAMA_3_1_8B, LLAMA_3_3_70B, uniform, weights

CATALOGUE = Source(Origin.CATALOGUE)


def device(gb: int, reported_mib: int | None = None) -> Device:
    reported = Sourced(reported_mib * 2**20, CATALOGUE) if reported_mib else None
    return Device(
        id="g",
        name="G",
        vendor="V",
        marketed_bytes=Sourced(gb * 10**9, CATALOGUE),
        reported_bytes=reported,
        engine_bytes=reported,
    )


def question(geometry: Geometry, weight: int, *, gb: int = 80, context: int = 8192, **more: object) -> Question:
    base = Question(
        geometry=geometry,
        weights=weights(weight),
        workload=Workload(context=context),
        device=device(gb, 81_559),
        layout=Layout(),
    )
    return replace(base, **more)  # type: ignore[arg-type]  # the fields are named in each test


LLAMA_8B = question(LLAMA_3_1_8B, 16_060_522_496)


def values(answer: Answer) -> dict[str, int | float]:
    return {line.key: line.value for line in answer.budget}


def test_llama_8b_on_one_h100() -> None:
    answer = ENGINE.answer(LLAMA_8B)
    assert answer.budget_bytes == 73_600_000_000  # 80e9 x 0.92
    assert answer.pool_bytes == 54_539_477_504  # 73.6e9 - 16,060,522,496 - 3e9
    assert answer.logical_bytes_per_sequence == 8192 * 131_072
    assert answer.pool_tokens == 416_103  # 54,539,477,504 / 131,072 = 416,103.2
    assert answer.full_length_sequences == 50  # 416,103 / 8,192 = 50.8
    assert answer.max_concurrency == 416_103 / 8192
    assert (answer.fits, answer.limit) == (True, None)
    assert answer.max_context == 131_072  # one sequence fits up to the model's maximum
    assert values(answer) == {
        "device": 80_000_000_000,
        "utilization": 0.92,
        "budget": 73_600_000_000,
        "weights": 16_060_522_496,
        "reserve": 3_000_000_000,
        "pool": 54_539_477_504,
        "sequence": 1_073_741_824,
        "allocated": 1_073_741_824,
        "tokens": 416_103,
        "sequences": 50,
    }


def test_the_same_with_an_fp8_cache() -> None:
    answer = ENGINE.answer(replace(LLAMA_8B, kv_dtype="fp8"))
    assert answer.pool_tokens == 832_206  # 54,539,477,504 / 65,536 = 832,206.4
    assert answer.full_length_sequences == 101


def test_llama_70b_fp8_on_one_h200() -> None:
    # 141e9 x 0.92 - 70,553,706,496 - 3e9 = 56,166,293,504; / 327,680 = 171,405; / 8,192 = 20.9
    answer = ENGINE.answer(question(LLAMA_3_3_70B, 70_553_706_496, gb=141))
    assert (answer.pool_tokens, answer.full_length_sequences) == (171_405, 20)


def test_deepseek_latents_are_whole_on_every_rank() -> None:
    # 576 elements x 61 layers x 2 B = 70,272 B per token on each of 8 GPUs
    answer = ENGINE.answer(question(DEEPSEEK_V3, 0, context=1000, layout=Layout(tp=8)))
    assert answer.logical_bytes_per_sequence == 70_272_000


def test_decode_context_parallelism_splits_the_tokens() -> None:
    # 1,001 tokens on 2 ranks: 501 on the fuller one
    answer = ENGINE.answer(question(DEEPSEEK_V3, 0, context=1001, layout=Layout(tp=8, dcp=2)))
    assert answer.logical_bytes_per_sequence == 501 * 70_272


def test_ranks_that_share_tokens_hold_the_same_heads() -> None:
    """8 KV heads: with TP 8 and DCP 2 there is nothing to gain, with TP 16 it halves what TP copies."""
    for tp, dcp, per_gpu in ((8, 1, 8), (8, 2, 8), (8, 4, 8), (16, 1, 8), (16, 2, 16), (16, 4, 16)):
        asked = replace(LLAMA_8B, workload=Workload(context=8192), layout=Layout(tp=tp, dcp=dcp))
        answer = ENGINE.answer(asked)
        assert answer.logical_bytes_per_sequence * per_gpu == 8192 * 131_072, (tp, dcp)


def test_whole_blocks() -> None:
    # 32 layers x 8 heads x 256 x 2 B = 131,072 B; 8,193 tokens in blocks of 16 take 8,208
    answer = ENGINE.answer(replace(LLAMA_8B, workload=Workload(context=8193)))
    assert answer.logical_bytes_per_sequence == 8193 * 131_072
    assert answer.allocated_bytes_per_sequence == 8208 * 131_072
    assert answer.reasons
    assert ENGINE.answer(LLAMA_8B).reasons == ()


def test_a_block_size_of_ones_own() -> None:
    answer = ENGINE.answer(replace(LLAMA_8B, workload=Workload(context=8193), arguments={"block_size": 1000}))
    assert answer.allocated_bytes_per_sequence == 9000 * 131_072


@pytest.mark.parametrize("block", [0, -1, "16", True, 1.5])
def test_impossible_block_sizes(block: int) -> None:
    with pytest.raises(UsageError):
        ENGINE.answer(replace(LLAMA_8B, arguments={"block_size": block}))


def test_options_of_other_engines_are_findings() -> None:
    answer = ENGINE.answer(replace(LLAMA_8B, arguments={"max_num_seqs": 5, "max_model_len": 8192}))
    assert [f.code for f in answer.findings] == ["unknown-engine-arg"]


def test_heads_are_copied_past_their_count() -> None:
    eight, sixteen = (ENGINE.answer(replace(LLAMA_8B, layout=Layout(tp=tp))) for tp in (8, 16))
    assert eight.logical_bytes_per_sequence == sixteen.logical_bytes_per_sequence == 8192 * 131_072 // 8


def test_weights_are_divided_over_the_gpus() -> None:
    # 16,060,522,496 / 4 = 4,015,130,624
    answer = ENGINE.answer(replace(LLAMA_8B, layout=Layout(tp=2, pp=2)))
    assert answer.weights_bytes == 4_015_130_624


def test_data_parallelism_multiplies_the_sequences() -> None:
    answer = ENGINE.answer(replace(LLAMA_8B, layout=Layout(dp=3)))
    assert (answer.full_length_sequences, answer.pool_tokens) == (150, 416_103)


def test_a_shared_prefix_is_held_once() -> None:
    # 7 tokens beyond 128 blocks are not shared: 2,048 of 2,055. (416,103 - 2,048) / (8,192 - 2,048) = 67.4
    answer = ENGINE.answer(replace(LLAMA_8B, workload=Workload(context=8192, shared_prefix=2055)))
    assert answer.full_length_sequences == 67


def test_everything_shared_costs_one_sequence() -> None:
    # the same 8,192 tokens for all: counted as if nothing were shared, 416,103 / 8,192 = 50.8
    answer = ENGINE.answer(replace(LLAMA_8B, workload=Workload(context=8192, shared_prefix=8192)))
    assert answer.full_length_sequences == 50


def test_the_longest_context_of_many_sequences() -> None:
    # 416,103 / 50 = 8,322.06 tokens each, whole blocks of 16: 520 blocks = 8,320
    answer = ENGINE.answer(replace(LLAMA_8B, workload=Workload(context=8192, sequences=50)))
    assert answer.max_context == 8320


def test_the_longest_context_behind_a_shared_prefix() -> None:
    # 100 sequences share 4,096 tokens: (416,103 - 4,096) / 100 = 4,120 tokens of their own = 257 blocks = 4,112
    shared = Workload(context=8192, sequences=100, shared_prefix=4096)
    assert ENGINE.answer(replace(LLAMA_8B, workload=shared)).max_context == 4096 + 4112


def test_the_longest_context_inside_a_shared_prefix() -> None:
    # a pool of 1,600 tokens: one shared prefix of 1,600 tokens and nothing beside it
    shared = Workload(context=8192, sequences=100, shared_prefix=4096)
    pool = ENGINE.answer(replace(LLAMA_8B, workload=shared, pool_bytes=1600 * 131_072))
    assert (pool.max_context, pool.fits, pool.limit) == (1600, False, "kv")


def test_weights_that_do_not_fit() -> None:
    answer = ENGINE.answer(question(LLAMA_3_3_70B, 141_107_412_992))
    assert (answer.fits, answer.limit, answer.pool_bytes, answer.max_context) == (False, "weights", 0, 0)


def test_a_pool_as_printed_replaces_the_budget() -> None:
    answer = ENGINE.answer(replace(LLAMA_8B, pool_bytes=10 * 2**30))
    assert answer.pool_tokens == 81_920  # 10 GiB / 131,072
    assert answer.budget[0].source.origin is Origin.USER


def test_the_drivers_figure_instead_of_the_box() -> None:
    answer = ENGINE.answer(replace(LLAMA_8B, device_memory=DeviceMemory.REPORTED))
    assert answer.device_bytes == 81_559 * 2**20
    with pytest.raises(UsageError, match="marketed"):
        ENGINE.answer(replace(LLAMA_8B, device=device(80), device_memory=DeviceMemory.REPORTED))


def test_utilization_is_a_decimal_fraction() -> None:
    # 80e9 x 0.07 is 5,600,000,000 exactly, although 0.07 is no binary fraction
    assert ENGINE.answer(replace(LLAMA_8B, utilization=0.07)).budget_bytes == 5_600_000_000
    for bad in (0.0, -1.0, 1.5, float("nan")):
        with pytest.raises(UsageError):
            ENGINE.answer(replace(LLAMA_8B, utilization=bad))


def test_measured_values_replace_terms() -> None:
    answer = ENGINE.answer(replace(LLAMA_8B, overrides={"weights": 10**10, "reserve": 10**9}))
    assert answer.pool_bytes == 73_600_000_000 - 10**10 - 10**9
    assert values(answer)["weights"] == 10**10
    assert ENGINE.answer(replace(LLAMA_8B, reserve_bytes=0)).pool_bytes == 73_600_000_000 - 16_060_522_496


def test_a_tp_that_does_not_divide_the_query_heads() -> None:
    with pytest.raises(UsageError, match="32 query heads"):
        ENGINE.answer(replace(LLAMA_8B, layout=Layout(tp=3)))


def test_more_stages_than_layers() -> None:
    with pytest.raises(UsageError):
        ENGINE.answer(question(uniform(2, 8, 128), 0, layout=Layout(pp=3)))


def test_windows_stop_growing_and_are_rounded_to_blocks() -> None:
    # Gemma 3 27B: 10 full and 52 window layers of 8,192 B per token; at 2,001 tokens: 10 x 2,001 + 52 x 1,024
    answer = ENGINE.answer(question(GEMMA_3_27B, 0, context=2001))
    assert answer.logical_bytes_per_sequence == (10 * 2001 + 52 * 1024) * 8192
    assert answer.allocated_bytes_per_sequence == (10 * 2016 + 52 * 1024) * 8192


def test_without_weights_they_count_as_nothing() -> None:
    assert ENGINE.answer(replace(LLAMA_8B, weights=None)).weights_bytes == 0
