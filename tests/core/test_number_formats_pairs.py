"""Formats whose keys and values are packed differently, or that keep scales per vector."""

import pytest

from kvdesk.core.number_formats import get

# State content bytes of one head with key and value of 128 elements, as vLLM 0.33.0 prints them in its layer specs.
MEASURED = {
    "turboquant_k8v4": 196,  # 128 + (64 + 4)
    "turboquant_4bit_nc": 134,  # (64 + 2) + (64 + 4)
    "turboquant_k3v4_nc": 118,  # (48 + 2) + (64 + 4)
    "turboquant_3bit_nc": 102,  # (48 + 2) + (48 + 4)
    "fp8_per_token_head": 264,  # 2 x (128 + 4)
    "int8_per_token_head": 264,
    "int4_per_token_head": 136,  # 2 x (64 + 4)
    "nvfp4": 144,  # 2 x (64 + 8)
    "bf16": 512,
}


@pytest.mark.parametrize(("name", "size"), MEASURED.items())
def test_a_head_s_key_and_value_take_what_the_engine_prints(name: str, size: int) -> None:
    assert get(name).pair(128, 128) == size


def test_an_odd_pair_is_rounded_up_to_even_bytes() -> None:
    # key ceil(40 x 3 / 8) + 2 = 17, value 40 x 4 / 8 + 4 = 24: 41 -> 42
    assert get("turboquant_k3v4_nc").pair(40, 40) == 42


def test_a_latent_keeps_a_pair_of_scales() -> None:
    # vLLM 0.33.0 MLACommonBackend.customize_spec: head_size x 1 + 2 x 4
    assert get("fp8_per_token_head").latent(512, 64) == 584
    assert get("int4_per_token_head").latent(512, 64) == 296
