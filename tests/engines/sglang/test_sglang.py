"""SGLang 0.5.23: worked by hand from the rules in the profile's docstrings, and from public start-up logs."""

from dataclasses import replace

import pytest

from kvdesk.core.errors import RefusalError, UsageError
from kvdesk.core.layers import Cross, Full, Sliding
from kvdesk.core.layout import Layout
from kvdesk.core.sourced import Sourced
from kvdesk.core.units import GIB
from kvdesk.engines.base import Answer, Question
from kvdesk.engines.registry import engine
from kvdesk.engines.sglang import settings
from kvdesk.engines.sglang.static import Machine, default_fraction, reserved_mib
from tests.engines.samples import (
    DEEPSEEK_V3,
    DEEPSEEK_V3_2,
    GEMMA_3_27B,
    GPT_OSS_120B,
    LLAMA_8B,
    POOL,
    QWEN3_NEXT,
    READ,
    STATES_ONLY,
    geometry,
    question,
    weights,
)


def answer(asked: Question) -> Answer:
    return engine("sglang").answer(asked)


class TestStaticFraction:
    @pytest.mark.parametrize(
        ("memory", "tp", "mla", "fraction"),
        [
            # H100: 512 + 1.5 x 8,192 + 128 + 512 + 464 = 13,904 MiB
            (81_559, 1, False, 0.830),
            # TP 8: 512 + 12,288 + 1,024 + 1,024 + 464 = 15,312
            (81_559, 8, False, 0.812),
            # MLA: 512 + 12,288 + 1,024 + 1,024 + 1,536 = 16,384
            (81_559, 8, True, 0.799),
            # RTX 4090: 512 + 6,144 + 128 + 96 + 400 = 7,280
            (24_564, 1, False, 0.704),
        ],
    )
    def test_by_memory_class(self, memory: int, tp: int, mla: bool, fraction: float) -> None:
        assert default_fraction(Machine(memory_mib=memory, tp=tp, pp=1, mla=mla)) == fraction

    def test_large_devices_keep_at_least_ten_gib(self) -> None:
        machine = Machine(memory_mib=81_559, tp=1, pp=1, mla=False, chunked_prefill=2048, graphs=False)
        assert reserved_mib(machine) == 10_240

    def test_attention_dp_pads_graphs(self) -> None:
        # 2 x 512 + (3 + 1.5) x 512 x 8 + 1,536 = 20,992, with 512 + 12,288 + 1,024
        machine = Machine(memory_mib=81_559, tp=8, pp=1, mla=True, attention_dp=8)
        assert reserved_mib(machine) == 34_816

    def test_a_vision_tower_makes_it_smaller(self) -> None:
        # 24 x 1,024^2 is the base: x 0.95; twice that: x 0.95 x 0.9
        machine = Machine(memory_mib=81_559, tp=1, pp=1, mla=False, vision=2 * 24 * 1024**2)
        assert default_fraction(machine) == pytest.approx(0.830 * 0.95 * 0.9)

    def test_the_vision_tower_of_the_config_counts(self) -> None:
        # Kimi K2.5: 27 layers of 1,152; MI355X of 294,896 MiB, TP 8, latent: 512 + 24,576 + 1,024 + 1,024 + 1,536 MiB:
        # 0.903 x 0.95 x (1 - 0.1 x (27 x 1,152^2 / (24 x 1,024^2) - 1)). A log left 160.63 of 283.6 - 73.6 GiB: 0.826.
        facts = {
            "vision_config.vt_num_hidden_layers": Sourced(27, READ),
            "vision_config.vt_hidden_size": Sourced(1152, READ),
        }
        asked = question(replace(DEEPSEEK_V3, multimodal=True, facts=facts), layout=Layout(tp=8))
        device = replace(asked.device, reported_bytes=Sourced(294_896 << 20, READ))
        machine = settings.machine(replace(asked, device=device), settings.arguments_of(asked))
        assert default_fraction(machine) == pytest.approx(0.822, abs=0.001)


class TestTokens:
    def test_llama_8b(self) -> None:
        # 58,518,929,408 / 131,072 = 446,464
        found = answer(question(LLAMA_8B))
        assert (found.pool_tokens, found.block_size, found.full_length_sequences) == (446_464, 1, 54)

    def test_budget_is_of_the_memory_free_before_loading(self) -> None:
        # Context measured as 0: 79.2 GiB free; x 0.830 = 65.736 GiB - 14.96 GiB = 50.776 GiB; x 8,192 = 415,956.99.
        asked = question(LLAMA_8B, pool=None, weights=weights(14 * GIB + 96 * GIB // 100))
        found = answer(replace(asked, overrides={"before.context": 0}))
        assert found.pool_bytes == found.budget_bytes - found.weights_bytes
        assert found.pool_tokens == 415_956

    def test_gpt_oss_splits_its_windows(self) -> None:
        found = answer(question(GPT_OSS_120B))
        assert found.pool_tokens == 881_904
        assert {line.key: line.value for line in found.budget}["window_tokens"] == 705_523

    def test_diffusion_gemma_log(self) -> None:
        # A start-up log: page 256, 25 window layers of 8 x 256, 5 full ones of 2 x 512, 12.16 GB: 70,656 and 56,320.
        wide = ((Sliding(kv_heads=8, key_dim=256, value_dim=256, window=1024),),) * 25
        model = geometry(
            wide + ((Full(kv_heads=2, key_dim=512, value_dim=512),),) * 5, "DiffusionGemmaForBlockDiffusion"
        )
        found = answer(question(model, pool=1216 * GIB // 100, arguments={"page_size": 256}))
        lines = {line.key: line.value for line in found.budget}
        assert (lines["tokens"], lines["window_tokens"]) == (70_656, 56_320)

    def test_gemma_3_holds_every_token_in_every_layer(self) -> None:
        # 62 x 16 x 256 x 2 = 507,904 B per token
        found = answer(question(GEMMA_3_27B))
        assert found.pool_tokens == POOL // 507_904
        assert "windows-held-in-full" in {finding.code for finding in found.findings}

    def test_kimi_k2_5_log(self) -> None:
        # 61 latent layers, replicated at TP 8: 160.63 GB printed, 2,454,421 tokens.
        found = answer(question(DEEPSEEK_V3, pool=2_454_421 * 70_272, layout=Layout(tp=8)))
        assert found.pool_tokens == 2_454_421
        assert abs(found.pool_bytes / GIB - 160.63) < 0.01

    @pytest.mark.parametrize(("dtype", "per_layer"), [("auto", 1152 + 132), ("fp8_e4m3", 656 + 132)])
    def test_sparse_attention_keeps_records(self, dtype: str, per_layer: int) -> None:
        found = answer(question(DEEPSEEK_V3_2, kv_dtype=dtype))
        assert found.pool_tokens == POOL // (61 * per_layer) // 64 * 64

    def test_sparse_attention_takes_fp8_on_blackwell(self) -> None:
        asked = question(DEEPSEEK_V3_2)
        device = replace(asked.device, compute_capability=(10, 0))
        assert engine("sglang").resolve_kv_dtype(replace(asked, device=device)) == "fp8_ds_mla"

    def test_states_take_nine_nineteenths(self) -> None:
        # State of 36 layers: (3 x 8,192 + 32 x 128 x 128) x 2 = 1,097,728 B, x 36 = 39,518,208 B a slot.
        found = answer(question(QWEN3_NEXT))
        lines = {line.key: line.value for line in found.budget}
        slots = (POOL * 9 // 19 - 39_518_208) // 39_518_208
        assert lines["slots"] == slots
        # 12 layers x 2 x 512 x 2 = 24,576 B per token; one slot more than is handed out.
        assert found.pool_tokens == (POOL - (slots + 1) * 39_518_208) // 24_576
        assert found.full_length_sequences == min(slots // 3, found.pool_tokens // 8192)

    def test_without_prefix_cache_one_slot_a_request(self) -> None:
        cached = answer(question(QWEN3_NEXT, context=128))
        plain = answer(question(QWEN3_NEXT, context=128, arguments={"disable_radix_cache": True}))
        # 700 slots: 233 requests of three, or 700 of one.
        assert (cached.full_length_sequences, plain.full_length_sequences) == (233, 700)

    def test_pipeline_stages_take_the_smallest(self) -> None:
        # 32 layers on 3 stages: 10, 11, 11 of 4,096 B
        found = answer(question(LLAMA_8B, layout=Layout(pp=3)))
        assert found.pool_tokens == POOL // (11 * 4096)

    def test_data_parallel_attention_multiplies_sequences(self) -> None:
        one = answer(question(DEEPSEEK_V3, layout=Layout(tp=8)))
        eight = answer(question(DEEPSEEK_V3, layout=Layout(dp=8)))
        assert eight.full_length_sequences == 8 * one.full_length_sequences
        assert eight.pool_tokens == one.pool_tokens


class TestOptions:
    def test_pages_round_down(self) -> None:
        found = answer(question(LLAMA_8B, pool=POOL - 1, arguments={"page_size": 64}))
        assert found.pool_tokens == 446_400
        assert found.num_blocks == 446_400 // 64

    def test_max_total_tokens_caps(self) -> None:
        assert answer(question(LLAMA_8B, arguments={"max-total-tokens": 10_000})).pool_tokens == 10_000

    def test_running_requests_cap_sequences(self) -> None:
        found = answer(question(LLAMA_8B, sequences=20, arguments={"max_running_requests": 10}))
        assert (found.full_length_sequences, found.fits) == (10, False)

    def test_typed_fraction_and_reserve(self) -> None:
        asked = question(LLAMA_8B, pool=None, utilization=0.5, reserve_bytes=10**9)
        found = answer(replace(asked, overrides={"before.context": 0}))
        assert found.budget_bytes == H100_FREE // 2
        assert found.pool_bytes == H100_FREE // 2 - 10**9

    @pytest.mark.parametrize(
        "arguments", [{"page_sise": 64}, {"page_size": "big"}, {"swa_full_tokens_ratio": 2}, {"page_size": 0}]
    )
    def test_unknown_and_wrong_options_are_errors(self, arguments: dict[str, object]) -> None:
        with pytest.raises(UsageError):
            answer(question(LLAMA_8B, arguments=arguments))

    def test_a_format_that_is_not_stored_is_refused(self) -> None:
        with pytest.raises(RefusalError):
            answer(question(LLAMA_8B, kv_dtype="q8_0"))

    def test_a_cache_that_is_not_profiled_is_refused(self) -> None:
        layer = (Cross(kv_heads=8, key_dim=64, value_dim=64, encoder_tokens=1500),)
        with pytest.raises(RefusalError):
            answer(question(geometry((layer,))))

    @pytest.mark.parametrize("layout", [Layout(tp=3), Layout(pp=33), Layout(tp=2, dcp=2)])
    def test_impossible_layouts_are_errors(self, layout: Layout) -> None:
        with pytest.raises(UsageError):
            answer(question(LLAMA_8B, layout=layout))

    def test_a_device_without_a_driver_s_figure_is_an_error(self) -> None:
        asked = question(LLAMA_8B, pool=None)
        device = replace(asked.device, reported_bytes=None, engine_bytes=None)
        with pytest.raises(UsageError):
            answer(replace(asked, device=device))

    def test_weights_past_the_budget_are_the_limit(self) -> None:
        found = answer(question(LLAMA_8B, pool=None, weights=weights(200 * 10**9)))
        assert (found.fits, found.limit, found.pool_tokens, found.max_context) == (False, "weights", 0, 0)

    def test_a_checkpoint_s_wish_is_kept(self) -> None:
        model = replace(LLAMA_8B, checkpoint_kv_dtype=Sourced("fp8", READ))
        assert answer(question(model)).kv_dtype == "fp8_e4m3"


H100_FREE = 79 * GIB + GIB // 5


def test_states_alone_hold_sequences_of_any_length() -> None:
    # The whole pool is not given to states: 9 / 19 of it, 700 slots, three a request.
    found = answer(question(STATES_ONLY, context=1_000))
    assert (found.full_length_sequences, found.pool_tokens, found.max_concurrency) == (233, 233_000, 233.0)
