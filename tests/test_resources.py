from pathlib import Path

import pytest

from kvdesk import resources


def test_a_source_tree_has_them_beside_the_package() -> None:
    assert resources.path("icons/kvdesk.svg").parent.parent == Path(resources.__file__).parent.parent / "resources"
    assert resources.read_text("icons/kvdesk.svg").startswith("<svg")


def test_a_missing_one_is_named() -> None:
    with pytest.raises(FileNotFoundError, match=r"no resource “nothing\.txt”"):
        resources.path("nothing.txt")


def test_an_installed_package_has_them_inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = tmp_path / "kvdesk" / "_resources"
    inside.mkdir(parents=True)
    (inside / "note.txt").write_text("grüß", encoding="utf-8")
    # Another package's folder of that name beside it is not ours.
    (tmp_path / "resources").mkdir()
    monkeypatch.setattr(resources, "_PACKAGE", tmp_path / "kvdesk")
    assert resources.read_text("note.txt") == "grüß"
