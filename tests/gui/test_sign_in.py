"""Signing in: the token goes to the Hub and to huggingface_hub's store, and to nothing else."""

import json
from functools import partial
from pathlib import Path

import pytest
from PySide6.QtWidgets import QDialogButtonBox, QLineEdit
from pytestqt.qtbot import QtBot

from kvdesk.app import scenarios
from kvdesk.core.errors import SourceError
from kvdesk.gui.dialogs.sign_in import SignInDialog
from kvdesk.gui.main_window import MainWindow
from kvdesk.hub.client.sign_in import sign_in
from tests.gui.conftest import LLAMA
from tests.support.fake_hub import FakeHub, Reply, Request, as_json, error

TOKEN = "hf_" + "a1B2" * 8


def whoami(request: Request) -> Reply | None:
    """The Hub's answer to `whoami` for the one right token."""
    if "whoami" not in request.path:
        return None
    if request.headers.get("authorization") != f"Bearer {TOKEN}":
        return error(401, "", "Invalid token")
    return as_json({"name": "reader", "auth": {"accessToken": {"displayName": "kvdesk", "role": "read"}}})


@pytest.fixture
def hub(fake_hub: FakeHub, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> FakeHub:
    """huggingface_hub reads its endpoint and folders once, on import."""
    from huggingface_hub import constants, hf_api

    monkeypatch.setattr(constants, "ENDPOINT", fake_hub.url)
    monkeypatch.setattr(hf_api.api, "endpoint", fake_hub.url)
    for name, file in (("HF_TOKEN_PATH", "token"), ("HF_STORED_TOKENS_PATH", "stored_tokens")):
        monkeypatch.setattr(constants, name, str(tmp_path / "hf" / file))
    fake_hub.fault = whoami
    return fake_hub


def opened(window: MainWindow) -> SignInDialog:
    window.actions_by_id["model.sign_in"].trigger()
    return next(dialog for dialog in window.findChildren(SignInDialog) if dialog.isVisible())


def told(dialog: SignInDialog, text: str) -> bool:
    return text in dialog.state.text() and dialog.token.isEnabled()


def test_a_right_token_is_kept_and_the_dialog_closes(
    window: MainWindow, qtbot: QtBot, hub: FakeHub, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    dialog = opened(window)
    assert dialog.token.echoMode() == QLineEdit.EchoMode.Password
    dialog.token.setText(TOKEN)
    with qtbot.waitSignal(dialog.accepted, timeout=20_000):
        dialog.buttons.button(QDialogButtonBox.StandardButton.Ok).click()
    assert (tmp_path / "hf" / "token").read_text().strip() == TOKEN
    scenarios.write(tmp_path / "a.kvdesk", window.bridge.store.workspace)
    assert TOKEN not in (tmp_path / "a.kvdesk").read_text()
    assert TOKEN not in caplog.text
    assert TOKEN not in json.dumps([window.statusBar().currentMessage(), Path(window.settings.path()).name])


def test_the_look_up_that_failed_is_tried_again_after_signing_in(
    window: MainWindow, qtbot: QtBot, hub: FakeHub
) -> None:
    window.bridge.look_up("org/closed")
    bar = window.parts.bar
    qtbot.waitUntil(bar.message.isVisible, timeout=20_000)
    hub.add("org/closed", {"config.json": LLAMA})
    next(button for button in bar.message.buttons if button.text() == "Sign in …").click()
    dialog = next(dialog for dialog in window.findChildren(SignInDialog) if dialog.isVisible())
    dialog.token.setText(TOKEN)
    with qtbot.waitSignal(window.bridge.looked_up, timeout=20_000):
        dialog.buttons.button(QDialogButtonBox.StandardButton.Ok).click()
    window.bridge.flush()
    assert not bar.message.isVisible()
    assert window.bridge.store.session.model is not None
    assert window.bridge.store.session.model.id == "org/closed"


def test_a_wrong_token_is_told_in_place_and_can_be_corrected(window: MainWindow, qtbot: QtBot, hub: FakeHub) -> None:
    dialog = opened(window)
    for text, why in (("hello", "not a token"), ("hf_wrongwrongwrong", "does not accept")):
        dialog.token.setText(text)
        dialog.buttons.button(QDialogButtonBox.StandardButton.Ok).click()
        qtbot.waitUntil(partial(told, dialog, why), timeout=20_000)
        assert text not in dialog.state.text()
    assert dialog.isVisible()


@pytest.mark.parametrize("text", ["", "hf_", "x" * 100, "hf_with space", f"{TOKEN}\nSecond: line"])
def test_what_is_no_token_goes_nowhere(hub: FakeHub, text: str) -> None:
    with pytest.raises(SourceError) as caught:
        sign_in(text)
    assert caught.value.code == "bad-token"
    assert hub.requests == []


def test_a_hub_that_cannot_be_reached_is_told(hub: FakeHub, monkeypatch: pytest.MonkeyPatch) -> None:
    from huggingface_hub import hf_api

    monkeypatch.setattr(hf_api.api, "endpoint", "http://127.0.0.1:9")
    with pytest.raises(SourceError) as caught:
        sign_in(TOKEN)
    assert caught.value.code != "bad-token"
    assert TOKEN not in str(caught.value)
