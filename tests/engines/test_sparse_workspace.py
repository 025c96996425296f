"""Buffers of sparse attention, by hand from vLLM's source."""

from pathlib import Path

import pytest

from kvdesk.core.geometry import Geometry
from kvdesk.engines import sparse_workspace
from kvdesk.hub import config_file, reader
from tests.engines import samples

CONFIGS = Path(__file__).parents[1] / "fixtures" / "configs"


def geometry(name: str) -> Geometry:
    return reader.read(config_file.parse((CONFIGS / f"{name}.json").read_bytes()))


@pytest.mark.parametrize(
    ("version", "length", "wanted"),
    [
        # 5 latents of 576 x 2 B for each token of the longest sequence, 2 past 262,144 tokens since 0.33
        ((0, 33), 163_840, 5 * 163_840 * 576 * 2),
        ((0, 31), 819_200, 5 * 819_200 * 576 * 2),
        ((0, 33), 819_200, 2 * 819_200 * 576 * 2),
    ],
)
def test_deepseek_sparse_attention(version: tuple[int, ...], length: int, wanted: int) -> None:
    line = sparse_workspace.line(geometry("deepseek-ai__DeepSeek-V3.2"), version, length, 8192)
    assert line is not None
    assert (line.value, line.low, line.high) == (wanted, 0, wanted)


def test_deepseek_v4_gathers_four_requests() -> None:
    # 4 x (1,048,576 / 4 + window 128 + batch 8,192) x 512 x 2 B
    line = sparse_workspace.line(geometry("deepseek-ai__DeepSeek-V4-Flash"), (0, 33), 1_048_576, 8192)
    assert line is not None
    assert line.value == 4 * (262_144 + 128 + 8_192) * 512 * 2


def test_none_without_an_indexer_before_the_buffers_or_without_a_length() -> None:
    sparse = geometry("deepseek-ai__DeepSeek-V3.2")
    assert sparse_workspace.line(samples.DEEPSEEK_V3, (0, 33), 163_840, 8192) is None
    assert sparse_workspace.line(samples.LLAMA_8B, (0, 33), 163_840, 8192) is None
    assert sparse_workspace.line(sparse, (0, 11), 163_840, 8192) is None
    assert sparse_workspace.line(sparse, (0, 33), 0, 8192) is None
