"""What random use of the window has found."""

from kvdesk.app import actions
from kvdesk.app.defaults import default_session
from kvdesk.app.session import GpuChoice


def test_a_row_of_a_gpu_that_is_gone_changes_nothing() -> None:
    """The field of a row spoke after an undo had taken the row's GPU away and before the window was drawn anew."""
    session = default_session()
    for index in (len(session.gpus), 7, -1):
        assert actions.set_gpu(session, index, GpuChoice(gpu="l40s")) is session
    assert actions.set_gpu(session, 0, GpuChoice(gpu="l40s")).gpus == (GpuChoice(gpu="l40s"),)
