"""llama.cpp: sizes worked by hand from the rules of 0c1e57098, and figures of public start-up logs."""

from dataclasses import replace

import pytest

from kvdesk.core.errors import RefusalError, UsageError
from kvdesk.core.geometry import Geometry
from kvdesk.core.layers import Compressed, Cross, Full, Indexer, Mla, Shared
from kvdesk.core.layout import Layout
from kvdesk.core.units import GIB, MIB
from kvdesk.engines.base import Answer, Question
from kvdesk.engines.llama_cpp.cells import context_cells
from kvdesk.engines.registry import engine
from tests.engines.samples import (
    DEEPSEEK_V3,
    GEMMA_3_27B,
    GPT_OSS_20B,
    LLAMA_8B,
    QWEN3_NEXT,
    STATES_ONLY,
    full,
    geometry,
    question,
    sliding,
    weights,
)


def answer(asked: Question) -> Answer:
    return engine("llama_cpp").answer(asked)


def allocated_mib(model: Geometry, context: int, **arguments: object) -> float:
    return answer(question(model, context=context, arguments=arguments)).allocated_bytes_per_sequence / MIB


class TestBytes:
    @pytest.mark.parametrize(
        ("kind", "mib"), [("f16", 16_384), ("q8_0", 8_704), ("q5_1", 6_144), ("q4_0", 4_608), ("f32", 32_768)]
    )
    def test_formats(self, kind: str, mib: int) -> None:
        # 32 layers x 131,072 cells x 2 x 1,024 elements at 2, 34/32, 24/32, 18/32 and 4 bytes
        assert allocated_mib(LLAMA_8B, 131_072, cache_type_k=kind, cache_type_v=kind) == mib

    @pytest.mark.parametrize(
        ("kind", "k_mib"), [("q8_0", 119), ("q4_0", 63), ("q4_1", 70), ("q5_0", 77), ("q5_1", 84), ("f16", 112 * 2)]
    )
    def test_only_keys_quantised_log(self, kind: str, k_mib: int) -> None:
        # Llama 3.2 3B at 4,096 cells: f16 values are 224 MiB, keys as the log prints them.
        assert allocated_mib(geometry(full(28)), 4096, ctk=kind) == k_mib + 224

    @pytest.mark.parametrize(("slots", "cells"), [(1, 1_536), (4, 4_608)])
    def test_windows_of_slots_and_a_batch(self, slots: int, cells: int) -> None:
        # Gemma 3 27B: 10 full layers of 131,072 cells, 52 of pad256(1,024 x slots + 512); 8,192 B a cell and layer
        found = allocated_mib(GEMMA_3_27B, 131_072, parallel=slots, kv_unified=True)
        assert found == 10_240 + 52 * cells * 8_192 / MIB

    def test_the_server_has_four_unified_slots(self) -> None:
        assert allocated_mib(GEMMA_3_27B, 131_072) == 10_240 + 1_872

    def test_gpt_oss_20b(self) -> None:
        # 12 x 131,072 x 2,048 = 3,072 MiB; 12 x pad256(4 x 128 + 512) x 2,048 = 24 MiB
        assert allocated_mib(GPT_OSS_20B, 131_072) == 3_072 + 24

    def test_whole_windows_on_request(self) -> None:
        assert allocated_mib(GPT_OSS_20B, 131_072, swa_full=True) == 2 * 3_072

    def test_latents_are_keys_only(self) -> None:
        # 61 x 32,768 x 576 x 2
        assert allocated_mib(DEEPSEEK_V3, 32_768) == 2_196

    def test_small_latent_model_log(self) -> None:
        # A log of 6 latent layers: 4,096 cells x 2 streams, K 54 MiB, V 0 MiB.
        model = geometry(((Mla(latent_dim=512, rope_dim=64),),) * 6)
        asked = question(model, context=4096, sequences=2, arguments={"parallel": 2, "kv_unified": False})
        assert answer(asked).allocated_bytes_per_sequence == 54 * MIB

    def test_states_are_f32_for_each_slot(self) -> None:
        # 36 x (3 x 8,192 + 32 x 128 x 128) x 4 = 75.375 MiB
        one, four = (allocated_mib(QWEN3_NEXT, 256, parallel=n, kv_unified=True) for n in (1, 4))
        assert four - one == 3 * 75.375

    def test_laguna_log(self) -> None:
        # 12 full and 36 window layers of 1,024 cells at 1,048,576 in q4_0: 13.5 GiB and 40.5 MiB.
        model = geometry(sliding(36, 512) + full(12))
        found = answer(question(model, context=1_048_576, kv_dtype="q4_0", arguments={"parallel": 1}))
        assert found.allocated_bytes_per_sequence == 13 * GIB + GIB // 2 + 40 * MIB + MIB // 2

    def test_indexer_keys_and_compressed_streams(self) -> None:
        # 1,000 cells -> 1,024; an indexer of 128 elements; latents of one in four: pad256(256) x 576, for each slot
        model = geometry(((Indexer(key_dim=128), Compressed(ratio=4, latent_dim=512, rope_dim=64), Shared()),))
        found = answer(question(model, context=1000, arguments={"parallel": 2, "kv_unified": True}))
        assert found.allocated_bytes_per_sequence == 1024 * 256 + 256 * 1152 * 2


class TestContext:
    @pytest.mark.parametrize(
        ("total", "slots", "unified", "cells"),
        [(1, 1, True, (256, 1)), (8192, 4, False, (2048, 4)), (8192, 3, False, (2816, 3)), (300, 4, True, (512, 1))],
    )
    def test_padding(self, total: int, slots: int, unified: bool, cells: tuple[int, int]) -> None:
        assert context_cells(total, slots, unified=unified) == cells

    def test_unified_cells_are_shared(self) -> None:
        # 54.5 GiB / 131,072 B = 446,464 cells = 54 sequences of 8,192
        found = answer(question(LLAMA_8B))
        assert (found.pool_tokens, found.full_length_sequences, found.max_concurrency) == (446_464, 54, 54.5)

    def test_a_given_context_is_allocated_whole(self) -> None:
        found = answer(question(LLAMA_8B, sequences=4, arguments={"ctx_size": 32_768, "parallel": 4}))
        assert (found.pool_tokens, found.full_length_sequences, found.max_context) == (32_768, 4, 8192)

    def test_a_given_context_that_does_not_fit(self) -> None:
        found = answer(question(LLAMA_8B, arguments={"ctx_size": 1_000_000}))
        assert (found.pool_tokens, found.full_length_sequences, found.fits, found.limit) == (0, 0, False, "kv")

    def test_slots_limit_sequences(self) -> None:
        found = answer(question(LLAMA_8B, sequences=5, arguments={"parallel": 4}))
        assert (found.full_length_sequences, found.fits) == (4, False)

    def test_the_longest_context_is_exact(self) -> None:
        # 4 sequences share 446,464 cells: 111,616 tokens each.
        assert answer(question(LLAMA_8B, sequences=4)).max_context == 111_616

    def test_more_sequences_need_more_slots(self) -> None:
        codes = {finding.code for finding in answer(question(LLAMA_8B, sequences=8)).findings}
        assert "more-slots" in codes

    def test_layers_are_split_over_gpus(self) -> None:
        # 32 layers on 3 GPUs: 10, 11, 11
        found = answer(question(LLAMA_8B, layout=Layout(tp=3)))
        assert found.pool_tokens == 58_518_929_408 // (11 * 4096) // 256 * 256


class TestBudget:
    def test_lines_add_up(self) -> None:
        found = answer(question(LLAMA_8B, pool=None, weights=weights(8 * 10**9)))
        assert found.pool_bytes == found.budget_bytes - found.weights_bytes - found.reserve_bytes
        lines = {line.key: line.value for line in found.budget}
        # 512 x (128,256 + 4 x 4,096) x 4
        assert lines["reserve.compute"] == 296_222_720
        assert lines["reserve.margin"] == GIB

    def test_without_flash_attention_scores_are_kept(self) -> None:
        found = answer(question(LLAMA_8B, pool=None, arguments={"flash_attn": "off"}))
        lines = {line.key: line.value for line in found.budget}
        assert lines["reserve.compute"] == 296_222_720 + 512 * 32 * 8192 * 4

    def test_no_margin_without_fit(self) -> None:
        found = answer(question(LLAMA_8B, pool=None, arguments={"fit": "off"}))
        assert "reserve.margin" not in {line.key for line in found.budget}

    def test_typed_reserve(self) -> None:
        found = answer(question(LLAMA_8B, pool=None, reserve_bytes=2 * GIB))
        assert found.reserve_bytes == 2 * GIB


class TestRefusals:
    @pytest.mark.parametrize("arguments", [{"flash_attn": "off", "ctv": "q8_0"}, {"ctxsize": 1}, {"parallel": "x"}])
    def test_options(self, arguments: dict[str, object]) -> None:
        with pytest.raises(UsageError):
            answer(question(LLAMA_8B, arguments=arguments))

    @pytest.mark.parametrize("dtype", ["fp8", "nvfp4", "q3_k"])
    def test_formats(self, dtype: str) -> None:
        with pytest.raises(RefusalError):
            answer(question(LLAMA_8B, kv_dtype=dtype))

    def test_rows_that_blocks_do_not_divide(self) -> None:
        model = geometry(((Full(kv_heads=1, key_dim=80, value_dim=80),),))
        with pytest.raises(RefusalError):
            answer(question(model, kv_dtype="q8_0"))

    def test_cross_attention(self) -> None:
        with pytest.raises(RefusalError):
            answer(question(geometry(((Cross(kv_heads=8, key_dim=64, value_dim=64, encoder_tokens=1500),),))))

    @pytest.mark.parametrize("layout", [Layout(tp=33), Layout(tp=2, dcp=2)])
    def test_layouts(self, layout: Layout) -> None:
        with pytest.raises(UsageError):
            answer(question(LLAMA_8B, layout=layout))

    def test_marketed_memory_where_asked(self) -> None:
        asked = question(LLAMA_8B, pool=None)
        device = replace(asked.device, engine_bytes=None, reported_bytes=None)
        with pytest.raises(UsageError):
            answer(replace(asked, device=device))


def test_states_alone_hold_sequences_of_any_length() -> None:
    # 79,036,416 B a slot: 58,518,929,408 / 79,036,416 = 740.4
    found = answer(question(STATES_ONLY, context=1_000))
    assert (found.full_length_sequences, found.pool_tokens) == (740, 740_000)
