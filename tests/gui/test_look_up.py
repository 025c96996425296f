"""The window against a Hub on loopback, through the real huggingface_hub client."""

import json
from collections.abc import Callable

import pytest
from PySide6.QtCore import QPoint, Qt, QUrl
from PySide6.QtGui import QDesktopServices
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from kvdesk.gui import focus
from kvdesk.gui.main_window import MainWindow
from kvdesk.gui.panels.model.names import may_be_asked
from tests.gui.conftest import LLAMA
from tests.support.fake_hub import FakeHub, Reply, Request, error, safetensors

ANSWER_MS = 20_000


def files(**changes: object) -> dict[str, object]:
    data, _ = safetensors({"model.embed_tokens.weight": ("BF16", (128256, 4096), 2)})
    return {"config.json": json.dumps({**LLAMA, **changes}), "model.safetensors": data}


def look_up(window: MainWindow, qtbot: QtBot, text: str) -> None:
    window.parts.bar.field.selectAll()
    QTest.keyClicks(window.parts.bar.field, text)
    QTest.keyClick(window.parts.bar.field, Qt.Key.Key_Return)


def hanging(hub: FakeHub, seconds: float = 30.0, only: str = "") -> Callable[[Request], Reply | None]:
    def fault(request: Request) -> Reply | None:
        if only not in request.path:
            return None
        hub.hang(seconds)
        return Reply(status=500) if not only else None

    return fault


def test_a_real_look_up_fills_the_window(window: MainWindow, qtbot: QtBot, fake_hub: FakeHub) -> None:
    repo = fake_hub.add("org/tiny", files(num_hidden_layers=4))
    look_up(window, qtbot, "org/tiny")
    with qtbot.waitSignal(window.bridge.looked_up, timeout=ANSWER_MS):
        pass
    window.bridge.flush()
    sizing = window.bridge.view.sizing
    assert sizing is not None
    assert sizing.model.id == "org/tiny"
    assert sizing.model.revision == repo.commit
    # 4 layers x 8 KV heads x (128 + 128) elements x 2 B x 8,192 tokens
    assert sizing.logical_bytes == 4 * 8 * 256 * 2 * 8192
    facts = window.parts.model.facts.model
    row = facts.keys.index("num_hidden_layers")
    assert [facts.index(row, column).data() for column in range(3)] == ["Layers", "4", "config.json"]
    assert repo.commit[:7] in window.parts.bar.state.text()
    assert window.parts.bar.chip.text() == "Hub"
    assert "sequences of 8,192 tokens" in window.parts.verdict.rows[0].accessibleName()
    assert window.parts.plots.chart is not None
    assert window.settings.recents[0].startswith("org/tiny\t")


def test_nothing_typed_is_lost_when_a_look_up_fails(window: MainWindow, qtbot: QtBot, fake_hub: FakeHub) -> None:
    window.parts.workload.sequences.setValue(7)
    look_up(window, qtbot, "org/missing")
    qtbot.waitUntil(window.parts.bar.message.isVisible, timeout=ANSWER_MS)
    assert window.parts.bar.field.text() == "org/missing"
    assert window.bridge.store.session.sequences == 7
    assert window.bridge.view.look_up.error is not None
    assert window.bridge.view.look_up.error.code == "model-not-found"
    # The former model's results stand, since they belong to the session.
    assert window.bridge.view.sizing is not None


@pytest.mark.parametrize("key", [None, Qt.Key.Key_Return, Qt.Key.Key_Space])
def test_one_click_or_key_looks_up_what_was_meant(
    window: MainWindow, qtbot: QtBot, fake_hub: FakeHub, key: Qt.Key | None
) -> None:
    fake_hub.add("org/zebra-7b", files(num_hidden_layers=5))
    look_up(window, qtbot, "org/zebra-7c")
    message = window.parts.bar.message
    qtbot.waitUntil(message.isVisible, timeout=ANSWER_MS)
    button = message.buttons[0]
    qtbot.waitUntil(button.isVisible, timeout=ANSWER_MS)  # Qt shows a new widget in the next turn
    assert button.text() == "org/zebra-7b"
    assert button.accessibleName() == "Look up org/zebra-7b"
    assert button in focus.fields(window.parts.bar)
    # The message stands below the field, so that Tab comes to its buttons before it leaves the bar.
    chain = focus.fields(window)
    assert chain.index(message.buttons[-1]) < chain.index(focus.fields(window.parts.model)[0])
    with qtbot.waitSignal(window.bridge.looked_up, timeout=ANSWER_MS):
        if key is None:
            QTest.mouseClick(button, Qt.MouseButton.LeftButton)
        else:
            button.setFocus(Qt.FocusReason.TabFocusReason)
            QTest.keyClick(button, key)
    window.bridge.flush()
    assert window.bridge.store.session.model is not None
    assert window.bridge.store.session.model.id == "org/zebra-7b"
    assert window.parts.bar.field.text() == "org/zebra-7b"
    assert window.parts.bar.field.hasFocus()
    assert not message.isVisible()


@pytest.mark.parametrize("access", ["gated", "private"])
def test_gated_and_private_models_offer_to_sign_in(
    window: MainWindow, qtbot: QtBot, fake_hub: FakeHub, access: str
) -> None:
    fake_hub.add("org/closed", files(), access=access)
    look_up(window, qtbot, "org/closed")
    qtbot.waitUntil(window.parts.bar.message.isVisible, timeout=ANSWER_MS)
    names = [button.text() for button in window.parts.bar.message.buttons]
    assert "Try again" in names
    assert "Sign in …" in names


def test_the_page_of_a_gated_model_can_be_opened_and_copied(
    window: MainWindow, qtbot: QtBot, fake_hub: FakeHub, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_hub.add("org/closed", files(), access="gated")
    look_up(window, qtbot, "org/closed")
    message = window.parts.bar.message
    qtbot.waitUntil(message.isVisible, timeout=ANSWER_MS)
    said = message.accessibleName() + message.accessibleDescription()
    assert "hf auth login" not in said
    assert "kvdesk models" not in said
    buttons = {button.text(): button for button in message.buttons}
    opened: list[QUrl] = []

    def open_url(url: QUrl) -> bool:
        opened.append(url)
        return len(opened) == 1  # the second time there is no browser

    monkeypatch.setattr(QDesktopServices, "openUrl", open_url)
    for copied in ("", f"{fake_hub.url}/org/closed"):
        QApplication.clipboard().clear()
        buttons["Open its page"].click()
        assert opened[-1].toString() == f"{fake_hub.url}/org/closed"
        assert QApplication.clipboard().text() == copied
    QApplication.clipboard().clear()
    buttons["Copy its address"].click()
    assert QApplication.clipboard().text() == opened[-1].toString()


@pytest.mark.parametrize("text", ["/there/is/no/such/config.json", "https://example.org/x", "../no-such-folder"])
def test_signing_in_is_offered_only_where_it_may_help(window: MainWindow, qtbot: QtBot, text: str) -> None:
    window.parts.bar.typed(text)
    message = window.parts.bar.message
    qtbot.waitUntil(message.isVisible, timeout=ANSWER_MS)
    assert "Sign in …" not in [button.text() for button in message.buttons]


def test_nothing_in_the_bar_moves_and_the_focus_stays(window: MainWindow, qtbot: QtBot, fake_hub: FakeHub) -> None:
    bar = window.parts.bar
    fake_hub.add("org/tiny", files())
    fake_hub.fault = hanging(fake_hub, seconds=0.5)
    places = [(bar.field.width(), bar.button.mapTo(bar, QPoint()).x())]
    bar.field.setText("org/tiny")
    bar.button.setFocus()
    bar.button.click()
    qtbot.waitUntil(bar.cancel.isVisible, timeout=5_000)
    QTest.qWait(20)
    assert QApplication.focusWidget() is bar.cancel
    places.append((bar.field.width(), bar.cancel.mapTo(bar, QPoint()).x()))
    fake_hub.released.set()
    qtbot.waitUntil(bar.button.isVisible, timeout=ANSWER_MS)
    QTest.qWait(20)
    assert QApplication.focusWidget() is bar.button
    places.append((bar.field.width(), bar.button.mapTo(bar, QPoint()).x()))
    assert len(set(places)) == 1


def test_the_focus_goes_back_to_the_field_when_the_message_goes(window: MainWindow, qtbot: QtBot) -> None:
    window.parts.bar.typed("/there/is/no/such/config.json")
    message = window.parts.bar.message
    qtbot.waitUntil(message.isVisible, timeout=ANSWER_MS)
    dismiss = message.buttons[-1]
    dismiss.setFocus()
    dismiss.click()
    window.bridge.flush()
    assert not message.isVisible()
    assert window.parts.bar.field.hasFocus()


def test_a_retry_works_after_the_hub_recovers(window: MainWindow, qtbot: QtBot, fake_hub: FakeHub) -> None:
    fake_hub.add("org/tiny", files())
    fake_hub.fault = lambda _: error(404, "RepoNotFound", "gone")
    look_up(window, qtbot, "org/tiny")
    qtbot.waitUntil(window.parts.bar.message.isVisible, timeout=ANSWER_MS)
    fake_hub.fault = None
    with qtbot.waitSignal(window.bridge.looked_up, timeout=ANSWER_MS):
        window.parts.bar.message.buttons[0].click()
    window.bridge.flush()
    assert not window.parts.bar.message.isVisible()


def test_loading_is_shown_with_a_name_and_cancel_works_at_once(
    window: MainWindow, qtbot: QtBot, fake_hub: FakeHub
) -> None:
    fake_hub.fault = hanging(fake_hub)
    look_up(window, qtbot, "org/slow")
    qtbot.waitUntil(window.parts.bar.cancel.isVisible, timeout=2_000)
    assert "org/slow" in window.parts.bar.state.text()
    QTest.keyClick(window.parts.bar.field, Qt.Key.Key_Escape)
    window.bridge.flush()
    assert not window.bridge.view.look_up.running
    assert window.parts.bar.field.text() == "org/slow"
    assert not window.parts.bar.cancel.isVisible()
    fake_hub.released.set()


def test_the_newest_request_wins(window: MainWindow, qtbot: QtBot, fake_hub: FakeHub) -> None:
    fake_hub.add("org/first", files(num_hidden_layers=2))
    fake_hub.add("org/second", files(num_hidden_layers=3))
    fake_hub.fault = hanging(fake_hub, seconds=1.0, only="first")
    arrived: list[str] = []
    window.bridge.looked_up.connect(lambda text, _model: arrived.append(text))
    look_up(window, qtbot, "org/first")
    look_up(window, qtbot, "org/second")
    qtbot.waitUntil(lambda: arrived == ["org/second"], timeout=ANSWER_MS)
    fake_hub.released.set()
    qtbot.wait(300)
    assert arrived == ["org/second"]
    assert window.bridge.store.session.model is not None
    assert window.bridge.store.session.model.id == "org/second"


def test_a_window_stays_responsive_while_the_hub_hangs(window: MainWindow, qtbot: QtBot, fake_hub: FakeHub) -> None:
    fake_hub.fault = hanging(fake_hub)
    look_up(window, qtbot, "org/slow")
    window.parts.workload.context.setValue(4096)
    window.bridge.flush()
    assert window.bridge.view.sizing is not None
    assert window.bridge.view.sizing.workload.context == 4096
    window.bridge.cancel_look_up()
    fake_hub.released.set()


def test_overrides_stay_for_the_same_model_and_go_with_another(
    window: MainWindow, qtbot: QtBot, fake_hub: FakeHub
) -> None:
    from kvdesk.app import actions

    fake_hub.add("org/one", files())
    fake_hub.add("org/two", files())
    for text in ("org/one", "org/one"):
        with qtbot.waitSignal(window.bridge.looked_up, timeout=ANSWER_MS):
            window.parts.bar.typed(text)
        window.bridge.edit("", lambda session: actions.override(session, "num_key_value_heads", 4))
    assert window.bridge.store.session.overrides == {"num_key_value_heads": 4}
    with qtbot.waitSignal(window.bridge.looked_up, timeout=ANSWER_MS):
        window.parts.bar.typed("org/two")
    assert window.bridge.store.session.overrides == {}
    window.bridge.store.undo()
    assert window.bridge.store.session.overrides == {"num_key_value_heads": 4}


def test_typing_offers_recent_models_the_catalogue_and_what_the_hub_finds(
    window: MainWindow, qtbot: QtBot, fake_hub: FakeHub
) -> None:
    fake_hub.add("org/zebra-7b", files())
    window.settings.keep_recent("org/before", "abc", "2026-01-01")
    window.parts.names.refresh()
    offered = window.parts.bar.names
    assert offered()[0] == "org/before"
    assert "llama-3.1-8b" in offered()
    window.parts.bar.field.selectAll()
    QTest.keyClicks(window.parts.bar.field, "zebra")
    qtbot.waitUntil(lambda: "org/zebra-7b" in offered(), timeout=ANSWER_MS)


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("qwen3", True),
        ("Qwen/Qwen3-8B", True),
        ("ab", False),
        ("/home/someone/model", False),
        (r"C:\models\mine", False),
        ("https://huggingface.co/org/name", False),
        ("hf_abcdefghijklmnopqrstuvwxyz", False),
        ("org/name@main", False),
    ],
)
def test_paths_and_tokens_never_go_to_the_search(text: str, asked: bool) -> None:
    assert may_be_asked(text) is asked


def test_a_token_in_the_model_field_goes_nowhere(window: MainWindow, qtbot: QtBot, fake_hub: FakeHub) -> None:
    token = "hf_" + "a1B2" * 8
    look_up(window, qtbot, token)
    qtbot.waitUntil(window.parts.bar.message.isVisible, timeout=ANSWER_MS)
    qtbot.wait(500)
    assert fake_hub.requests == []
    assert token not in "\n".join(window.settings.recents)


@pytest.mark.parametrize("by_key", [False, True])
def test_a_suggestion_that_was_chosen_is_looked_up(window: MainWindow, qtbot: QtBot, by_key: bool) -> None:
    bar = window.parts.bar
    bar.show_names(["llama-3.1-8b", "qwen3-8b"])
    bar.field.clear()
    QTest.keyClicks(bar.field, "qwen")
    popup = bar.field.completer().popup()
    assert popup
    qtbot.waitUntil(popup.isVisible, timeout=ANSWER_MS)
    with qtbot.waitSignal(window.bridge.looked_up, timeout=ANSWER_MS):
        if by_key:
            QTest.keyClick(popup, Qt.Key.Key_Down)
            QTest.keyClick(popup, Qt.Key.Key_Return)
        else:
            place = popup.visualRect(popup.model().index(0, 0)).center()
            QTest.mouseClick(popup.viewport(), Qt.MouseButton.LeftButton, pos=place)
    assert window.bridge.store.session.model is not None
    assert window.bridge.store.session.model.id == "Qwen/Qwen3-8B"
