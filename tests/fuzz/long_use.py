"""One process for a long working day: memory, threads, open files and widgets stay flat, and nothing crashes.

    python tests/fuzz/long_use.py [--recomputes N] [--look-ups N] [--reports N] [--seconds S] [--seed SEED]

Recomputes are edits of the window's session, each redrawn; look-ups go to a Hub on loopback that fails at random;
reports are PDFs; at last the window is used at random for S seconds while look-ups fail. Prints a line every tenth of
each part. Exit status 1 where a part's second half grew, or where anything was raised that nobody caught.
"""

import argparse
import faulthandler
import gc
import os
import random
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
_HOME = tempfile.TemporaryDirectory(prefix="kvdesk-long-use-")
for _name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "HF_HOME", "APPDATA", "LOCALAPPDATA"):
    os.environ[_name] = _HOME.name
os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["PYQTGRAPH_QT_LIB"] = "PySide6"

from PySide6.QtCore import QEvent, QPoint, Qt, QTimer, qInstallMessageHandler
from PySide6.QtGui import QKeyEvent, QKeySequence
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog, QFileDialog, QInputDialog, QWidget

from kvdesk.app import actions, reporting, workspace
from kvdesk.app.defaults import default_session
from kvdesk.app.derive import Deriver
from kvdesk.core.errors import KvdeskError
from kvdesk.core.number_formats import FORMATS
from kvdesk.engines.registry import NAMES
from kvdesk.gui.commands.table import TABLE
from kvdesk.gui.main import build
from kvdesk.gui.main_window import MainWindow
from kvdesk.hub import client
from kvdesk.hub.client.settings import Settings
from kvdesk.hub.refs import HubRef
from tests.fuzz.look_ups import REPOSITORIES, failing, fill
from tests.support.fake_hub import FakeHub, serve

HANG = 60
"""Seconds that one step of random use may take."""
ALLOWED_MIB = 12
"""What the second half of a part may add: the allocator's own swings and the caches of fonts and glyphs."""
TEXTS = (
    "org/model1",
    "org/none",
    "llama-3.1-8b",
    "",
    "x" * 300,
    "https://huggingface.co/a/b",
    "/nowhere",
    "１２",
    "-1",
)
KEYS = ("Up", "Down", "Tab", "Backtab", "Return", "Esc", "Space", "PgUp", "Home", "End", "Del", "F6", "9", "0")
NOT_BY_CHANCE = ("file.quit",)
"""Actions that end the window."""


class Usage(NamedTuple):
    """What the process holds."""

    mib: int
    threads: int
    files: int
    widgets: int
    objects: int


def usage() -> Usage:
    """Resident MiB, threads, open files (0 where the system does not say), widgets, Python's tracked objects."""
    gc.collect()
    memory, opened = Path("/proc/self/statm"), Path("/proc/self/fd")
    pages = int(memory.read_text().split()[1]) if memory.exists() else 0
    files = len(list(opened.iterdir())) if opened.is_dir() else 0
    widgets = len(QApplication.allWidgets())
    return Usage(pages * 4096 >> 20, threading.active_count(), files, widgets, len(gc.get_objects()))


class Watch:
    """Takes the usage every tenth of a part."""

    def __init__(self, title: str, *, allowed: Usage = Usage(ALLOWED_MIB, 2, 8, 0, 20_000)) -> None:  # noqa: B008 - a tuple
        self.title, self.allowed = title, allowed
        self.marks: list[Usage] = []

    def mark(self, done: str) -> None:
        """One line."""
        self.marks.append(usage())
        found = ", ".join(f"{value:,} {name}" for name, value in zip(Usage._fields, self.marks[-1], strict=True))
        sys.stdout.write(f"{self.title}: {done}: {found}\n")
        sys.stdout.flush()

    def grew(self) -> list[str]:
        """What the second half added beyond what it may."""
        half, last = self.marks[len(self.marks) // 2], self.marks[-1]
        return [
            f"{self.title}: {name} {before:,} -> {after:,}"
            for name, before, after, more in zip(Usage._fields, half, last, self.allowed, strict=True)
            if after > before + more
        ]


def each_tenth(count: int, watch: Watch) -> Iterator[int]:
    """0 to `count`, watched."""
    for number in range(count):
        if number % max(1, count // 10) == 0:
            watch.mark(f"{number:,}")
        yield number
    watch.mark(f"{count:,}")


def recomputes(window: MainWindow, count: int) -> Watch:
    """Edits of every kind that changes the numbers, each derived and redrawn."""
    watch = Watch("recomputes")
    for number in each_tenth(count, watch):
        window.bridge.edit("", lambda session, n=number: actions.set_context(session, 1000 + n * 13 % 100_000))  # type: ignore[misc]  # a default binds the number
        if number % 5 == 0:
            engine = NAMES[number // 5 % len(NAMES)]
            window.bridge.edit("", lambda session, name=engine: actions.set_engine(session, name))  # type: ignore[misc]  # the same
        window.bridge.flush()
        QApplication.processEvents()
    return watch


def look_ups(count: int, rng: random.Random) -> Watch:
    """Through the client, every seventeenth cancelled."""
    from kvdesk.hub.cancel import Cancel

    watch = Watch("look-ups")
    done = 0
    with hub_that_fails(rng) as hub, tempfile.TemporaryDirectory() as folder:
        settings = Settings(endpoint=hub.url, cache=Path(folder), read=0.5, total=2, backoff=0.01)
        for number in each_tenth(count, watch):
            hub.requests.clear()
            cancel = Cancel()
            if number % 17 == 0:
                timer = threading.Timer(0.002, cancel.set)
                timer.start()
            try:
                client.look_up(HubRef(f"org/model{number % REPOSITORIES}"), settings=settings, cancel=cancel)
                done += 1
            except KvdeskError:
                pass
    sys.stdout.write(f"look-ups: {done:,} arrived, {count - done:,} failed or were cancelled\n")
    return watch


def reports(count: int) -> Watch:
    """PDFs of the default scenario in all engines."""
    watch = Watch("reports")
    deriver = Deriver()
    with tempfile.TemporaryDirectory() as folder:
        for number in each_tenth(count, watch):
            session = actions.set_engine(default_session(), NAMES[number % len(NAMES)])
            details = reporting.ReportDetails(title=f"Number {number}", date="2026-11-29")
            path = Path(folder) / "report.pdf"
            reporting.write(session, deriver.derive(session), path, details, fmt="pdf")
    return watch


@contextmanager
def hub_that_fails(rng: random.Random) -> Iterator[FakeHub]:
    """One request in eight fails."""
    with serve() as hub:
        fill(hub)
        hub.fault = lambda request: failing(rng, request)
        yield hub


# ------------------------------------------------------------------------------------------------ the window, at random


def use(window: MainWindow, seconds: float, rng: random.Random) -> Watch:
    """Clicks, keys, texts, actions, sizes and look-ups, in any order."""
    # The history of 2,000 steps fills up, and rows of up to eight GPUs are kept for the next time.
    watch = Watch("random use", allowed=Usage(3 * ALLOWED_MIB, 2, 8, 100, 20_000))
    steps = arrived = 0

    def count(*_: object) -> None:
        nonlocal arrived
        arrived += 1

    window.bridge.looked_up.connect(count)
    # A button's menu has an event loop of its own, which ends only when the menu closes.
    closing = QTimer(interval=500)
    closing.timeout.connect(close_popups)
    closing.start()
    with hub_that_fails(rng) as hub:
        os.environ["HF_ENDPOINT"] = hub.url
        end, turn = time.monotonic() + seconds, 0.0
        while time.monotonic() < end:
            if time.monotonic() >= turn:
                at_rest(window)
                watch.mark(f"{steps:,} steps, {arrived:,} look-ups arrived")
                turn = time.monotonic() + seconds / 10
            # A step that never ends is told with the place it hangs in.
            faulthandler.dump_traceback_later(HANG, exit=True)
            rng.choice(STEPS)(window, rng)
            faulthandler.cancel_dump_traceback_later()
            steps += 1
            if rng.random() < 0.2:
                QApplication.processEvents()
            if steps % 50 == 0:
                hub.requests.clear()
                close_dialogs(window)
        closing.stop()
        at_rest(window)
        watch.mark(f"{steps:,} steps, {arrived:,} look-ups arrived")
    return watch


def at_rest(window: MainWindow) -> None:
    """The default scenario, no dialog and no job, so that two moments can be compared."""
    close_dialogs(window)
    window.bridge.cancel_look_up()
    window.bridge.dismiss_look_up_error()
    window.bridge.store.open(workspace.of(default_session()))
    window.parts.plots.tabs.setCurrentIndex(0)
    window.parts.details.tabs.setCurrentIndex(0)
    window.resize(1280, 720)
    window.bridge.flush()
    QTest.qWait(300)


def close_dialogs(window: MainWindow) -> None:
    """As by Esc."""
    for dialog in window.findChildren(QDialog):
        dialog.reject()
    close_popups()


def close_popups() -> None:
    """Menus and lists."""
    while (popup := QApplication.activePopupWidget()) is not None:
        popup.close()


def _visible(window: MainWindow, rng: random.Random) -> QWidget:
    found = [one for one in window.findChildren(QWidget) if one.isVisible() and one.isEnabled()]
    return rng.choice(found)


def _click(window: MainWindow, rng: random.Random) -> None:
    target = _visible(window, rng)
    at = QPoint(rng.randrange(max(1, target.width())), rng.randrange(max(1, target.height())))
    QTest.mouseClick(target, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, at)


def _type(window: MainWindow, rng: random.Random) -> None:
    target = QApplication.focusWidget() or window
    for letter in rng.choice(TEXTS)[: rng.choice((1, 3, 300))]:
        # Not QTest.keyClicks, which ends the process at a letter that is on no keyboard it knows.
        event = QKeyEvent(QEvent.Type.KeyPress, 0, Qt.KeyboardModifier.NoModifier, letter)
        QApplication.sendEvent(QApplication.focusWidget() or target, event)


def _key(window: MainWindow, rng: random.Random) -> None:
    QTest.keySequence(QApplication.focusWidget() or window, QKeySequence(rng.choice(KEYS)))


def _act(window: MainWindow, rng: random.Random) -> None:
    action = window.actions_by_id[rng.choice([spec.id for spec in TABLE if spec.id not in NOT_BY_CHANCE])]
    if action.isEnabled():
        action.trigger()


def _look_up(window: MainWindow, rng: random.Random) -> None:
    window.bridge.look_up(f"org/model{rng.randrange(REPOSITORIES + 3)}")


def _edit(window: MainWindow, rng: random.Random) -> None:
    name, format_ = rng.choice(NAMES), rng.choice(["auto", *FORMATS])
    number = rng.choice((0, 1, 7, 4096, 10**6, 2**53))
    change: Callable[[], None] = rng.choice(
        (
            lambda: window.bridge.edit("", lambda session: actions.set_engine(session, name)),
            lambda: window.bridge.edit("", lambda session: actions.set_kv_dtype(session, format_)),
            lambda: window.bridge.edit("", lambda session: actions.set_context(session, number)),
            lambda: window.bridge.edit("", lambda session: actions.override(session, "num_key_value_heads", number)),
            lambda: window.bridge.select_option(number % 5),
        )
    )
    change()


def _resize(window: MainWindow, rng: random.Random) -> None:
    window.resize(rng.randrange(300, 2500), rng.randrange(200, 1600))


def _open(window: MainWindow, rng: random.Random) -> None:
    window.open_text(rng.choice(TEXTS))


STEPS = (_click, _click, _click, _type, _key, _key, _act, _act, _look_up, _edit, _edit, _resize, _open)


def main() -> int:
    """Run the parts and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    for name, default in (("recomputes", 10_000), ("look-ups", 1_000), ("reports", 200), ("seconds", 600), ("seed", 1)):
        parser.add_argument(f"--{name}", type=int, default=default)
    asked = parser.parse_args()
    rng = random.Random(asked.seed)  # noqa: S311 - a repeatable sequence is wanted
    uncaught: list[str] = []

    def keep(kind: type[BaseException], error: BaseException, where: TracebackType | None) -> None:
        uncaught.append(repr(error))
        sys.__excepthook__(kind, error, where)

    sys.excepthook = keep
    for chooser in ("getOpenFileName", "getSaveFileName"):
        setattr(QFileDialog, chooser, lambda *_, **__: ("", ""))
    QInputDialog.getText = lambda *_, **__: ("", False)  # type: ignore[method-assign]  # no dialog that waits
    qInstallMessageHandler(lambda *_: None)  # the offscreen platform says what it cannot do at every window
    app = QApplication([])
    window = build(app)
    window.resize(1280, 720)
    window.show()
    QTest.qWait(1000)
    watches = [recomputes(window, asked.recomputes), look_ups(asked.look_ups, rng), reports(asked.reports)]
    watches.append(use(window, asked.seconds, rng))
    window.close()
    # The offscreen platform keeps the clipboard until after Python has ended, and what Python made cannot end there.
    QApplication.clipboard().clear()
    faults = [line for watch in watches for line in watch.grew()] + uncaught
    sys.stdout.write("\n".join(faults or ["flat"]) + "\n")
    return 1 if faults else 0


if __name__ == "__main__":
    raise SystemExit(main())
