"""Pictures of the window for the eye: every panel, its states, the themes, two sizes.

QT_QPA_PLATFORM=offscreen python tests/scripts/screenshots.py FOLDER [NAME ...]
"""

import os
import sys
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp()
os.environ["XDG_DATA_HOME"] = tempfile.mkdtemp()
ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QDialog

from kvdesk.app import actions, lookup
from kvdesk.app.session import GpuChoice
from kvdesk.app.workspace import Workspace
from kvdesk.core.errors import SourceError
from kvdesk.gui.dialogs.plain import PlainDialog
from kvdesk.gui.main import build
from kvdesk.gui.main_window import MainWindow
from kvdesk.gui.view import LookUp

SIZES = {"1024": (1024, 720), "1280": (1280, 720), "1440": (1440, 900), "2560": (2560, 1440)}
LOG = """\
INFO 11-29 [utils.py:233] non-default args: {'model': 'meta-llama/Llama-3.1-8B-Instruct', 'max_model_len': 131072}
INFO 11-29 [core.py:58] Initializing a V1 LLM engine (v0.11.0) with config: model='meta-llama/Llama-3.1-8B-Instruct'
INFO 11-29 [gpu_model_runner.py:2653] Model loading took 14.9889 GiB and 2.37 seconds
INFO 11-29 [gpu_worker.py:298] Available KV cache memory: 54.50 GiB
INFO 11-29 [kv_cache_utils.py:1087] GPU KV cache size: 446,464 tokens
INFO 11-29 [kv_cache_utils.py:1091] Maximum concurrency for 131,072 tokens per request: 3.41x
"""


def default(window: MainWindow) -> None:
    """As it starts."""


def three(window: MainWindow) -> None:
    """Three options, one of which does not fit."""
    edit = window.bridge.edit
    edit("", lambda s: actions.add_gpu(s, GpuChoice(gpu="l40s")))
    edit("", lambda s: actions.add_gpu(s, GpuChoice(gpu="h200-sxm")))
    edit("", lambda s: actions.set_context(s, 32768))
    edit("", lambda s: actions.set_sequences(s, 12))


def hybrid(window: MainWindow) -> None:
    """A hybrid model on several GPUs."""
    model = lookup.load("qwen3-next-80b-a3b")
    window.bridge.edit("", lambda s: actions.set_model(s, model))
    window.bridge.edit("", lambda s: actions.set_gpu(s, 0, GpuChoice(gpu="h200-sxm", count=2)))
    window.bridge.edit("", lambda s: actions.set_context(s, 131072))
    window.parts.details.show_page(window.parts.layers)


def overridden(window: MainWindow) -> None:
    """Values typed over, the fold open."""
    three(window)
    window.bridge.edit("", lambda s: actions.override(s, "num_key_value_heads", 4))
    window.bridge.edit("", lambda s: actions.override(s, "num_hidden_layers", 24))
    window.bridge.edit("", lambda s: actions.set_kv_dtype(s, "fp8"))
    window.bridge.edit("", lambda s: actions.set_utilization(s, 0.9))
    window.parts.serving.fold.button.click()


def stacked(window: MainWindow) -> None:
    """Parts of memory stacked, a budget line open, the crosshair set."""
    three(window)
    window.bridge.flush()
    window.parts.plots.stacked.setChecked(True)
    tree = window.parts.budget.tree
    tree.setExpanded(window.parts.budget.model.index(5, 0), True)
    if window.parts.plots.plot:
        window.parts.plots.plot.point_at(40)


def plot(at: int) -> Callable[[MainWindow], None]:
    """One of the plots."""

    def show(window: MainWindow) -> None:
        three(window)
        window.bridge.edit("", lambda s: actions.set_context(s, 32769))
        window.bridge.edit("", lambda s: actions.set_shared_prefix(s, 64))
        window.parts.plots.tabs.setCurrentIndex(at)

    return show


def compare(window: MainWindow) -> None:
    """Three scenarios side by side."""
    three(window)
    window.bridge.arrange("", Workspace.duplicated)
    window.bridge.edit("", lambda s: actions.set_kv_dtype(s, "fp8"))
    window.bridge.arrange("", Workspace.duplicated)
    window.bridge.edit("", lambda s: actions.set_engine(s, "plain"))
    window.parts.details.show_page(window.parts.compare)
    window.parts.plots.tabs.setCurrentIndex(window.parts.plots.tabs.count() - 1)


def plan(window: MainWindow) -> None:
    """The decision table."""
    three(window)
    window.bridge.edit("", lambda s: actions.set_sequences(s, 200))
    window.parts.details.show_page(window.parts.plan)


def findings(window: MainWindow) -> None:
    """Findings."""
    three(window)
    window.bridge.edit("", lambda s: actions.set_context(s, 200_000))
    window.parts.details.show_page(window.parts.findings)


def log(window: MainWindow) -> None:
    """A log beside our figures."""
    window.parts.details.show_page(window.parts.log)
    window.parts.log.text.setPlainText(LOG)
    window.parts.log.read()


def failed(window: MainWindow) -> None:
    """A look-up that failed."""
    error = SourceError(
        "gated-model",
        "meta-llama/Llama-4-Scout is gated.",
        "Its owner asks every user to accept conditions first.",
        "Accept them on its page at huggingface.co, then sign in with a token of that account.",
    )
    window.bridge._look_up = LookUp(text="meta-llama/Llama-4-Scout", error=error)
    window.parts.bar.field.setText("meta-llama/Llama-4-Scout")
    window.bridge.touch()


def missed(window: MainWindow) -> None:
    """A look-up that missed, with what may have been meant."""
    three(window)
    error = SourceError(
        "model-not-found",
        "There is no model Qwen/Qwen3-8C on the Hub, or it is private.",
        "Did you mean Qwen/Qwen3-8B or Qwen/Qwen3-8B-Base?",
        suggestions=("Qwen/Qwen3-8B", "Qwen/Qwen3-8B-Base"),
    )
    window.bridge._look_up = LookUp(text="Qwen/Qwen3-8C", error=error)
    window.parts.bar.field.setText("Qwen/Qwen3-8C")
    window.bridge.touch()


def crowded(window: MainWindow) -> None:
    """Four options in four scenarios."""
    for gpu in ("h200-sxm", "l40s", "b200"):
        window.bridge.edit("", partial(actions.add_gpu, choice=GpuChoice(gpu=gpu)))
    window.bridge.edit("", lambda s: actions.set_sequences(s, 20))
    for engine in ("plain", "sglang", "llama_cpp"):
        window.bridge.arrange("", Workspace.duplicated)
        window.bridge.edit("", partial(actions.set_engine, name=engine))
    window.parts.details.show_page(window.parts.compare)
    window.parts.plots.tabs.setCurrentIndex(window.parts.plots.tabs.count() - 1)


def out_of_date(window: MainWindow) -> None:
    """The last good result below an input that makes no sense."""
    three(window)
    window.bridge.flush()
    window.bridge.edit("Shared prefix", lambda s: actions.set_shared_prefix(s, 90_000))


def loading(window: MainWindow) -> None:
    """A look-up under way."""
    window.bridge._look_up = LookUp(text="Qwen/Qwen3-8B", running=True, visible=True)
    window.parts.bar.field.setText("Qwen/Qwen3-8B")
    window.bridge.touch()


def readme(window: MainWindow) -> None:
    """The picture of README: a hybrid model on three kinds of GPU."""
    model = lookup.load("qwen3-next-80b-a3b")
    window.bridge.edit("", lambda s: actions.set_model(s, model))
    window.bridge.edit("", lambda s: actions.set_gpu(s, 0, GpuChoice(gpu="h200-sxm", count=2)))
    window.bridge.edit("", lambda s: actions.add_gpu(s, GpuChoice(gpu="h100-sxm", count=4)))
    window.bridge.edit("", lambda s: actions.add_gpu(s, GpuChoice(gpu="l40s", count=4)))
    window.bridge.edit("", lambda s: actions.set_context(s, 131072))
    window.bridge.edit("", lambda s: actions.set_sequences(s, 24))


def empty(window: MainWindow) -> None:
    """No model."""
    from dataclasses import replace

    window.bridge.edit("", lambda s: replace(s, model=None))


def refused(window: MainWindow) -> None:
    """A workload that makes no sense."""
    window.bridge.edit("", lambda s: actions.set_shared_prefix(s, 9000))


def action(name: str) -> Callable[[MainWindow], None]:
    """A dialog."""
    return lambda window: window.actions_by_id[name].trigger()


SCENES: dict[str, Callable[[MainWindow], None]] = {
    "default": default,
    "three": three,
    "hybrid": hybrid,
    "overridden": overridden,
    "stacked": stacked,
    "sequences": plot(1),
    "allocated": plot(2),
    "blocks": plot(3),
    "compare": compare,
    "plan": plan,
    "findings": findings,
    "log": log,
    "failed": failed,
    "missed": missed,
    "crowded": crowded,
    "out-of-date": out_of_date,
    "loading": loading,
    "readme": readme,
    "empty": empty,
    "refused": refused,
    "dialog-report": action("file.export_pdf"),
    "dialog-search": action("help.search"),
    "dialog-shortcuts": action("help.shortcuts"),
    "dialog-about": action("help.about"),
    "dialog-settings": action("edit.settings"),
    "dialog-sign-in": action("model.sign_in"),
    "dialog-value": action("model.value"),
}


def take(app: QApplication, folder: Path, name: str, theme: str, size: str) -> None:
    """One picture of a window made for it."""
    window = build(app)
    window.resize(*SIZES[size])
    window.show()
    QTest.qWait(50)
    window.settings.theme = theme
    window.follow_theme()
    SCENES[name](window)
    window.bridge.touch()
    QTest.qWait(700)
    dialogs = window.findChildren(PlainDialog)
    target: MainWindow | QDialog = dialogs[0] if dialogs else window
    target.grab().save(str(folder / f"{name}-{theme.replace(' ', '-')}-{size}.png"))
    window.bridge.store.mark_saved(window.bridge.store.workspace)
    window.close()
    window.deleteLater()


def main(arguments: list[str]) -> None:
    """Take the pictures that are named, or all."""
    folder = Path(arguments[0] if arguments else "screenshots")
    folder.mkdir(parents=True, exist_ok=True)
    app = QApplication([])
    for name in arguments[1:] or SCENES:
        for theme in ("light", "dark"):
            take(app, folder, name, theme, "1280")
        take(app, folder, name, "light", "1024")
    if not arguments[1:]:
        for theme in ("light", "dark", "high contrast"):
            take(app, folder, "three", theme, "2560")


if __name__ == "__main__":
    main(sys.argv[1:])
