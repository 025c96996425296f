import builtins
from types import ModuleType

import pytest

from kvdesk.cli import window_command


@pytest.fixture
def display(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(window_command, "display_reachable", lambda: True)


def no_window(monkeypatch: pytest.MonkeyPatch, reason: str) -> None:
    real = builtins.__import__

    def importing(name: str, *rest: object) -> ModuleType:
        if name == "kvdesk.gui.main":
            raise ImportError(reason)
        return real(name, *rest)  # type: ignore[arg-type]  # handed on as it came

    monkeypatch.setattr(builtins, "__import__", importing)


@pytest.mark.usefixtures("display")
def test_qt_without_a_library_of_the_system_still_gives_the_sizing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    no_window(monkeypatch, "libEGL.so.1: cannot open shared object file: No such file or directory")
    assert window_command.main([]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("Qt cannot be loaded here (libEGL.so.1: ")
    assert "50 sequences of 8,192 tokens" in printed


@pytest.mark.usefixtures("display")
def test_any_other_broken_import_is_a_defect(monkeypatch: pytest.MonkeyPatch) -> None:
    no_window(monkeypatch, "cannot import name 'build'")
    with pytest.raises(ImportError, match="build"):
        window_command.main([])
