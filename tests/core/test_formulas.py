"""Typing a line's numbers into a calculator gives its value."""

from math import floor

import pytest

from kvdesk.core import formulas
from kvdesk.core.layers import (
    CachePart,
    Chunked,
    Compressed,
    Cross,
    Full,
    Indexer,
    Mla,
    NoCache,
    RollingState,
    Shared,
    Sliding,
)
from kvdesk.core.number_formats import FORMATS
from kvdesk.core.states import GatedDelta

PARTS: list[CachePart] = [
    Full(kv_heads=8, key_dim=128, value_dim=128),
    Sliding(kv_heads=16, key_dim=192, value_dim=128, window=1024),
    Chunked(kv_heads=8, key_dim=128, value_dim=128, chunk=8192),
    Cross(kv_heads=20, key_dim=64, value_dim=64, encoder_tokens=1500),
    Mla(latent_dim=448, rope_dim=64),
    Mla(latent_dim=448, rope_dim=64, window=128),
    Compressed(ratio=4, latent_dim=448, rope_dim=64),
    Indexer(key_dim=128),
    Indexer(key_dim=128, ratio=4),
    RollingState(window=8, width=2048),
    GatedDelta(
        key_heads=16,
        value_heads=48,
        key_dim=128,
        value_dim=128,
        conv_kernel=4,
        conv_format=FORMATS["bf16"],
        recurrent_format=FORMATS["fp32"],
    ),
    Shared(),
    NoCache(),
]


def typed_in(text: str) -> int:
    python = text.replace(",", "").replace(";", ",").replace("×", "*")
    result = eval(python, {"__builtins__": {}}, {"min": min, "floor": floor})  # noqa: S307  # our own text
    assert isinstance(result, int)
    return result


@pytest.mark.parametrize("fmt", ["bf16", "fp8_ds_mla", "nvfp4"])
@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("tokens", [1, 1001, 131_072])
def test_the_numbers_put_in_give_the_value(part: CachePart, fmt: str, tokens: int) -> None:
    line = formulas.part_line(part, 3, FORMATS[fmt], tokens)
    assert typed_in(line.substituted) == line.value == 3 * part.growth(FORMATS[fmt]).at(tokens)


def test_llama_in_words() -> None:
    (line,) = formulas.lines([(PARTS[0], 32)], FORMATS["bf16"], 8192)
    assert line.substituted == "32 × 8,192 × 8 × (256 + 256)"
    assert (line.kind, line.count, line.value) == ("full", 32, 1_073_741_824)
