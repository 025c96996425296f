"""Export report: Ctrl+E asks what goes on the page, Return exports with what is there."""

from datetime import date
from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QDialogButtonBox, QFileDialog
from pytestqt.qtbot import QtBot

from kvdesk.app import actions
from kvdesk.app.session import GpuChoice
from kvdesk.gui import focus
from kvdesk.gui.dialogs.report import ReportDialog
from kvdesk.gui.main_window import MainWindow
from tests.gui.test_access import name_of

WRITTEN_MS = 60_000


def opened(window: MainWindow) -> ReportDialog:
    window.activateWindow()
    QTest.qWait(10)
    QTest.keyClick(window, Qt.Key.Key_E, Qt.KeyboardModifier.ControlModifier)
    (dialog,) = [found for found in window.findChildren(ReportDialog) if found.isVisible()]
    QTest.qWait(10)
    return dialog


@pytest.fixture
def target(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file that the chooser gives."""
    path = tmp_path / "report.md"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_: (str(path), ""))
    return path


@pytest.fixture(autouse=True)
def fresh(window: MainWindow) -> None:
    window.documents.report = {}


def test_return_exports_with_what_is_there(window: MainWindow, qtbot: QtBot, target: Path) -> None:
    window.settings.keep_text("report/author", "A. Author")
    dialog = opened(window)
    assert dialog.fields["title"].hasFocus()
    assert dialog.fields["author"].text() == "A. Author"
    assert dialog.fields["date"].text() == date.today().isoformat()  # noqa: DTZ011  # the user's own day
    QTest.keyClick(dialog.fields["title"], Qt.Key.Key_Return)
    qtbot.waitUntil(target.exists, timeout=WRITTEN_MS)
    assert "A. Author" in target.read_text("utf-8")
    window.settings.keep_text("report/author", "")


def test_the_report_holds_what_was_asked(window: MainWindow, qtbot: QtBot, target: Path) -> None:
    window.bridge.edit("", lambda session: actions.add_gpu(session, GpuChoice(gpu="l40s")))
    window.bridge.flush()
    dialog = opened(window)
    texts = {
        "title": "Chat service",
        "organisation": "Works",
        "reviewer": "R. Reviewer",
        "purpose": "Tender 7",
        "date": "2026-11-29",
        "price h100-sxm": "25000",
        "price l40s": "9000",
        "currency": "EUR",
        "prompt": "1000,3000",
        "output": "200,600",
        "offload": "lmcache=200GB",
    }
    for name, text in texts.items():
        QTest.keyClicks(dialog.fields[name], text) if name != "date" else dialog.fields[name].setText(text)
    dialog.buttons.button(QDialogButtonBox.StandardButton.Save).click()
    qtbot.waitUntil(target.exists, timeout=WRITTEN_MS)
    written = target.read_text("utf-8")
    for text in ("Chat service", "Works", "R. Reviewer", "Tender 7", "2026-11-29", "25,000", "EUR", "live", "LMCache"):
        assert text in written, text
    # Kept for the next report of this run of the program, and not beyond.
    assert opened(window).fields["reviewer"].text() == "R. Reviewer"
    assert window.settings.text("report/reviewer") == ""


def test_what_is_wrong_is_said_at_its_field_and_nothing_typed_is_lost(
    window: MainWindow, qtbot: QtBot, target: Path
) -> None:
    dialog = opened(window)
    dialog.fields["reviewer"].setText("R. Reviewer")
    prompt, row = dialog.fields["prompt"], dialog.rows["prompt"]
    prompt.setFocus()
    QTest.keyClicks(prompt, "many")
    QTest.keyClick(prompt, Qt.Key.Key_Tab)
    assert row.note.isVisible()
    assert row.note.text() == "“many” is not MEAN,P95."
    dialog.fields["lengths"].setText("/nowhere/lengths.csv")
    dialog.buttons.button(QDialogButtonBox.StandardButton.Save).click()
    qtbot.waitUntil(dialog.rows["lengths"].note.isVisible, timeout=5_000)
    assert "cannot be read" in dialog.rows["lengths"].note.text()
    assert dialog.isVisible()
    assert prompt.hasFocus()
    assert not target.exists()
    QTest.keyClick(dialog, Qt.Key.Key_Escape)
    again = opened(window)
    assert again.fields["prompt"].text() == "many"
    assert again.fields["reviewer"].text() == "R. Reviewer"


def test_every_field_has_a_name_and_tab_reaches_it(window: MainWindow) -> None:
    dialog = opened(window)
    assert all(name_of(field) for field in dialog.fields.values())
    reached = focus.fields(dialog)
    assert all(field in reached for field in dialog.fields.values())
    chosen = [name_of(widget) for widget in reached if "Choose" in name_of(widget)]
    assert chosen == ["Choose logo", "Choose list of lengths", "Choose start-up log"]


def test_without_a_result_the_reason_is_told(window: MainWindow) -> None:
    window.bridge.edit("", lambda session: actions.set_shared_prefix(session, 9000))
    window.bridge.flush()
    window.actions_by_id["file.export_pdf"].trigger()
    assert not [dialog for dialog in window.findChildren(ReportDialog) if dialog.isVisible()]
    assert "longer than the context" in window.parts.notice.accessibleDescription()
