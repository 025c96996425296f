"""The scripts that gather licences, draw icons and note what was built."""

import json
import struct
from pathlib import Path

import pytest
from PySide6.QtGui import QImage

from tests.packaging.scripts import load


def test_every_runtime_dependency_comes_with_its_licence(tmp_path: Path) -> None:
    licences = load("licences")
    folder = tmp_path / "licences"
    index = [licences.gather(name, folder) for name in sorted(licences.closure("kvdesk") - licences.NOT_BUNDLED)]
    names = {str(entry["name"]).lower() for entry in index}
    assert {"pyqtgraph", "numpy", "typst", "huggingface_hub", "pyside6_essentials", "shiboken6"} <= names
    for entry in index:
        assert entry["licence"]
        for file in entry["files"]:
            assert (folder / file).stat().st_size > 100


def test_qt_comes_with_the_texts_of_its_licence(tmp_path: Path) -> None:
    entry = load("licences").gather("pyside6-essentials", tmp_path)
    assert {Path(file).name for file in entry["files"]} == {"Qt.txt", "LGPL-3.0.txt", "GPL-3.0.txt"}
    assert "LGPL-3.0" in entry["licence"]


def test_a_part_without_a_licence_text_stops_the_build(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    licences = load("licences")
    monkeypatch.setattr(licences, "TEXT_ELSEWHERE", {})
    with pytest.raises(SystemExit, match="carries no licence text"):
        licences.gather("pyside6-essentials", tmp_path)


def test_icons_of_every_size_and_container(tmp_path: Path) -> None:
    load("icons").main(tmp_path)
    for size in (16, 32, 256, 1024):
        image = QImage(str(tmp_path / f"kvdesk-{size}.png"))
        assert (image.width(), image.height()) == (size, size)
        assert image.hasAlphaChannel()

    # ICO: reserved 0, type 1, count; entries of 16 bytes end with length and offset of a PNG.
    ico = (tmp_path / "kvdesk.ico").read_bytes()
    assert struct.unpack_from("<HHH", ico) == (0, 1, 7)
    for index, size in enumerate((16, 24, 32, 48, 64, 128, 256)):
        width, height, _, _, _, bits, length, offset = struct.unpack_from("<BBBBHHII", ico, 6 + 16 * index)
        assert (width, height, bits) == (size % 256, size % 256, 32)
        assert QImage.fromData(ico[offset : offset + length]).width() == size

    # ICNS: the whole length, then chunks of type, length with header, PNG.
    icns = (tmp_path / "kvdesk.icns").read_bytes()
    assert struct.unpack_from(">4sI", icns) == (b"icns", len(icns))
    widths = {}
    at = 8
    while at < len(icns):
        kind, length = struct.unpack_from(">4sI", icns, at)
        widths[kind] = QImage.fromData(icns[at + 8 : at + length]).width()
        at += length
    assert widths[b"ic10"] == 1024
    assert widths[b"ic07"] == 128
    assert len(widths) == 11


def test_a_build_knows_its_version_commit_and_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    facts = load("build_facts")
    monkeypatch.setenv("KVDESK_HOME_PAGE", "https://releases.example/kvdesk")
    facts.main(tmp_path)
    built = json.loads((tmp_path / "build.json").read_text(encoding="utf-8"))
    from kvdesk import __version__

    assert built["version"] == __version__
    assert built["releases"] == "https://releases.example/kvdesk"
    assert f'"FileVersion", "{__version__}"' in (tmp_path / "version_info.txt").read_text(encoding="utf-8")
