"""`kvdesk --selftest`: does this very build hold together? Every package is run with it before it counts as built.

It sizes the default scenario, imports the Hub's client, looks at the TLS roots, opens the window on whatever platform
Qt has here and draws the plot, and writes a PDF. It opens no connection and keeps nothing. Each step prints a line;
the first that fails prints its traceback, for the person who built the package, and ends with 1.
"""

import io
import json
import re
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from contextlib import redirect_stdout
from pathlib import Path
from typing import TYPE_CHECKING

from kvdesk import __version__
from kvdesk.app.session import DEFAULT_GPU, DEFAULT_MODEL

if TYPE_CHECKING:
    from kvdesk.gui.main_window import MainWindow
    from kvdesk.gui.plot.context_plot import ContextPlot

PLOT_WITHIN_SECONDS = 120
# Llama 3.1 8B on one H100 by the textbook: (80e9 x 0.92 - 16,060,522,496 - 3e9) / 131,072 tokens.
EXPECTED_POOL_TOKENS = 416_103


class SelfTestError(Exception):
    """What a step found wrong."""


def main(argv: list[str]) -> int:
    """Run all steps; 0 where every one of them holds. `argv` is not used."""
    del argv
    print(f"kvdesk {__version__} self-test, {'frozen' if hasattr(sys, 'frozen') else 'source'}, {sys.platform}")
    for name, step in STEPS:
        begun = time.perf_counter()
        try:
            detail = step()
        except BaseException:  # noqa: BLE001  # of any kind, also one that asks to end: the package is broken all the same
            print(f"FAILED {name}")
            traceback.print_exc(file=sys.stdout)
            return 1
        print(f"ok  {name}: {detail} ({(time.perf_counter() - begun) * 1000:.0f} ms)")
    return 0


def _sizing() -> str:
    sizing = json.loads(_printed_by(["size", DEFAULT_MODEL, "--gpu", DEFAULT_GPU, "--json"]))
    option = sizing["options"][0]
    if option["pool_tokens"] != EXPECTED_POOL_TOKENS:
        raise SelfTestError(f"{option['pool_tokens']} tokens, expected {EXPECTED_POOL_TOKENS}")
    return f"{option['pool_tokens']:,} tokens, {option['full_length_sequences']} sequences"


def _hub_client() -> str:
    import huggingface_hub

    from kvdesk.hub.client import lookup

    session = huggingface_hub.get_session()
    return f"huggingface_hub {huggingface_hub.__version__}, {type(session).__module__}, {lookup.__name__}"


def _tls_roots() -> str:
    import httpx2

    roots = httpx2.create_ssl_context()
    if sys.platform in ("win32", "darwin"):
        return f"the trust store of the system, by {type(roots).__module__}"
    count = roots.cert_store_stats()["x509_ca"] or _hashed_roots()
    if not count:
        raise SelfTestError("no root certificate: install the system's package ca-certificates")
    return f"{count} root certificates"


def _hashed_roots() -> int:
    """Roots in the folder that OpenSSL reads one by one when it needs them."""
    import ssl

    folder = ssl.get_default_verify_paths().capath
    return sum(bool(re.fullmatch(r"[0-9a-f]{8}\.\d", file.name)) for file in Path(folder).iterdir()) if folder else 0


def _window() -> str:
    from PySide6.QtCore import qVersion
    from PySide6.QtWidgets import QApplication

    from kvdesk.gui.main import build

    raised: list[BaseException] = []
    former, sys.excepthook = sys.excepthook, lambda _kind, error, _trace: raised.append(error)
    try:
        app = QApplication.instance() or QApplication(["kvdesk"])
        if not isinstance(app, QApplication):
            raise SelfTestError("an application without widgets runs already")
        window = build(app)
        window.resize(1400, 900)
        window.show()
        _until(app, lambda: bool(raised) or _plot(window) is not None)
        colours = _colours(window)
        window.bridge.close()
        window.deleteLater()
    finally:
        sys.excepthook = former
    if raised:
        raise raised[0]
    return f"Qt {qVersion()} on {app.platformName()}, plot drawn in {colours} colours"


def _until(app: object, done: Callable[[], bool]) -> None:
    """Let Qt work until `done`, asked every 20 ms."""
    from PySide6.QtCore import QEventLoop, QTimer

    end = time.monotonic() + PLOT_WITHIN_SECONDS
    loop = QEventLoop()
    timer = QTimer(interval=20)
    timer.timeout.connect(lambda: loop.quit() if done() or time.monotonic() > end else None)
    timer.start()
    loop.exec()
    if not done():
        raise SelfTestError(f"no plot within {PLOT_WITHIN_SECONDS} seconds of {app}")


def _plot(window: "MainWindow") -> "ContextPlot | None":
    """The plot once it has something to show; its module comes by itself after the first frame."""
    module = sys.modules.get("kvdesk.gui.plot.context_plot")
    plots: list[ContextPlot] = window.findChildren(module.ContextPlot) if module else []
    return next((plot for plot in plots if plot.isVisible() and plot.chart is not None), None)


def _colours(window: "MainWindow") -> int:
    """How many colours the plot is made of: a plain area would be one."""
    plot = _plot(window)
    if plot is None:
        raise SelfTestError("the window has no plot")
    picture = plot.grab().toImage()
    seen = {picture.pixel(x, y) for x in range(0, picture.width(), 2) for y in range(0, picture.height(), 2)}
    if len(seen) < 4:  # paper, axis, curve, capacity
        raise SelfTestError(f"the plot has {len(seen)} colours only")
    return len(seen)


def _report() -> str:
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "kvdesk-selftest.pdf"
        _printed_by(["report", DEFAULT_MODEL, "--gpu", DEFAULT_GPU, "-o", str(file)])
        pdf = file.read_bytes()
    if not pdf.startswith(b"%PDF-") or b"%%EOF" not in pdf[-32:]:
        raise SelfTestError("what was written is no PDF")
    return f"{len(pdf):,} bytes"


def _licences() -> str:
    from kvdesk import resources

    if not hasattr(sys, "frozen"):
        return "come with a package"
    index = json.loads(resources.read_text("licences/index.json"))
    missing = [file for part in index for file in part["files"] if not resources.path(f"licences/{file}").is_file()]
    if missing:
        raise SelfTestError(f"missing: {', '.join(missing)}")
    return f"of {len(index)} parts"


def _printed_by(arguments: list[str]) -> str:
    """What the command prints; a status other than 0 is a failure."""
    from kvdesk.cli.main import main as command

    printed = io.StringIO()
    with redirect_stdout(printed):
        status = command(arguments)
    if status != 0:
        raise SelfTestError(f"kvdesk {' '.join(arguments)} ended with {status}: {printed.getvalue()}")
    return printed.getvalue()


STEPS: tuple[tuple[str, Callable[[], str]], ...] = (
    ("sizing", _sizing),
    ("hub client", _hub_client),
    ("tls roots", _tls_roots),
    ("window", _window),
    ("report", _report),
    ("licences", _licences),
)
