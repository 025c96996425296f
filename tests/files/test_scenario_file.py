"""Scenario files: the same contents give the same bytes, other schemas and broken files are refused with a word."""

import json
import os
import signal
import subprocess
import sys
import textwrap
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kvdesk.core.errors import KvdeskError, SourceError
from kvdesk.files import scenario_file

GOOD = b'{"schema": "kvdesk.scenario/1", "scenarios": []}'


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    path = tmp_path / "a.kvdesk"
    scenario_file.write(path, {"scenarios": [], "b": 1, "ä": None})
    assert scenario_file.read(path) == {"schema": "kvdesk.scenario/1", "scenarios": [], "b": 1, "ä": None}
    assert scenario_file.is_scenario(path)


def test_keys_are_sorted_and_the_end_is_a_line_break() -> None:
    assert scenario_file.dumped({"b": 1, "a": [2]}).decode() == textwrap.dedent(
        """\
        {
          "a": [
            2
          ],
          "b": 1,
          "schema": "kvdesk.scenario/1"
        }
        """
    )


def test_a_scenario_is_known_by_its_schema_too(tmp_path: Path) -> None:
    path = tmp_path / "mailed.json"
    path.write_bytes(GOOD)
    assert scenario_file.is_scenario(path)
    path.write_bytes(b'{"model_type": "llama"}')
    assert not scenario_file.is_scenario(path)
    assert not scenario_file.is_scenario(tmp_path / "missing.json")


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"", "bad-scenario"),
        (b"[]", "bad-scenario"),
        (b"{}", "bad-scenario"),
        (b'{"schema": 1}', "bad-scenario"),
        (b'{"schema": "kvdesk.scenario/0"}', "bad-scenario"),
        (b'{"schema": "kvdesk.scenario/x"}', "bad-scenario"),
        (b'{"schema": "kvdesk.sizing/1"}', "bad-scenario"),
        (b'{"schema": "kvdesk.scenario/1", "a": NaN}', "bad-scenario"),
        (b"\xff\xfe\x00", "bad-scenario"),
        (b'{"schema": "kvdesk.scenario/2"}', "newer-scenario"),
        (b'{"schema": "kvdesk.scenario/1", "a": ' + b"[" * 100 + b"]" * 100 + b"}", "bad-scenario"),
        (b"[" * 200_000, "bad-scenario"),
    ],
)
def test_broken_and_foreign_files_are_refused(data: bytes, code: str) -> None:
    with pytest.raises(SourceError) as caught:
        scenario_file.parse(data, "file.kvdesk")
    assert caught.value.code == code
    assert caught.value.remedy


def test_brackets_inside_strings_do_not_nest() -> None:
    data = json.dumps({"schema": "kvdesk.scenario/1", "a": '["' * 200}).encode()
    assert scenario_file.parse(data, "x")["a"] == '["' * 200


def test_a_byte_order_mark_is_no_matter() -> None:
    assert scenario_file.parse(b"\xef\xbb\xbf" + GOOD, "x")["scenarios"] == []


def test_a_large_file_is_refused_before_it_is_parsed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scenario_file, "MAX_BYTES", 10)
    with pytest.raises(SourceError, match="not a scenario"):
        scenario_file.parse(GOOD, "x")


def test_a_missing_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(SourceError) as caught:
        scenario_file.read(tmp_path / "missing.kvdesk")
    assert caught.value.code == "unreadable-file"


def test_older_files_are_brought_up_to_date(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scenario_file, "VERSION", 3)
    monkeypatch.setattr(
        scenario_file,
        "MIGRATIONS",
        {1: lambda old: {**old, "second": True}, 2: lambda old: {**old, "third": old["second"]}},
    )
    found = scenario_file.parse(GOOD, "x")
    assert (found["second"], found["third"]) == (True, True)


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=200))
def test_any_bytes_are_read_or_refused(data: bytes) -> None:
    with suppress(KvdeskError):
        scenario_file.parse(data, "x")


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
def test_a_kill_at_any_moment_leaves_the_old_file_or_the_new(tmp_path: Path) -> None:
    path = tmp_path / "a.kvdesk"
    code = textwrap.dedent(
        """\
        import sys
        from pathlib import Path
        from kvdesk.files import scenario_file
        print("ready", flush=True)
        n = 0
        while True:
            n += 1
            scenario_file.write(Path(sys.argv[1]), {"number": n, "filler": "x" * 20000})
        """
    )
    scenario_file.write(path, {"number": 0, "filler": ""})
    for pause in (0.0, 0.01, 0.03):
        process = subprocess.Popen([sys.executable, "-c", code, str(path)], stdout=subprocess.PIPE, cwd=Path.cwd())
        assert process.stdout is not None
        process.stdout.readline()
        time.sleep(pause)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        found = scenario_file.read(path)
        assert found["filler"] == "x" * 20000 or found["number"] == 0
