"""A window on its default scenario, and a Hub on loopback for it."""

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QByteArray, QSettings
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QWhatsThis

from kvdesk.app import workspace
from kvdesk.app.defaults import default_session
from kvdesk.gui.main import build
from kvdesk.gui.main_window import MainWindow
from kvdesk.gui.settings import Settings
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


_SPLITS: list[QByteArray] = []
"""Where the splitters stand after the start; a larger font takes room that they do not give back."""


@pytest.fixture(scope="session")
def made(qapp: QApplication) -> Iterator[MainWindow]:
    """One window for all tests, since making one takes longer than most of them."""
    QSettings("kvdesk", "kvdesk").remove("window")  # the layout of a window that another test has closed
    window = build(qapp)
    window.resize(1280, 720)
    window.show()
    while window.parts.plots.plot is None:
        QTest.qWait(20)
    _SPLITS[:] = window.columns.saveState(), window.answers.saveState()
    yield window
    window.bridge.store.mark_saved(window.bridge.store.workspace)
    window.close()


@pytest.fixture
def window(made: MainWindow) -> Iterator[MainWindow]:
    """The window on its default scenario, as it is after the start."""
    for splitter, state in zip((made.columns, made.answers), _SPLITS, strict=True):
        splitter.restoreState(state)
    made.resize(1280, 720)
    made.settings = made.parts.names._settings = Settings()
    made.documents.started()
    made.follow_theme()
    made.bridge.store.open(workspace.of(default_session()))
    made.bridge.select_option(0)
    made.bridge.flush()
    made.parts.plots.tabs.setCurrentIndex(0)
    made.parts.details.tabs.setCurrentIndex(0)
    made.parts.notice.hide()
    made.parts.bar.show_names([])
    made.parts.bar.field.setText("")
    made.parts.bar.field.setModified(False)
    if made.parts.serving.fold.button.isChecked():
        made.parts.serving.fold.button.click()
    made.activateWindow()
    made.parts.bar.focus()
    QTest.qWait(1)
    yield made
    QWhatsThis.hideText()
    for dialog in made.findChildren(QDialog):
        dialog.close()
    made.parts.names.stop()
    for channel in ("look-up", "suggestions", "plan", "log", "export", "sign-in"):
        made.bridge.jobs.cancel(channel)
    made.bridge.cancel_look_up()
    made.bridge.dismiss_look_up_error()
    assert made.bridge.jobs.close()
    QTest.qWait(1)


@pytest.fixture
def fake_hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeHub]:
    """A running Hub; HF_ENDPOINT names it."""
    from huggingface_hub.utils import close_session

    close_session()
    with serve() as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        yield hub
    close_session()
