"""A token that was planted is searched for in everything that kvdesk writes, prints, keeps, copies and sends."""

import importlib.util
import io
import json
import re
import sys
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from kvdesk.app import scenarios
from kvdesk.app.command_line import command_line
from kvdesk.cli.main import main
from kvdesk.gui import defects
from kvdesk.gui.main_window import MainWindow
from tests.gui.test_look_up import files
from tests.support.fake_hub import FakeHub, Reply, serve

TOKEN = "hf_Planted0Planted1Planted2Planted3"  # noqa: S105 - opens nothing but the loopback Hub's repository
MARK = TOKEN.removeprefix("hf_")
"""What is searched for: Markdown writes the underscore with a backslash."""
NAME = "org/closed"
SIZING = (NAME, "--gpu", "h100-sxm")


def holds(data: bytes) -> bool:
    """Whether the token is in a file, also inside a PDF's streams or a ZIP's parts."""
    found = MARK.encode()
    parts = [data]
    if data.startswith(b"PK"):
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            parts += [archive.read(name) for name in archive.namelist()]
    if data.startswith(b"%PDF"):
        parts += list(_streams(data))
        if importlib.util.find_spec("pypdf"):
            import pypdf

            pages = pypdf.PdfReader(io.BytesIO(data)).pages
            parts.append("".join("".join(page.extract_text().split()) for page in pages).encode())
    return any(found in part for part in parts)


def _streams(data: bytes) -> Iterator[bytes]:
    for match in re.finditer(rb"stream\r?\n", data):
        try:
            yield zlib.decompressobj().decompress(data[match.end() :])
        except zlib.error:
            continue


def everything(folder: Path) -> dict[Path, bytes]:
    """All files below a folder."""
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def closed(fake_hub: FakeHub) -> FakeHub:
    """A Hub with one gated model that the token opens."""
    fake_hub.add(NAME, files(num_hidden_layers=2), access="gated", token=TOKEN)
    return fake_hub


@pytest.fixture(params=["variable", "file"])
def token(request: pytest.FixtureRequest, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The token as the Hub's own programs keep it: in the environment or in a file."""
    if request.param == "variable":
        monkeypatch.setenv("HF_TOKEN", TOKEN)
        return
    path = home / "secrets" / "token"
    path.parent.mkdir()
    path.write_text(TOKEN, encoding="utf-8")
    monkeypatch.setattr("huggingface_hub.constants.HF_TOKEN_PATH", str(path))
    monkeypatch.setenv("HF_TOKEN_PATH", str(path))


def test_the_search_itself_finds(tmp_path: Path) -> None:
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr("a", TOKEN)
    assert holds(archive.getvalue())
    report = ("report", "llama-3.1-8b", "--gpu", "h100-sxm", "--title")
    for form in ("pdf", "md", "csv", "json"):  # the workbook has no title
        path = tmp_path / f"out.{form}"
        for title in (TOKEN, "Plain"):
            assert main((*report, title, "-o", str(path))) == 0
            assert holds(path.read_bytes()) is (title == TOKEN), form


@pytest.mark.usefixtures("token")
def test_the_command_line(
    closed: FakeHub, home: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level("DEBUG")
    log = tmp_path / "vllm.log"
    log.write_text(f"INFO 01-01 vllm serve {NAME}\nINFO 01-01 GPU KV cache size: 1,000 tokens\n", encoding="utf-8")
    for arguments in (
        ("size", *SIZING, "--json"),
        ("size", *SIZING, "--explain", "--engine", "vllm"),
        ("plan", *SIZING, "--sequences", "100", "--json"),
        ("reconcile", str(log), "--model", NAME, "--gpu", "h100-sxm", "--json"),
        *(("report", *SIZING, "-o", str(tmp_path / f"out.{form}")) for form in ("pdf", "md", "csv", "xlsx", "json")),
    ):
        assert main(arguments) == 0, arguments
    assert closed.requests[0].headers["authorization"] == f"Bearer {TOKEN}"
    printed = capfd.readouterr()
    assert "kvdesk.sizing/1" in printed.out
    assert MARK not in printed.out + printed.err + caplog.text
    written = {**everything(tmp_path), **everything(home)}
    assert len([path for path in written if path.name.startswith("out.")]) == 5
    assert any("kvdesk" in path.parts for path in written), "the look-up was kept"
    assert [path.name for path, data in written.items() if holds(data)] in ([], ["token"])


@pytest.mark.usefixtures("token", "closed")
def test_errors_on_the_command_line(closed: FakeHub, home: Path, capfd: pytest.CaptureFixture[str]) -> None:
    for status in (401, 403, 404, 429, 500):
        closed.fault = lambda _, status=status: Reply(status=status, body=TOKEN.encode())  # repeats what it was sent
        for more in ((), ("--json",)):
            assert main(("size", NAME, *more)) == 3
    printed = capfd.readouterr()
    assert MARK not in printed.out + printed.err
    assert [path.name for path, data in everything(home).items() if holds(data)] in ([], ["token"])


@pytest.mark.parametrize(
    "text",
    [
        TOKEN,
        f"https://user:{TOKEN}@huggingface.co/org/name",
        f"https://{TOKEN}@huggingface.co/org/name",
        f"https://huggingface.co/org/name?token={TOKEN}",
        f"org/name@{TOKEN}",
        f"./{TOKEN}/config.json",
    ],
)
@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_token_that_was_pasted(text: str, more: tuple[str, ...], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(("size", text, *more)) == 2
    printed = capfd.readouterr()
    assert "secret" in printed.out or "token" in printed.err
    assert MARK not in printed.out + printed.err


def test_the_password_of_a_proxy(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> None:
    from huggingface_hub.utils import close_session

    monkeypatch.setenv("HF_ENDPOINT", "https://hub.invalid")
    monkeypatch.setenv("HTTPS_PROXY", f"http://user:{TOKEN}@127.0.0.1:1")
    close_session()
    assert main(("size", NAME)) == 3
    close_session()
    printed = capfd.readouterr()
    assert MARK not in printed.out + printed.err


@pytest.mark.usefixtures("token")
def test_another_host_is_sent_no_token(closed: FakeHub) -> None:
    with serve() as other:
        closed.redirects_small = True
        closed.storage_url = other.url
        other.fault = lambda _: Reply(status=404)
        assert main(("size", NAME)) in (0, 3)
        assert not [request for request in other.requests if MARK in repr(request)]


@pytest.mark.usefixtures("token")
def test_the_window(window: MainWindow, closed: FakeHub, qtbot: QtBot, home: Path, tmp_path: Path) -> None:
    with qtbot.waitSignal(window.bridge.looked_up, timeout=20_000):
        window.open_text(NAME)
    window.bridge.flush()
    assert closed.requests[0].headers["authorization"] == f"Bearer {TOKEN}"
    window.documents.keep()
    window.settings.sync()
    scenarios.write(tmp_path / "a.kvdesk", window.bridge.store.workspace)
    for action in ("edit.copy_command", "edit.copy_tsv", "edit.copy_markdown"):
        window.actions_by_id[action].trigger()
        assert MARK not in QApplication.clipboard().text()
    assert MARK not in command_line(window.bridge.store.session)
    assert MARK not in repr(window.bridge.view) + repr(window.bridge.store.session)
    assert [path.name for path, data in {**everything(home), **everything(tmp_path)}.items() if holds(data)] in (
        [],
        ["token"],
    )


def test_a_token_typed_into_the_field_is_not_remembered(window: MainWindow, home: Path, qtbot: QtBot) -> None:
    window.open_text(f"https://huggingface.co/org/name?token={TOKEN}")
    qtbot.waitUntil(lambda: window.bridge.view.look_up.error is not None, timeout=20_000)
    assert MARK not in str(window.bridge.view.look_up.error)
    window.documents.keep()
    window.settings.sync()
    assert not [path for path, data in everything(home).items() if holds(data)]


def _failing(secret: str) -> None:
    raise RuntimeError(f"with {secret} in its message")


def test_the_report_of_a_crash_has_places_but_no_values() -> None:
    with pytest.raises(RuntimeError) as caught:
        _failing(TOKEN)
    text = defects.report(caught.type, caught.tb)
    assert "_failing" in text
    assert MARK not in text


def test_a_defect_on_the_command_line_tells_its_place_only(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("kvdesk.app.lookup.load", lambda *_: _failing(TOKEN))
    assert main(("size", NAME, "--json")) == 2
    printed = capfd.readouterr()
    assert json.loads(printed.out)["code"] == "internal-error"
    assert MARK not in printed.out + printed.err
    assert "Traceback" not in printed.err
    assert sys.exc_info() == (None, None, None)
