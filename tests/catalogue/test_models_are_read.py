"""The reader takes the catalogue's configs as it takes config.json files."""

import pytest

from kvdesk.catalogue import models
from kvdesk.core.number_formats import get
from kvdesk.hub import reader


@pytest.mark.parametrize("name", models.names())
def test_every_model_is_read(name: str) -> None:
    geometry = reader.read(models.find(name).config)
    assert geometry.layers
    assert geometry.max_context is not None
    assert geometry.logical(get("bf16")).at(1000) > 0


@pytest.mark.parametrize(
    ("name", "size"),
    [
        # 32 layers x 8 heads x (128 + 128) x 2 B = 131,072 B per token.
        ("llama-3.1-8b", 131_072),
        # 80 x 8 x 256 x 2 B.
        ("llama-3.3-70b", 327_680),
        # (512 + 64) elements x 61 layers x 2 B.
        ("deepseek-v3", 70_272),
    ],
)
def test_bytes_of_one_token(name: str, size: int) -> None:
    assert reader.read(models.find(name).config).logical(get("bf16")).at(8192) == 8192 * size
