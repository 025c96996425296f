"""`kvdesk` without a command: the window, or the default sizing where no display can be reached."""

import os
import sys
from pathlib import Path

from kvdesk.cli.output import say
from kvdesk.core.errors import UsageError

_NO_DISPLAY = "No display can be reached, so kvdesk prints the sizing of its default scenario instead of a window."

_NO_QT = "Qt cannot be loaded here ({reason}), so kvdesk prints the sizing of its default scenario instead of a window."


def main(argv: list[str]) -> int:
    """Open the window with an optional scenario file, id or path."""
    if len(argv) > 1 or (argv and argv[0].startswith("-")):
        raise UsageError("usage", f"kvdesk does not know “{' '.join(argv)[:80]}”.", "", "See kvdesk --help.")
    if not display_reachable():
        return _default_sizing(argv, _NO_DISPLAY)
    try:
        from kvdesk.gui.main import run
    except ImportError as error:
        if ".so" not in str(error):
            raise
        # Qt without a library of the system, such as libEGL.so.1: as far from a window as without a display.
        return _default_sizing(argv, _NO_QT.format(reason=error))
    return run(argv)


def _default_sizing(argv: list[str], sentence: str) -> int:
    say(sentence + "\n")
    from kvdesk.app.session import DEFAULT_MODEL
    from kvdesk.cli import size_command

    return size_command.main([argv[0] if argv else DEFAULT_MODEL])


def display_reachable() -> bool:
    """Whether a window can be shown: always on Windows and macOS, else by an X or Wayland display or Qt platform."""
    if sys.platform in ("win32", "darwin"):
        return True
    if os.environ.get("QT_QPA_PLATFORM", "").split(":")[0] in ("offscreen", "minimal", "vnc", "linuxfb", "eglfs"):
        return True
    return _x_display_answers() or _wayland_socket_exists()


def _wayland_socket_exists() -> bool:
    name = os.environ.get("WAYLAND_DISPLAY", "")
    if not name:
        return False
    return (Path(os.environ.get("XDG_RUNTIME_DIR", "/")) / name).exists()


def _x_display_answers() -> bool:
    """Whether the X server named by DISPLAY accepts a connection (Qt aborts the process where it does not)."""
    import socket

    host, _, rest = os.environ.get("DISPLAY", "").rpartition(":")
    number = rest.split(".")[0]
    if not number.isdigit():
        return False
    if host in ("", "unix"):
        # Where X servers listen, as a file and as an abstract socket of that name.
        address = f"/tmp/.X11-unix/X{number}"  # noqa: S108  # the X server's place, not a temporary file of ours
        return _connects(socket.AF_UNIX, address) or _connects(socket.AF_UNIX, f"\0{address}")
    return _connects(socket.AF_INET, (host, 6000 + int(number)))


def _connects(family: int, address: str | tuple[str, int]) -> bool:
    import socket

    try:
        with socket.socket(family, socket.SOCK_STREAM) as probe:
            probe.settimeout(1.0)
            probe.connect(address)
    except OSError:
        return False
    return True
