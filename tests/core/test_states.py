"""State sizes; shapes as vLLM 0.33.0 printed them for the models named (its own layer specs)."""

import pytest

from kvdesk.core.number_formats import FORMATS
from kvdesk.core.states import GatedDelta, KimiDelta, LightningAttention, Mamba1, Mamba2, Rwkv, ShortConvolution, State

BF16, FP32 = FORMATS["bf16"], FORMATS["fp32"]
QWEN3_5_27B = GatedDelta(
    key_heads=16, value_heads=48, key_dim=128, value_dim=128, conv_kernel=4, conv_format=BF16, recurrent_format=FP32
)
NEMOTRON_H_56B = Mamba2(
    inner=16384,
    heads=256,
    head_dim=64,
    state_size=256,
    groups=8,
    conv_kernel=4,
    conv_format=BF16,
    recurrent_format=FP32,
)


def test_gated_delta() -> None:
    # shapes ((3, 10240), (48, 128, 128)): 3 x 10,240 x 2 + 48 x 128 x 128 x 4 = 3,207,168 B
    assert QWEN3_5_27B.conv_shape == (3, 10240)
    assert QWEN3_5_27B.recurrent_shape == (48, 128, 128)
    assert QWEN3_5_27B.state_bytes == 3_207_168
    assert QWEN3_5_27B.growth(FORMATS["fp8"]).at(1_000_000) == 3_207_168


def test_mamba2_on_eight_ranks() -> None:
    # shapes ((3, 2560), (32, 64, 256)) at TP 8
    rank = NEMOTRON_H_56B.on_rank(8)
    assert (rank.conv_shape, rank.recurrent_shape) == ((3, 2560), (32, 64, 256))


def test_mamba2_groups_are_raised_to_the_ranks() -> None:
    # 8 groups on 16 ranks: one group each, (16384 + 2 x 16 x 256) / 16 = 1,536 channels
    assert NEMOTRON_H_56B.on_rank(16).conv_shape == (3, 1536)


def test_mamba1() -> None:
    # falcon-mamba-7b: 3 x 8192 x 2 + 8192 x 16 x 2 = 311,296 B
    state = Mamba1(inner=8192, state_size=16, conv_kernel=4, conv_format=BF16, recurrent_format=BF16)
    assert state.state_bytes == 311_296
    assert state.on_rank(2).state_bytes == 155_648


def test_kimi_delta() -> None:
    # Kimi-K3: 69 layers of 96 heads x 128: 69 x (3 x 3 x 96 x 128 x 2 + 96 x 128 x 128 x 4) = 428.55 MiB
    state = KimiDelta(heads=96, head_dim=128, conv_kernel=4, conv_format=BF16, recurrent_format=FP32)
    assert 69 * state.state_bytes == 69 * (221_184 + 6_291_456)
    assert state.on_rank(8).recurrent_shape == (12, 128, 128)


def test_states_of_one_kind_only() -> None:
    lightning = LightningAttention(heads=64, head_dim=128, conv_format=BF16, recurrent_format=FP32)
    assert (lightning.conv_bytes, lightning.recurrent_bytes) == (0, 64 * 128 * 128 * 4)
    short = ShortConvolution(channels=2048, conv_kernel=3, conv_format=BF16, recurrent_format=BF16)
    assert (short.conv_bytes, short.recurrent_bytes) == (2 * 2048 * 2, 0)
    assert short.on_rank(2).conv_shape == (2, 1024)
    assert lightning.on_rank(4).recurrent_shape == (16, 128, 128)


def test_rwkv_keeps_the_last_activations_whole() -> None:
    state = Rwkv(hidden=2048, heads=32, head_dim=64, conv_format=BF16, recurrent_format=FP32)
    assert state.state_bytes == 2 * 2048 * 2 + 32 * 64 * 64 * 4
    assert state.on_rank(4).conv_shape == (2, 2048)
    assert state.on_rank(4).recurrent_shape == (8, 64, 64)


@pytest.mark.parametrize("part", [State(conv_format=BF16, recurrent_format=FP32)])
def test_the_base_keeps_nothing(part: State) -> None:
    assert part.growth(BF16).at(5) == 0
