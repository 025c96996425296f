"""A window on its default scenario, and a Hub on loopback for it."""

from collections.abc import Iterator

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from kvdesk.gui.main import build
from kvdesk.gui.main_window import MainWindow
from tests.support.fake_hub import FakeHub, serve

LLAMA = {
    "architectures": ["LlamaForCausalLM"],
    "model_type": "llama",
    "hidden_size": 4096,
    "num_attention_heads": 32,
    "num_hidden_layers": 32,
    "num_key_value_heads": 8,
    "max_position_embeddings": 131072,
    "torch_dtype": "bfloat16",
    "vocab_size": 128256,
    "intermediate_size": 14336,
    "tie_word_embeddings": False,
}


@pytest.fixture
def window(qtbot: QtBot, qapp: QApplication) -> Iterator[MainWindow]:
    """The window, shown and with its plot."""
    made = build(qapp)
    qtbot.addWidget(made)
    made.resize(1280, 720)
    made.show()
    qtbot.waitUntil(lambda: made.parts.plots.plot is not None, timeout=20_000)
    yield made
    made.close()
    assert made.bridge.close()


@pytest.fixture
def fake_hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """A running Hub; HF_ENDPOINT names it."""
    from huggingface_hub.utils import close_session

    close_session()
    with serve() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        yield hub
    close_session()
