"""A clumsy or malicious user of the command line: an answer by the contract, never a traceback, never a wait."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import IO, Any

import pytest

from kvdesk.cli import output
from kvdesk.cli.main import main
from kvdesk.files import reading

LLAMA: dict[str, Any] = {
    "model_type": "llama",
    "num_hidden_layers": 2,
    "hidden_size": 64,
    "num_attention_heads": 4,
    "num_key_value_heads": 2,
    "intermediate_size": 128,
    "vocab_size": 100,
}
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="devices, pipes and links of POSIX")
FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
OPTIONS = ("--gpu", "h100-sxm", "--json")


@pytest.fixture(autouse=True)
def offline(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))


@pytest.fixture
def config(tmp_path: Path) -> Path:
    path = tmp_path / "model.json"
    path.write_text(json.dumps(LLAMA), encoding="utf-8")
    return path


def answer(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, dict[str, Any]]:
    """Exit status and the one object; nothing else was printed."""
    status = main(arguments)
    printed = capsys.readouterr()
    assert printed.err == ""
    found = json.loads(printed.out)
    assert isinstance(found, dict)
    return status, found


def started(
    *arguments: str, output: int | IO[bytes] = subprocess.PIPE, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[bytes]:
    """kvdesk as a process."""
    command = [sys.executable, "-m", "kvdesk", *arguments]
    whole = {**os.environ, **(environment or {})}
    return subprocess.run(command, check=False, timeout=60, env=whole, stdout=output, stderr=subprocess.PIPE)


FILES: tuple[tuple[str, bytes], ...] = (
    ("empty", b""),
    ("null", b"null"),
    ("a number", b"1"),
    ("a list", b"[]"),
    ("noise", bytes(range(256)) * 100),
    ("only a BOM", b"\xff\xfe"),
    ("deep objects", b'{"a":' * 100_000 + b"1" + b"}" * 100_000),
    ("deep lists", b"[" * 1_000_000),
    ("a long number", b'{"num_hidden_layers":' + b"9" * 1_000_000 + b"}"),
    ("half a character", rb'{"model_type":"\ud800"}'),
    ("too large", b" " * (10 * 2**20 + 1)),
)


@pytest.mark.parametrize(("name", "data"), FILES, ids=[name for name, _ in FILES])
def test_files_that_are_no_config(name: str, data: bytes, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "config.json"
    path.write_bytes(data)
    for source in (path, tmp_path):
        status, found = answer(capsys, "size", str(source), *OPTIONS)
        assert (status, found["schema"], found["code"]) == (3, "kvdesk.error/1", "malformed-config"), name


def test_a_config_in_utf_16_and_with_a_bom_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for encoding in ("utf-8-sig", "utf-16", "utf-32-le"):
        path = tmp_path / f"{encoding}.json"
        path.write_text(json.dumps(LLAMA), encoding=encoding)
        assert answer(capsys, "size", str(path), *OPTIONS)[0] == 0


def test_strange_numbers_are_refused_with_their_key(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for value in ("-1", "0", "1e999", "NaN", "2.5", '"2"', "[]", "9" * 30, "true"):
        path = tmp_path / "config.json"
        path.write_text(json.dumps(LLAMA).replace('"num_key_value_heads": 2', f'"num_key_value_heads": {value}'))
        status, found = answer(capsys, "size", str(path), *OPTIONS)
        assert status == 4, value
        assert "num_key_value_heads" in found["title"] + found["detail"], value


@POSIX
@pytest.mark.parametrize("device", ["/dev/null", "/dev/zero", "/dev/urandom", "/", "/proc/self/mem"])
def test_devices_and_folders(device: str, capsys: pytest.CaptureFixture[str]) -> None:
    if Path(device).exists():
        assert answer(capsys, "size", device, *OPTIONS)[0] == 3
        assert answer(capsys, "reconcile", device, "--json")[0] == 3


@POSIX
def test_a_pipe_that_nobody_writes_to(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reading, "PATIENCE", 0.2)
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    for arguments in (("size", str(pipe), *OPTIONS), ("reconcile", str(pipe), "--json")):
        status, found = answer(capsys, *arguments)
        assert (status, found["code"]) == (3, "unreadable-file")
    status, found = answer(capsys, "size", "llama-3.1-8b", *OPTIONS, "--lengths", str(pipe))
    assert (status, found["code"]) == (3, "unreadable-file")


@POSIX
def test_the_shells_own_pipe_is_read(config: Path) -> None:
    command = f'"{sys.executable}" -m kvdesk size <(sleep 0.3; cat "{config}") --json'
    done = subprocess.run(["bash", "-c", command], check=False, timeout=60, capture_output=True)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["schema"] == "kvdesk.sizing/1"


@POSIX
def test_links_that_lead_nowhere_or_round(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "nowhere.json").symlink_to(tmp_path / "none")
    (tmp_path / "round.json").symlink_to(tmp_path / "round.json")
    for name in ("nowhere.json", "round.json"):
        assert answer(capsys, "size", str(tmp_path / name), *OPTIONS)[0] == 3


@POSIX
def test_a_report_does_not_take_the_place_of_a_pipe_and_follows_links(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pipe, link, target = tmp_path / "pipe", tmp_path / "link.md", tmp_path / "target.md"
    os.mkfifo(pipe)
    link.symlink_to(target)
    report = ("report", "llama-3.1-8b", "--gpu", "h100-sxm", "--format", "md", "-o")
    assert main([*report, str(pipe)]) == 2
    assert pipe.is_fifo()
    assert "It is not a file." in capsys.readouterr().err
    assert main([*report, str(link)]) == 0
    assert link.is_symlink()
    assert target.read_bytes()


ODD_OPTIONS: tuple[tuple[str, ...], ...] = (
    ("--tp", "0"),
    ("--tp", "-1"),
    ("--context", "0"),
    ("--context", "9" * 30),
    ("--context", "１２"),
    ("--context", "1e3"),
    ("--context",),
    ("--sequences", "0"),
    ("--utilization", "nan"),
    ("--utilization", "1.5"),
    ("--reserve", "-3GB"),
    ("--reserve", "inf"),
    ("--pool-bytes", "3XB"),
    ("--engine", "nope"),
    ("--engine", "vllm", "--engine-version", "nope"),
    ("--engine", "vllm", "--engine-arg", "no_such=1"),
    ("--engine", "vllm", "--engine-arg", "block_size=0"),
    ("--engine", "vllm", "--engine-arg", "x"),
    ("--gpu", "nope"),
    ("--gpu", "h100-sxmx0"),
    ("--set", "="),
    ("--nope",),
    ("--jso",),
    ("second",),
    ("--shared-prefix", "9000", "--context", "8192"),
    ("--prompt-tokens", "nan,nan", "--output-tokens", "1,1"),
    ("--prompt-tokens", "1,1"),
    ("--offload", "nope"),
    ("--device-memory", "both"),
)


@pytest.mark.parametrize("more", ODD_OPTIONS, ids=" ".join)
def test_options_that_make_no_sense(more: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    status, found = answer(capsys, "size", "llama-3.1-8b", *OPTIONS, *more)
    if status == 0:  # told as the refusal of that option alone
        assert any(one["severity"] == "refusal" for one in found["findings"])
    else:
        assert (status, found["schema"]) == (2, "kvdesk.error/1")
        assert found["title"]


def test_the_largest_numbers_are_sized(capsys: pytest.CaptureFixture[str]) -> None:
    most = str(2**53)
    status, found = answer(capsys, "size", "llama-3.1-8b", *OPTIONS, "--context", most, "--sequences", most)
    assert status == 0
    assert found["kv"]["logical_bytes_per_sequence"] == 131_072 * 2**53  # 32 layers x 8 heads x 256 x 2 B
    assert found["options"][0]["fits"] is False


def test_control_characters_of_a_file_do_not_reach_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "config.json"
    path.write_text(json.dumps({"model_type": "\x1b[31mred\x07\u202e"}), encoding="utf-8")
    assert main(["size", str(path)]) == 4
    printed = capsys.readouterr().err
    assert "\\u001b[31mred\\u0007\\u202e" in printed
    assert not any(sign in printed for sign in "\x1b\x07\u202e")


@pytest.mark.parametrize("encoding", ["ascii", "cp1252", "latin-1"])
def test_terminals_of_other_encodings(encoding: str, config: Path) -> None:
    environment = {"PYTHONIOENCODING": encoding}
    done = started("size", str(config), *OPTIONS, environment=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    assert json.loads(done.stdout.decode(encoding))["schema"] == "kvdesk.sizing/1"
    done = started("gpus", environment=environment)
    assert (done.returncode, done.stderr) == (0, b"")
    done = started("size", str(config), "--gpu", "h100-sxm", environment=environment)
    assert (done.returncode, done.stderr) == (0, b"")


def test_half_characters_of_the_command_line_are_json(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    # What Python makes of bytes that are no UTF-8 in an argument.
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8")
    monkeypatch.setattr(sys, "stdout", stream)
    assert main(["size", "llama-3.1-8b", "--json", "--engine", "\udcff"]) == 2
    stream.seek(0)
    assert json.loads(stream.read())["code"] == "unknown-engine"


def test_closed_standard_input(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", None)
    status, found = answer(capsys, "reconcile", "-", "--json")
    assert (status, found["code"]) == (2, "no-input")


@POSIX
@pytest.mark.parametrize(("source", "status"), [("llama-3.1-8b", 0), ("nowhere.json", 3)])
def test_closed_outputs(source: str, status: int) -> None:
    command = f'"{sys.executable}" -m kvdesk size {source} --json'
    for closed in (">&-", ">&- 2>&-"):
        done = subprocess.run(["bash", "-c", f"{command} {closed}"], check=False, timeout=60, capture_output=True)
        assert (done.returncode, done.stdout, done.stderr) == (status, b"", b"")


@FULL
def test_output_to_a_full_disk(config: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        for more in ((), ("--json",)):
            done = started("size", str(config), *more, output=full)
            assert done.returncode == 2
            assert b"No space left on device" in done.stderr
            assert b"Traceback" not in done.stderr
            assert b"Exception ignored" not in done.stderr


@POSIX
def test_a_reader_that_goes_away(config: Path) -> None:
    command = f'"{sys.executable}" -m kvdesk gpus | true; echo ${{PIPESTATUS[0]}}'
    done = subprocess.run(["bash", "-c", command], check=False, timeout=60, capture_output=True)
    assert done.stdout.strip() == b"0"
    assert done.stderr == b""


@POSIX
def test_a_current_folder_that_is_gone(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    command = f'rmdir ../gone; "{sys.executable}" -m kvdesk report llama-3.1-8b --gpu h100-sxm -o "$1"'
    tree = {**os.environ, "PYTHONPATH": str(Path(output.__file__).parents[2])}
    for target, status in (("x.pdf", 2), (str(tmp_path / "x.pdf"), 0)):
        gone.mkdir(exist_ok=True)
        done = subprocess.run(
            ["bash", "-c", command, "bash", target], check=False, timeout=120, capture_output=True, cwd=gone, env=tree
        )
        assert done.returncode == status, done.stderr
        assert b"defect" not in done.stderr


@pytest.mark.parametrize("form", ["md", "csv", "xlsx", "json", "pdf"])
def test_a_report_of_an_option_that_is_refused(form: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """vLLM has no q8_0 cache, so the option has no memory at all: the plot's axis went from 0 to 0."""
    report = ("report", "llama-3.1-8b", "--gpu", "h100-sxm", "--engine", "vllm", "--kv-dtype", "q8_0")
    assert main((*report, "-o", str(tmp_path / f"out.{form}"))) in (0, 4)
    assert "defect" not in capsys.readouterr().err


def test_a_log_that_prints_no_tokens_where_kvdesk_has_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A pool of nothing beside "Maximum concurrency": its ratio divided by zero."""
    log = tmp_path / "vllm.log"
    log.write_text(
        "INFO 01-01 vllm serve llama-3.1-8b\n"
        "INFO 01-01 GPU KV cache size: 1,000 tokens\n"
        "INFO 01-01 Maximum concurrency for 8,192 tokens per request: 0.12x\n",
        encoding="utf-8",
    )
    sources = ("--model", "llama-3.1-8b", "--gpu", "rtx-4090", "--engine-arg", "gpu_memory_utilization=0.1")
    status, found = answer(capsys, "reconcile", str(log), *sources, "--json")
    assert (status, found["schema"]) == (0, "kvdesk.reconciliation/1")


@pytest.mark.parametrize("arguments", [("--help",), ("--version",), ("models",), ("gpus", "--json")])
def test_what_needs_nothing(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 0
    assert capsys.readouterr().out


def test_help_of_a_command(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="0"):
        main(["size", "--help"])
    assert "--context" in capsys.readouterr().out
