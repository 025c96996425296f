"""Weights per GPU under data parallelism of attention."""

from dataclasses import replace

import pytest

from kvdesk.core.layout import Layout
from kvdesk.core.sourced import Origin, Source, Sourced
from kvdesk.core.weights import Weights
from kvdesk.engines.spread import attention_only, attention_parameters, weights_on_rank
from tests.engines.samples import DEEPSEEK_V3, LLAMA_8B, question, weights

FP8 = Weights(
    bytes=Sourced(671_000_000_000, Source(Origin.HEADER)), parameters=Sourced(671_000_000_000, Source(Origin.HEADER))
)


def test_attention_of_deepseek_v3_is_nearly_187_million_a_layer() -> None:
    # Counted by hand: q_a 7,168 x 1,536, q_b 1,536 x 24,576, kv_a 7,168 x 576, kv_b 512 x 32,768, o 16,384 x 7,168
    by_hand = 7168 * 1536 + 1536 * 24576 + 7168 * 576 + 512 * 32768 + 16384 * 7168
    assert attention_parameters(DEEPSEEK_V3) / 61 == pytest.approx(by_hand, rel=0.02)


def test_attention_of_llama_8b() -> None:
    # hidden x (2 x 32 + 2 x 8) x 128
    assert attention_parameters(LLAMA_8B) == 32 * 4096 * (2 * 32 + 2 * 8) * 128


def test_every_rank_keeps_its_own_attention() -> None:
    asked = question(DEEPSEEK_V3, layout=Layout(dp=8), weights=FP8)
    attention = attention_parameters(DEEPSEEK_V3)
    assert attention_only(asked)
    assert weights_on_rank(asked) == attention + -(-(671_000_000_000 - attention) // 8)


def test_known_experts_are_divided_over_all_gpus() -> None:
    known = replace(FP8, expert_bytes=650_000_000_000)
    asked = question(DEEPSEEK_V3, layout=Layout(tp=2, dp=4), weights=known)
    assert weights_on_rank(asked) == 21_000_000_000 // 2 + 650_000_000_000 // 8


def test_the_fullest_stage_has_an_end() -> None:
    # 32 layers on 3 stages: 11 of 32 of the body, and the larger of embedding and head, over 2 ranks
    sized = replace(weights(16_000_000_000), embedding_bytes=1_000_000_000, head_bytes=1_200_000_000)
    asked = question(LLAMA_8B, layout=Layout(tp=2, pp=3), weights=sized)
    assert weights_on_rank(asked) == 13_800_000_000 * 11 // (32 * 2) + 600_000_000


def test_draft_layers_where_they_are_loaded() -> None:
    asked = question(LLAMA_8B, layout=Layout(tp=2), weights=replace(weights(16_000_000_000), draft_bytes=500_000_000))
    assert weights_on_rank(asked, draft=True) - weights_on_rank(asked) == 250_000_000


def test_dense_models_are_whole_replicas() -> None:
    asked = question(LLAMA_8B, layout=Layout(tp=2, dp=4), weights=weights(16_000_000_000))
    assert not attention_only(asked)
    assert weights_on_rank(asked) == 8_000_000_000


def test_measured_and_unknown_weights() -> None:
    asked = question(LLAMA_8B)
    assert weights_on_rank(asked) == 0
    assert weights_on_rank(replace(asked, overrides={"weights": 7})) == 7
