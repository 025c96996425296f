"""The window and the loopback Hub of the tests of the window."""

from tests.gui.conftest import fake_hub, made, window

__all__ = ["fake_hub", "made", "window"]
