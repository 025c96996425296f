"""Pictures of the window for the eye: every theme, two sizes, several scenarios.

QT_QPA_PLATFORM=offscreen python tests/scripts/screenshots.py FOLDER
"""

import os
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
os.environ["XDG_CONFIG_HOME"] = tempfile.mkdtemp()
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from kvdesk.app import actions
from kvdesk.app.session import GpuChoice
from kvdesk.gui.main import build
from kvdesk.gui.main_window import MainWindow

SIZES = ((1280, 720), (2560, 1440))
THEMES = ("light", "dark", "high contrast")


def scenario(window: MainWindow) -> None:
    """Three options, one of which does not fit."""
    bridge = window.bridge
    for change in (
        lambda s: actions.add_gpu(s, GpuChoice(gpu="l40s", count=1)),
        lambda s: actions.add_gpu(s, GpuChoice(gpu="h200-sxm", count=1)),
        lambda s: actions.set_context(s, 32768),
        lambda s: actions.set_sequences(s, 12),
    ):
        bridge.edit("", change)
    bridge.flush()


def main(folder: Path) -> None:
    """Take all pictures."""
    folder.mkdir(parents=True, exist_ok=True)
    app = QApplication([])
    window = build(app)
    window.show()
    scenario(window)
    for width, height in SIZES:
        window.resize(width, height)
        for name in THEMES:
            window.settings.theme = name
            window.follow_theme()
            QTest.qWait(300)
            window.grab().save(str(folder / f"{name.replace(' ', '-')}-{width}.png"))
    window.close()


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "screenshots"))
