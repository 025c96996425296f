"""About: which build this is, where newer ones are, and the licences of what came along."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtGui import QFileOpenEvent
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from kvdesk import __version__, resources
from kvdesk.app import build
from kvdesk.gui.dialogs.about import AboutDialog, facts
from kvdesk.gui.dialogs.licences import LicencesDialog
from kvdesk.gui.file_open import FileOpener
from kvdesk.gui.main_window import MainWindow


@pytest.fixture
def installed(tmp_path: Path) -> Iterator[Path]:
    """The resources of an installed program."""
    folder = tmp_path / "kvdesk" / "_resources"
    (folder / "licences" / "thing-1.0").mkdir(parents=True)
    (folder / "LICENSE").write_text("MIT License", encoding="utf-8")
    (folder / "accelerators.toml").write_text("", encoding="utf-8")
    (folder / "licences" / "thing-1.0" / "LICENSE").write_text("You may use thing.", encoding="utf-8")
    part = {"name": "thing", "version": "1.0", "licence": "MIT", "home": "", "files": ["thing-1.0/LICENSE"]}
    (folder / "licences" / "index.json").write_text(json.dumps([part]), encoding="utf-8")
    built = {"version": __version__, "commit": "0123abc", "releases": "https://releases.example/kvdesk"}
    (folder / "build.json").write_text(json.dumps(built), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:  # undone before the window is put in order, which reads resources
        patch.setattr(resources, "_PACKAGE", tmp_path / "kvdesk")
        yield folder


def test_a_source_tree_says_its_version_only() -> None:
    assert build.build() == build.Build()
    assert build.parts() == ()
    assert ("kvdesk", __version__) in facts()
    assert "Commit" not in dict(facts())


@pytest.mark.usefixtures("installed")
def test_an_installed_program_says_where_newer_ones_are() -> None:
    shown = dict(facts())
    assert shown["Newer versions"] == "https://releases.example/kvdesk"
    assert shown["Commit"] == "0123abc"


def test_only_an_https_address_is_shown(installed: Path) -> None:
    odd = {"version": __version__, "commit": "", "releases": "file:///etc/passwd"}
    (installed / "build.json").write_text(json.dumps(odd), encoding="utf-8")
    assert build.build().releases == ""


def test_licences_of_all_parts_can_be_read(window: MainWindow, installed: Path, qtbot: QtBot) -> None:
    assert installed.is_dir()
    dialog = LicencesDialog(AboutDialog(window))
    qtbot.addWidget(dialog)
    assert dialog.text.toPlainText() == "MIT License"
    dialog.table.selectRow(0)
    assert dialog.text.toPlainText() == "You may use thing."


def test_without_parts_kvdesks_own_licence_stands_alone(window: MainWindow, qtbot: QtBot) -> None:
    dialog = LicencesDialog(window)
    qtbot.addWidget(dialog)
    assert dialog.table.isHidden()
    assert dialog.text.toPlainText().startswith("MIT License")


def test_a_file_that_the_system_hands_over_is_opened(
    window: MainWindow, qapp: QApplication, qtbot: QtBot, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    monkeypatch.setattr(window, "open_text", opened.append)
    opener = FileOpener(window)
    qapp.installEventFilter(opener)
    try:
        QApplication.sendEvent(qapp, QFileOpenEvent("/home/me/mine.kvdesk"))
        qtbot.waitUntil(lambda: bool(opened), timeout=2000)
    finally:
        qapp.removeEventFilter(opener)
        opener.deleteLater()
    assert opened == ["/home/me/mine.kvdesk"]
