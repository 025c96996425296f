"""What random use of the window has found."""

import pytest
from PySide6.QtWidgets import QApplication

from kvdesk.app import actions, scenarios
from kvdesk.app.defaults import default_session
from kvdesk.app.session import GpuChoice
from kvdesk.core.device import DeviceMemory
from kvdesk.gui.main_window import MainWindow


def test_a_row_of_a_gpu_that_is_gone_changes_nothing() -> None:
    """The field of a row spoke after an undo had taken the row's GPU away and before the window was drawn anew."""
    session = default_session()
    for index in (len(session.gpus), 7, -1):
        assert actions.set_gpu(session, index, GpuChoice(gpu="l40s")) is session
    assert actions.set_gpu(session, 0, GpuChoice(gpu="l40s")).gpus == (GpuChoice(gpu="l40s"),)


@pytest.mark.parametrize("kind", DeviceMemory)
def test_the_choice_of_device_memory_is_saved_and_copied(window: MainWindow, kind: DeviceMemory) -> None:
    """It came back from Qt as a plain text, with which neither the command line nor the autosave could be written."""
    window.parts.serving.fold.button.click()
    box = window.parts.serving.memory
    at = box.findData(kind)
    box.setCurrentIndex(at)
    box.activated.emit(at)
    window.bridge.flush()
    assert window.bridge.store.session.device_memory is kind
    window.actions_by_id["edit.copy_command"].trigger()
    assert f"--device-memory {kind.value}" in QApplication.clipboard().text()
    window.documents.keep()
    assert scenarios.read(window.documents._autosave.path).session.device_memory is kind
