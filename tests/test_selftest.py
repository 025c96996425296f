import subprocess
import sys

import pytest

from kvdesk import selftest


def test_every_step_holds_in_a_process_of_its_own() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "kvdesk", "--selftest"], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    lines = done.stdout.splitlines()[1:]
    assert [line.partition(":")[0] for line in lines] == [f"ok  {name}" for name, _ in selftest.STEPS]
    assert "416,103 tokens" in done.stdout


@pytest.mark.parametrize("error", [ValueError("broken"), SystemExit(0), KeyboardInterrupt()])
def test_any_exception_of_a_step_ends_with_1(
    error: BaseException, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken() -> str:
        raise error

    monkeypatch.setattr(selftest, "STEPS", (("first", lambda: "fine"), ("second", broken), ("third", broken)))
    assert selftest.main([]) == 1
    printed = capsys.readouterr().out
    assert "ok  first: fine" in printed
    assert "FAILED second" in printed
    assert "third" not in printed


def test_a_wrong_number_is_a_failure(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(selftest, "EXPECTED_POOL_TOKENS", 1)
    assert selftest.main([]) == 1
    assert "416103 tokens, expected 1" in capsys.readouterr().out
