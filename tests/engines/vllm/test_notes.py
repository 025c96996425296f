"""Findings beside the numbers, and the reasons for the gap between logical and allocated."""

from dataclasses import replace

import pytest

from kvdesk.catalogue import accelerators
from kvdesk.core.errors import RefusalError, UsageError
from kvdesk.core.geometry import Geometry
from kvdesk.core.json_value import JsonValue
from kvdesk.core.layers import Chunked, Cross, Full, Indexer, Mla
from kvdesk.core.layout import Layout
from kvdesk.core.number_formats import FORMATS
from kvdesk.core.sourced import Sourced
from kvdesk.core.states import KimiDelta, Mamba2, ShortConvolution
from kvdesk.core.workload import Workload
from kvdesk.engines.base import Answer
from kvdesk.engines.vllm.profile import ENGINE
from tests.engines import samples

BF16, FP32 = FORMATS["bf16"], FORMATS["fp32"]
MAMBA_2 = Mamba2(
    inner=8192, heads=128, head_dim=64, state_size=128, groups=8, conv_kernel=4, conv_format=BF16, recurrent_format=BF16
)
KIMI = KimiDelta(heads=32, head_dim=128, conv_kernel=4, conv_format=BF16, recurrent_format=FP32)
CONV = ShortConvolution(channels=2048, conv_kernel=3, conv_format=BF16, recurrent_format=BF16)


def answer(model: Geometry, **more: object) -> Answer:
    return ENGINE.answer(samples.question(model, context=8192, sequences=1, pool=samples.POOL, **more))


def codes(found: Answer) -> list[str]:
    return [finding.code for finding in found.findings]


def test_more_sequences_than_state_blocks() -> None:
    assert "max-num-seqs-past-state-blocks" not in codes(answer(samples.QWEN3_NEXT))
    assert "max-num-seqs-past-state-blocks" in codes(answer(samples.QWEN3_NEXT, arguments={"max_num_seqs": 5000}))
    eager: dict[str, JsonValue] = {"max_num_seqs": 5000, "enforce_eager": True}
    assert "max-num-seqs-past-state-blocks" not in codes(answer(samples.QWEN3_NEXT, arguments=eager))


@pytest.mark.parametrize(
    ("speculation", "code"),
    [
        ({"method": "eagle", "model": "a/head", "num_speculative_tokens": 3}, "assumed-draft"),
        ({"model": "a/model"}, "draft-model-not-sized"),
        ({"method": "mtp"}, "no-draft-layers"),
    ],
)
def test_drafts_that_the_config_does_not_describe(speculation: JsonValue, code: str) -> None:
    assert code in codes(answer(samples.LLAMA_8B, arguments={"speculative_config": speculation}))


def test_ngram_speculation_adds_nothing() -> None:
    given: dict[str, JsonValue] = {"speculative_config": {"method": "ngram", "num_speculative_tokens": 4}}
    plain, found = answer(samples.LLAMA_8B), answer(samples.LLAMA_8B, arguments=given)
    assert (found.num_blocks, codes(found)) == (plain.num_blocks, [])


def test_an_eagle_head_that_makes_groups_uneven() -> None:
    # gpt-oss-20b: 12 windows and 12 + 1 full layers are two groups of 13, since 13 < 1.5 x 12.
    given: dict[str, JsonValue] = {"speculative_config": {"method": "eagle3", "num_speculative_tokens": 3}}
    found = answer(samples.GPT_OSS_20B, arguments=given)
    # page 8 heads x 16 x 128 x 2 = 32,768 B
    assert found.num_blocks == 58_518_929_408 // (13 * 32_768)


def test_uneven_groups_before_0_19() -> None:
    given: dict[str, JsonValue] = {"speculative_config": {"method": "eagle3", "num_speculative_tokens": 3}}
    layers = samples.sliding(12, 128, 8, 64) + samples.full(16, 8, 64)
    model = samples.geometry(layers, query_heads=64)
    # 17 full layers against 12 windows: below 1.5 x 12 = 18, but not below 1.25 x 12 = 15, which makes groups of 12.
    widths = {
        version: answer(model, arguments=given, engine_version=version).num_blocks for version in ("0.19.1", "0.17.0")
    }
    assert widths == {"0.19.1": 58_518_929_408 // (17 * 32_768), "0.17.0": 58_518_929_408 // (12 * 32_768)}


def test_a_chain_of_draft_modules_lengthens_windows() -> None:
    window = samples.sliding(32, 4096)
    three = {"num_nextn_predict_layers": Sourced(3, samples.READ)}
    model = replace(samples.geometry(window), draft_layers=window[:1], facts=three)
    found = answer(model, arguments={"speculative_config": {"method": "mtp", "num_speculative_tokens": 3}})
    # 32 + 3 layers; the context of 8,192 is below the window and what is in flight, so blocks do not change.
    assert found.allocated_bytes_per_sequence == (8192 // 16 + 1) * 35 * 65_536


def test_chunks_beside_an_eagle_head_are_allocated_in_full() -> None:
    layers = ((Chunked(kv_heads=8, key_dim=128, value_dim=128, chunk=8192),),) * 3 + samples.full(1)
    given: dict[str, JsonValue] = {"speculative_config": {"method": "eagle", "num_speculative_tokens": 1}}
    found = answer(samples.geometry(layers), arguments=given)
    assert found.num_blocks == 58_518_929_408 // (5 * 65_536)


def test_kimi_s_states_step_by_128_and_hold_a_checkpoint() -> None:
    model = samples.geometry(((KIMI,),) * 3 + ((Mla(latent_dim=512, rope_dim=64),),))
    found = answer(model)
    # state 3 x 3 x 4,096 x 2 + 32 x 128 x 128 x 4 = 2,170,880 B; 2,170,880 / 1,152 = 1,884.4 -> 15 x 128 = 1,920
    assert found.block_size == 1_920
    # ceil(8,192 / 1,920) = 5, and 3 groups of one state layer x (2 + 1)
    assert found.allocated_bytes_per_sequence == (5 + 9) * 1_920 * 1_152


def test_a_config_without_a_gate_bound_has_no_checkpoint() -> None:
    none = {"linear_attn_config.gate_bounded": Sourced(False, samples.READ)}
    model = replace(samples.geometry(((KIMI,),) * 3 + ((Mla(latent_dim=512, rope_dim=64),),)), facts=none)
    assert answer(model).allocated_bytes_per_sequence == (5 + 6) * 1_920 * 1_152


def test_short_convolutions_fit_into_a_block_of_16() -> None:
    model = samples.geometry(((CONV,),) * 2 + samples.full(2))
    found = answer(model)
    # state 2 x 2,048 x 2 = 8,192 B against 65,536 B of a block of 16 tokens
    assert found.block_size == 16
    assert found.allocated_bytes_per_sequence == (512 + 2) * 2 * 65_536


def test_state_formats_can_be_set() -> None:
    model = samples.geometry(((MAMBA_2,),) * 4 + samples.full(4))
    small, large = answer(model), answer(model, arguments={"mamba_ssm_cache_dtype": "float32"})
    # conv 3 x 10,240 x 2 = 61,440 B; state 128 x 64 x 128 x 2 = 2,097,152 B or twice that; 4,096 B per token
    assert (small.block_size, large.block_size) == (16 * 33, 16 * 65)


def test_a_model_in_fp32_runs_in_bf16_with_its_states() -> None:
    wide = replace(MAMBA_2, conv_format=FP32, recurrent_format=FP32)
    model = replace(samples.geometry(((wide,),) * 4), model_dtype=Sourced("fp32", samples.READ))
    # 4 layers x (61,440 + 2,097,152)
    assert answer(model).allocated_bytes_per_sequence == 4 * 2_158_592


def test_index_keys_beside_keys_and_values_share_a_group() -> None:
    part = Full(kv_heads=4, key_dim=128, value_dim=128)
    layers = ((part,),) * 3 + ((part, Indexer(key_dim=128, own_format=False)),) * 57
    found = answer(samples.geometry(layers, query_heads=64))
    # MiniMax-M3: blocks of 128 tokens; 60 x 128 x 2,048 + 57 x 128 x 256 = 17,596,416 B
    assert (found.block_size, found.num_blocks) == (128, 58_518_929_408 // 17_596_416)


def test_a_block_size_that_no_backend_takes_is_a_usage_error() -> None:
    with pytest.raises(UsageError, match="No attention backend"):
        answer(samples.LLAMA_8B, arguments={"block_size": 8})
    with pytest.raises(UsageError, match="No attention backend"):
        answer(samples.DEEPSEEK_V3_2, arguments={"block_size": 32})


@pytest.mark.parametrize(("block", "dtype"), [(16, "fp8"), (128, "auto"), (64, "fp8")])
def test_a_block_size_that_is_set(block: int, dtype: str) -> None:
    found = answer(samples.DEEPSEEK_V3, kv_dtype=dtype, arguments={"block_size": block})
    assert found.block_size == block


def test_an_architecture_that_vllm_gave_up() -> None:
    old = replace(samples.LLAMA_8B, architecture="MPTForCausalLM")
    assert codes(answer(old)) == ["retired-architecture"]
    assert codes(answer(old, engine_version="0.28.0")) == []


def test_latents_that_vllm_expands() -> None:
    facts = {"qk_nope_head_dim": Sourced(64, samples.READ)}
    latent = samples.geometry(((Mla(latent_dim=256, rope_dim=32),),) * 62, query_heads=40)
    found = answer(replace(latent, model_type="minicpm3", facts=facts))
    # 40 heads x (96 + 96) x 2 B x 16 tokens x 62 layers
    assert found.num_blocks == 58_518_929_408 // (40 * 192 * 2 * 16 * 62)


def test_other_vendors_are_said_to_be_unmeasured() -> None:
    assert codes(answer(samples.LLAMA_8B, device=accelerators.find("mi300x"))) == ["unmeasured-device"]


def test_an_unknown_capability_is_taken_as_hopper() -> None:
    device = replace(samples.H100, compute_capability=None)
    assert codes(answer(samples.LLAMA_8B, device=device)) == ["assumed-capability"]


@pytest.mark.parametrize(
    ("model", "layout", "words"),
    [
        (samples.GEMMA_3_27B, Layout(), "52 layers with windows keep room for 16,384 tokens in flight"),
        (samples.GEMMA_3_27B, Layout(), "7 groups of layers share one pool of blocks of 1.25 MiB"),
        (samples.QWEN3_NEXT, Layout(), "36 state layers keep 3 blocks of 1.12 MiB for each sequence"),
        (samples.QWEN3_NEXT, Layout(), "A block is 576 tokens so that its attention page can hold a state"),
        (samples.DEEPSEEK_V3, Layout(tp=8), "Each of the 8 tensor-parallel ranks keeps a whole copy of the latents"),
        (samples.DEEPSEEK_V3, Layout(tp=8, dcp=2), "spread over 2 ranks"),
        (samples.LLAMA_8B, Layout(tp=16), "8 KV heads are copied so that each of the 16 ranks has one"),
        (samples.LLAMA_8B, Layout(), "blocks of 16 tokens"),
    ],
)
def test_reasons_say_why_allocated_differs(model: Geometry, layout: Layout, words: str) -> None:
    assert any(words in reason for reason in answer(model, layout=layout).reasons)


def test_cross_attention_is_explained() -> None:
    cross = Cross(kv_heads=20, key_dim=64, value_dim=64, encoder_tokens=1500)
    found = answer(samples.geometry(((Full(kv_heads=20, key_dim=64, value_dim=64), cross),), query_heads=20))
    assert any("budget of 8,192 tokens" in reason for reason in found.reasons)


def test_nothing_is_shared_without_prefix_caching() -> None:
    asked = samples.question(samples.LLAMA_8B, arguments={"enable_prefix_caching": False})
    found = ENGINE.answer(replace(asked, workload=Workload(context=8192, sequences=2, shared_prefix=4096)))
    assert codes(found) == ["no-prefix-caching"]
    assert found.full_length_sequences == 27_903 // 512


def test_an_architecture_that_vllm_never_had() -> None:
    stranger = replace(samples.LLAMA_8B, architecture="Rwkv6ForCausalLM")
    assert codes(answer(stranger)) == ["architecture-not-in-engine"]
    assert codes(answer(stranger, engine_version="0.31.0")) == []


def test_windows_kept_out_of_quantisation() -> None:
    given: dict[str, JsonValue] = {"kv_cache_dtype_skip_layers": ["sliding_window"]}
    found = answer(samples.GEMMA_3_27B, kv_dtype="fp8", arguments=given)
    # fp8 4,096 B and bf16 8,192 B per token: blocks of 32 for full layers, 16 for windows, both 131,072 B;
    # 10 layers per group; windows ceil(8,192 / 16) + 1 = 513 blocks, full 256
    assert found.block_size == 32
    assert found.num_blocks == 58_518_929_408 // (10 * 131_072)
    assert found.allocated_bytes_per_sequence == (6 * 513 + 256) * 10 * 131_072


def test_one_window_layer_kept_out_of_quantisation() -> None:
    given: dict[str, JsonValue] = {"kv_cache_dtype_skip_layers": ["0"]}
    found = answer(samples.GEMMA_3_27B, kv_dtype="fp8", arguments=given)
    # Layer 0 alone has blocks of 16 tokens; 51 windows and 10 full layers have 32: groups of one layer.
    assert found.num_blocks == 58_518_929_408 // 131_072
    assert found.allocated_bytes_per_sequence == (513 + 51 * 257 + 10 * 256) * 131_072


def test_a_latent_model_whose_expanded_width_is_not_known() -> None:
    latent = samples.geometry(((Mla(latent_dim=256, rope_dim=32),),) * 62, query_heads=40)
    with pytest.raises(RefusalError):
        answer(replace(latent, model_type="minicpm3"))


def test_a_backend_that_is_asked_for() -> None:
    assert answer(samples.DEEPSEEK_V3, arguments={"attention_backend": "cutlass_mla"}).block_size == 128


def test_throughput_doubles_what_is_in_flight() -> None:
    found = answer(samples.GEMMA_3_27B, arguments={"performance_mode": "throughput"})
    assert any("32,768 tokens in flight" in reason for reason in found.reasons)


def test_a_small_device_batches_less() -> None:
    found = answer(samples.GEMMA_3_27B, device=accelerators.find("a100-80-sxm"))
    # 2,048 tokens and two steps: ceil((1,023 + 4,096) / 16) + 1 = 321 blocks
    assert found.allocated_bytes_per_sequence == (6 * 321 + 512) * 1_310_720


def test_whole_prompts_and_no_overlap() -> None:
    whole: dict[str, JsonValue] = {"enable_chunked_prefill": False}
    alone: dict[str, JsonValue] = {"async_scheduling": False}
    # 8,192 tokens in one step: the window's 8,192 are all in flight.
    assert answer(samples.GEMMA_3_27B, arguments=whole).allocated_bytes_per_sequence == (6 * 513 + 512) * 1_310_720
    # One step of 8,192: min(1,023 + 8,192, 8,192) is all of it too.
    assert answer(samples.GEMMA_3_27B, arguments=alone).allocated_bytes_per_sequence == (6 * 513 + 512) * 1_310_720
