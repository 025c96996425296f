"""TensorRT-LLM: worked by hand from the rules in the profile's docstrings."""

from dataclasses import replace

import pytest

from kvdesk.catalogue import accelerators
from kvdesk.core.errors import RefusalError, UsageError
from kvdesk.core.layers import Cross
from kvdesk.core.layout import Layout
from kvdesk.core.sourced import Sourced
from kvdesk.core.units import GIB
from kvdesk.engines.base import Answer, Question
from kvdesk.engines.registry import engine
from tests.engines.samples import (
    DEEPSEEK_V3,
    GEMMA_3_27B,
    LLAMA_8B,
    POOL,
    QWEN3_NEXT,
    READ,
    STATES_ONLY,
    geometry,
    question,
    weights,
)

POOL_54_18 = 5418 * GIB // 100


def answer(asked: Question) -> Answer:
    return engine("tensorrt_llm").answer(asked)


class TestPools:
    def test_llama_8b(self) -> None:
        # 54.18 GiB / 131,072 = 443,842 tokens, 13,870 blocks of 32 = 443,840 tokens
        found = answer(question(LLAMA_8B, pool=POOL_54_18))
        assert (found.num_blocks, found.block_size, found.pool_tokens) == (13_870, 32, 443_840)
        assert found.full_length_sequences == 13_870 // 256

    def test_a_fraction_of_what_is_free(self) -> None:
        # (79.2 - 19) x 0.9 = 54.18 GiB, the peak of 19 GiB split into weights and reserve
        asked = question(LLAMA_8B, pool=None, weights=weights(16 * GIB))
        found = answer(replace(asked, reserve_bytes=3 * GIB))
        assert found.pool_bytes == (79 * GIB + GIB // 5 - 19 * GIB) * 9 // 10
        assert found.num_blocks == 13_870
        assert found.pool_bytes == found.budget_bytes - found.weights_bytes - found.reserve_bytes

    def test_heads_are_kept_whole_past_their_number(self) -> None:
        one = answer(question(LLAMA_8B, layout=Layout(tp=8)))
        assert answer(question(LLAMA_8B, layout=Layout(tp=16))).num_blocks == one.num_blocks

    def test_latents_are_not_divided(self) -> None:
        # 61 x 1,152 = 70,272 B per token at any TP
        assert answer(question(DEEPSEEK_V3, layout=Layout(tp=8))).num_blocks == POOL // 70_272 // 32

    def test_windows_count_in_full_unless_given(self) -> None:
        found = answer(question(GEMMA_3_27B))
        assert found.num_blocks == POOL // 507_904 // 32
        assert "windows-held-in-full" in {finding.code for finding in found.findings}

    def test_window_pools_share_the_memory_equally(self) -> None:
        # Five windows of 1,024 then one of all tokens, over 62 layers of 8,192 B: 52 and 10 layers.
        windows = [1024] * 5 + [131_072]
        found = answer(question(GEMMA_3_27B, context=131_072, arguments={"max_attention_window": windows}))
        lines = {line.key: line.value for line in found.budget}
        assert lines["blocks.0"] == POOL // 2 // (52 * 8192) // 32
        assert lines["blocks.1"] == POOL // 2 // (10 * 8192) // 32
        assert found.pool_tokens == POOL // 2 // (10 * 8192) // 32 * 32

    def test_states_are_taken_off_first(self) -> None:
        # 36 x (3 x 8,192 + 32 x 128 x 128) x 2 = 39,518,208 B a sequence, 24,576 B per token
        found = answer(question(QWEN3_NEXT, sequences=8, arguments={"max_batch_size": 16}))
        assert found.num_blocks == (POOL - 16 * 39_518_208) // 24_576 // 32
        assert found.full_length_sequences == 16

    def test_states_of_the_sequences_asked_for_are_said(self) -> None:
        codes = {finding.code for finding in answer(question(QWEN3_NEXT, sequences=8)).findings}
        assert "state-slots-assumed" in codes

    def test_max_tokens_caps(self) -> None:
        assert answer(question(LLAMA_8B, arguments={"kv_cache_config.max_tokens": 6400})).num_blocks == 200

    def test_a_small_device_s_log(self) -> None:
        # Nemotron 8B (32 x 8 x 128) in blocks of 32: 12,800 tokens printed from 1.56 GiB.
        found = answer(question(LLAMA_8B, pool=12_800 * 131_072 + 131_072, context=4096))
        assert (found.pool_tokens, found.num_blocks) == (12_800, 400)

    @pytest.mark.parametrize(("dtype", "per_token"), [("fp8", 65_536), ("nvfp4", 36_864)])
    def test_formats(self, dtype: str, per_token: int) -> None:
        # 32 x 8 x 256 elements: 1 B; 1/2 + 1/16 B
        asked = replace(question(LLAMA_8B, kv_dtype=dtype), device=accelerators.find("b200"))
        assert answer(asked).num_blocks == POOL // per_token // 32

    def test_a_checkpoint_s_format(self) -> None:
        model = replace(LLAMA_8B, checkpoint_kv_dtype=Sourced("fp8_e4m3", READ))
        assert answer(question(model)).kv_dtype == "fp8"


class TestRefusals:
    @pytest.mark.parametrize("arguments", [{"tokens_per_blok": 32}, {"max_attention_window": "wide"}])
    def test_options(self, arguments: dict[str, object]) -> None:
        with pytest.raises(UsageError):
            answer(question(LLAMA_8B, arguments=arguments))

    def test_formats(self) -> None:
        with pytest.raises(RefusalError):
            answer(question(LLAMA_8B, kv_dtype="int8"))

    def test_caches(self) -> None:
        with pytest.raises(RefusalError):
            answer(question(geometry(((Cross(kv_heads=8, key_dim=64, value_dim=64, encoder_tokens=1500),),))))

    @pytest.mark.parametrize("layout", [Layout(tp=3), Layout(pp=33), Layout(tp=2, dcp=2)])
    def test_layouts(self, layout: Layout) -> None:
        with pytest.raises(UsageError):
            answer(question(LLAMA_8B, layout=layout))

    def test_weights_past_the_device(self) -> None:
        found = answer(question(LLAMA_8B, pool=None, weights=weights(200 * 10**9)))
        assert (found.fits, found.limit, found.num_blocks) == (False, "weights", 0)


def test_states_alone_hold_sequences_of_any_length() -> None:
    found = answer(question(STATES_ONLY, context=1_000, arguments={"max_batch_size": 16}))
    assert (found.full_length_sequences, found.pool_tokens) == (16, 16_000)
