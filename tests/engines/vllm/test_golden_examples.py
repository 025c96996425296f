"""Worked by hand, arithmetic written out. Rules: vLLM 0.33.0, see the docstrings of the profile."""

from dataclasses import replace

from kvdesk.core.geometry import Geometry
from kvdesk.core.json_value import JsonValue
from kvdesk.core.layers import Chunked, Compressed, Cross, Full, Indexer, Mla, RollingState, Sliding
from kvdesk.core.layout import Layout
from kvdesk.core.number_formats import FORMATS
from kvdesk.core.states import GatedDelta
from kvdesk.core.workload import Workload
from kvdesk.engines.base import Answer
from kvdesk.engines.vllm.profile import ENGINE
from tests.engines import samples

GIB = 2**30


def answer(model: Geometry, context: int, *, pool: int = samples.POOL, **more: object) -> Answer:
    return ENGINE.answer(samples.question(model, context=context, sequences=1, pool=pool, **more))


def arguments(**given: JsonValue) -> dict[str, JsonValue]:
    return given


def test_llama_8b_on_one_gpu() -> None:
    found = answer(samples.LLAMA_8B, 131_072)
    # 32 layers x 16 tokens x 8 heads x (128 + 128) x 2 B = 2,097,152 B; 58,518,929,408 // 2,097,152 = 27,904
    assert found.num_blocks == 27_904
    # 131,072 / 16 = 8,192 blocks; 27,904 / 8,192 = 3.40625; x 131,072 = 446,464
    assert (found.max_concurrency, found.pool_tokens) == (3.40625, 446_464)
    # (27,904 - 1) // 8,192 = 3
    assert found.full_length_sequences == 3


def test_llama_8b_does_not_start_with_10_gib() -> None:
    found = answer(samples.LLAMA_8B, 131_072, pool=10 * GIB)
    # 5,120 blocks, one of them never handed out: 5,119 x 16 = 81,904 tokens
    assert (found.fits, found.limit, found.max_context) == (False, "kv", 81_904)
    assert [f.code for f in found.findings] == ["one-sequence-does-not-fit"]
    assert "81,904" in found.findings[0].remedy


def test_heads_are_copied_past_their_count() -> None:
    sizes = [answer(samples.LLAMA_8B, 8192, layout=Layout(tp=tp)).allocated_bytes_per_sequence for tp in (8, 16, 32)]
    # 1 head: 512 blocks x 32 x 16 x 1 x 256 x 2 B = 134,217,728 B
    assert sizes == [134_217_728] * 3


def test_gemma_3_27b_in_seven_groups() -> None:
    found = answer(samples.GEMMA_3_27B, 131_072)
    # page 16 heads x 16 x 256 x 2 = 131,072; x 10 layers = 1,310,720 B; 58,518,929,408 // 1,310,720 = 44,646
    assert found.num_blocks == 44_646
    # windows ceil((1,023 + 16,384) / 16) + 1 = 1,089; 6 x 1,089 + 8,192 = 14,726
    assert found.allocated_bytes_per_sequence == 14_726 * 1_310_720
    assert found.max_concurrency == 44_646 / 14_726
    assert found.pool_tokens == 397_381


def test_gemma_3_27b_without_the_hybrid_manager() -> None:
    found = answer(samples.GEMMA_3_27B, 131_072, arguments=arguments(disable_hybrid_kv_cache_manager=True))
    # 62 x 131,072 = 8,126,464 B; 7,201 blocks < 8,192; 7,200 x 16 = 115,200
    assert (found.num_blocks, found.fits, found.max_context) == (7_201, False, 115_200)


def test_a_window_holds_the_tokens_in_flight() -> None:
    model = samples.geometry(samples.sliding(32, 4096))
    found = answer(model, 32_768)
    # ceil((4,095 + 16,384) / 16) + 1 = 1,281; 27,904 / 1,281 = 21.783
    assert found.max_concurrency == 27_904 / 1_281
    assert found.pool_tokens == 713_784
    # Logical: 4,096 tokens x 32 layers x 8 x 256 x 2 B
    assert found.logical_bytes_per_sequence == 4096 * 32 * 4096


def test_a_window_held_one_batch_before_0_26() -> None:
    model = samples.geometry(samples.sliding(32, 4096))
    found = answer(model, 32_768, engine_version="0.25.1")
    # ceil((4,095 + 8,192) / 16) + 1 = 769
    assert found.max_concurrency == 27_904 / 769


def test_the_older_token_count() -> None:
    found = answer(samples.GPT_OSS_120B, 131_072, engine_version="0.19.1")
    # 99,214 blocks // 2 groups x 16 tokens; windows ceil((127 + 8,192) / 16) + 1 = 521 blocks
    assert found.pool_tokens == 99_214 // 2 * 16
    assert found.max_concurrency == 99_214 / (521 + 8_192)


def test_a_latent_is_copied_to_every_rank_and_dcp_spreads_it() -> None:
    one = answer(samples.DEEPSEEK_V3, 131_072, layout=Layout(tp=8))
    two = answer(samples.DEEPSEEK_V3, 131_072, layout=Layout(tp=8, dcp=2))
    # 61 x 16 x 576 x 2 = 1,124,352 B; 58,518,929,408 // 1,124,352 = 52,046; x 16 = 832,736 tokens
    assert (one.num_blocks, one.pool_tokens, two.pool_tokens) == (52_046, 832_736, 2 * 832_736)
    assert one.allocated_bytes_per_sequence == 2 * two.allocated_bytes_per_sequence


def test_sparse_attention_keeps_an_index_key_per_token() -> None:
    found = answer(samples.DEEPSEEK_V3_2, 131_072, layout=Layout(tp=8))
    # blocks of 64: 61 x 64 x (1,152 + 132) = 5,012,736 B; 11,674 blocks
    assert (found.block_size, found.num_blocks, found.pool_tokens) == (64, 11_674, 11_674 * 64)


def test_fp8_of_sparse_attention_is_a_record_on_hopper() -> None:
    found = answer(samples.DEEPSEEK_V3_2, 131_072, layout=Layout(tp=8), kv_dtype="fp8")
    # 61 x 64 x (656 + 132) = 3,076,352 B; 58,518,929,408 // 3,076,352 = 19,022
    assert (found.kv_dtype, found.num_blocks) == ("fp8_ds_mla", 19_022)


def test_qwen3_next_inflates_its_blocks() -> None:
    found = answer(samples.QWEN3_NEXT, 131_072)
    # 2 heads x 512 x 2 = 2,048 B per token; state 3 x 8,192 x 2 + 32 x 128 x 128 x 2 = 1,097,728 B;
    # 64 x ceil(1,097,728 / (64 x 2,048)) = 576 tokens; 12 x 576 x 2,048 = 14,155,776 B; 4,133 blocks
    assert (found.block_size, found.num_blocks) == (576, 4_133)
    # ceil(131,072 / 576) = 228, and 3 groups of states x (2 + 1 checkpoint)
    assert found.max_concurrency == 4_133 / (228 + 9)


def test_qwen3_next_without_prefix_caching() -> None:
    found = answer(samples.QWEN3_NEXT, 131_072, arguments=arguments(enable_prefix_caching=False))
    # 16 x ceil(1,097,728 / 32,768) = 544 tokens; ceil(131,072 / 544) = 241, and 3 groups x 1
    assert found.block_size == 544
    assert found.max_concurrency == found.num_blocks / 244 if found.num_blocks else False


def test_drafted_tokens_lengthen_the_convolution_and_take_state_blocks() -> None:
    speculation: JsonValue = {"method": "mtp", "num_speculative_tokens": 2}
    model = samples.QWEN3_NEXT
    with_draft = Geometry(
        model_type=model.model_type,
        architecture=model.architecture,
        layers=model.layers,
        draft_layers=samples.full(1, 2, 256),
        query_heads=16,
        model_dtype=model.model_dtype,
    )
    found = answer(with_draft, 131_072, arguments={"speculative_config": speculation})
    # conv (3 + 2) x 8,192 x 2 = 81,920; state 1,130,496 B; 64 x ceil(1,130,496 / 131,072) = 576 tokens;
    # 13 full layers against 36 states: groups of 13, so 3 of states with 2 + 2 + 1 blocks each
    assert found.block_size == 576
    assert found.allocated_bytes_per_sequence == (228 + 3 * 5) * 13 * 576 * 2_048


def test_chunks_need_no_extra_block() -> None:
    layers = ((Chunked(kv_heads=8, key_dim=128, value_dim=128, chunk=8192),),) * 36 + samples.full(12)
    found = answer(samples.geometry(layers), 131_072)
    # 3 groups x ceil((8,192 + 16,384) / 16) = 1,536, and 8,192
    assert found.allocated_bytes_per_sequence == (3 * 1_536 + 8_192) * 12 * 65_536


def test_whisper_reserves_the_encoder_s_budget() -> None:
    part = Full(kv_heads=20, key_dim=64, value_dim=64)
    cross = Cross(kv_heads=20, key_dim=64, value_dim=64, encoder_tokens=1500)
    found = answer(samples.geometry(((part, cross),) * 32, query_heads=20), 448, pool=10 * GIB)
    # 32 x 20 x 16 x 128 x 2 = 2,621,440 B; 4,096 blocks; 448 / 16 + 8,192 / 16 = 540
    assert (found.num_blocks, found.max_concurrency) == (4_096, 4_096 / 540)
    assert found.pool_tokens == 3_398


def test_deepseek_v4_flash_in_five_groups() -> None:
    fp32 = FORMATS["fp32"]
    window = Mla(latent_dim=448, rope_dim=64, window=128)
    four = (
        window,
        Compressed(ratio=4, latent_dim=448, rope_dim=64),
        Indexer(key_dim=128, ratio=4),
        RollingState(window=8, width=2048, format=fp32),
        RollingState(window=8, width=512, format=fp32),
    )
    many = (
        window,
        Compressed(ratio=128, latent_dim=448, rope_dim=64),
        RollingState(window=128, width=1024, format=fp32),
    )
    model = samples.geometry(((window,),) * 2 + (four,) * 21 + (many,) * 20, query_heads=64)
    found = answer(model, 131_072)
    # widest group: 21 x 37,440 + 21 x 8,640 + 20 x 1,728 = 1,002,240 B; 58,388 blocks
    assert (found.block_size, found.num_blocks, found.kv_dtype) == (256, 58_388, "fp8_ds_mla")
    # 131,072 / 256 = 512; windows 2 x 259; states ceil((7 + 16,384) / 4) + 1 = 4,099 and ceil((127 + 16,384) / 8) + 1
    assert found.max_concurrency == 58_388 / (512 + 2 * 259 + 4_099 + 2_065)


def test_pages_of_different_windows_are_brought_to_one_size() -> None:
    # Gemma-4-26B: windows 8 heads x 512 B = 8,192 B per token, full 2 heads x 1,024 x 2 = 4,096: blocks of 16 and 32
    layers = samples.sliding(25, 1024, 8, 256) + samples.full(5, 2, 512)
    found = answer(samples.geometry(layers, query_heads=16), 131_072)
    # 131,072 / 32 = 4,096 and 5 groups x 1,089 blocks of 5 x 131,072 B
    assert found.allocated_bytes_per_sequence == (4_096 + 5 * 1_089) * 5 * 131_072


def test_the_smallest_pipeline_stage_decides() -> None:
    found = answer(samples.geometry(samples.full(80), query_heads=64), 131_072, layout=Layout(tp=4, pp=3))
    # 27, 27 and 26 layers: 27 x 16 x 2 x 256 x 2 = 442,368 B; 58,518,929,408 // 442,368 = 132,285
    assert found.num_blocks == 132_285


def test_two_layers_kept_in_bf16_make_blocks_of_32() -> None:
    given: dict[str, JsonValue] = {"kv_cache_dtype_skip_layers": ["0", "31"]}
    found = answer(samples.LLAMA_8B, 131_072, kv_dtype="fp8", arguments=given)
    # 2 x 131,072 + 30 x 65,536 = 2,228,224 B
    assert (found.block_size, found.num_blocks) == (32, 58_518_929_408 // 2_228_224)


def test_a_shared_prefix_is_held_once_in_whole_blocks() -> None:
    model, held = samples.LLAMA_8B, Workload(context=8192, sequences=2, shared_prefix=4100)
    found = ENGINE.answer(replace(samples.question(model), workload=held))
    # 4,100 // 16 = 256 blocks shared; each sequence has 512 - 256 of its own; (27,903 - 256) // 256 = 107
    assert found.full_length_sequences == 107


def test_data_parallel_replicas_each_hold_their_own() -> None:
    one = answer(samples.LLAMA_8B, 8192)
    four = answer(samples.LLAMA_8B, 8192, layout=Layout(dp=4))
    assert four.full_length_sequences == 4 * one.full_length_sequences
    assert four.pool_tokens == one.pool_tokens


def test_the_longest_length_that_fits() -> None:
    found = answer(samples.LLAMA_8B, 8192, pool=10 * GIB, arguments=arguments(max_model_len=-1))
    # The model's 131,072 do not fit; 81,904 tokens need 5,119 of 5,120 blocks.
    assert found.max_concurrency == 5_120 / 5_119
    assert found.fits


def test_states_of_a_gated_delta_net_beside_latents_step_by_128() -> None:
    state = GatedDelta(
        key_heads=16, value_heads=32, key_dim=128, value_dim=128, conv_kernel=4,
        conv_format=FORMATS["bf16"], recurrent_format=FORMATS["bf16"],
    )  # fmt: skip
    model = samples.geometry(((state,),) * 3 + ((Mla(latent_dim=512, rope_dim=64),),))
    # 1,097,728 B / 1,152 B = 952.9 tokens -> 128 x 8 = 1,024
    assert answer(model, 8192).block_size == 1_024


def test_windows_beside_full_attention_of_other_heads_pad_what_does_not_divide() -> None:
    layers: tuple[tuple[Full | Sliding, ...], ...] = (
        (Full(kv_heads=8, key_dim=192, value_dim=128),),
        (Sliding(kv_heads=8, key_dim=128, value_dim=128, window=128),),
    )
    found = answer(samples.geometry(layers), 8192)
    # Pages 16 x 8 x 320 x 2 = 81,920 and 65,536, which does not divide it: the window's page is padded.
    assert found.num_blocks == 58_518_929_408 // 81_920
