"""Settings that make no sense count as absent; what was kept is found again."""

from pathlib import Path

import pytest
from PySide6.QtCore import QByteArray, QSettings

from kvdesk.gui.settings import MOST_RECENTS, Settings


def test_defaults_where_nothing_was_kept() -> None:
    settings = Settings()
    assert (settings.unit, settings.theme, settings.recents) == ("GiB", "system", [])
    assert settings.layout("geometry").isEmpty()


def test_what_was_kept_is_found_again() -> None:
    settings = Settings()
    settings.unit, settings.theme = "GB", "dark"
    settings.keep_text("report/author", "A. Reader")
    settings.keep_layout("geometry", QByteArray(b"\x01\x02"))
    settings.sync()
    again = Settings()
    assert (again.unit, again.theme, again.text("report/author")) == ("GB", "dark", "A. Reader")
    assert again.layout("geometry") == QByteArray(b"\x01\x02")


@pytest.mark.parametrize("value", [5, "furlongs", None, ["GB"], b"\x00"])
def test_values_that_make_no_sense_count_as_absent(value: object) -> None:
    store = QSettings("kvdesk", "kvdesk")
    for key in ("display/unit", "display/theme", "models/recent", "window/geometry"):
        store.setValue(key, value)
    settings = Settings()
    assert settings.theme == "system"
    assert settings.layout("geometry").isEmpty() or isinstance(value, bytes)
    assert isinstance(settings.recents, list)


def test_a_corrupt_file_is_not_fatal() -> None:
    path = Path(Settings().path())
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(b"[display\nunit=@Variant(\x00\xff\xff garbage \xfe\n[window]\ngeometry=@ByteArray(x")
    settings = Settings()
    assert settings.unit in ("GiB", "GB")
    settings.unit = "GB"
    settings.sync()
    assert Settings().unit == "GB"


def test_recents_are_newest_first_without_doubles_and_bounded() -> None:
    settings = Settings()
    for number in range(MOST_RECENTS + 5):
        settings.keep_recent(f"org/m{number}", "abc", "2026-01-01")
    settings.keep_recent("org/m9", "def", "2026-01-02")
    assert settings.recents[0] == "org/m9\tdef\t2026-01-02"
    assert len(settings.recents) == MOST_RECENTS
    assert sum(entry.startswith("org/m9\t") for entry in settings.recents) == 1
