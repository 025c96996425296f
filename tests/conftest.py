"""What holds for every test: no display, no network, no trace in the user's home, no thread left behind."""

import os
import socket
import sys
import tempfile
import threading
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# A busy machine is no defect of what is tested.
settings.register_profile("kvdesk", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("kvdesk")

# Before any import of Qt: the platform is chosen once for a process. A test that needs a real X server starts
# kvdesk in a process of its own.
os.environ["QT_QPA_PLATFORM"] = "offscreen"
os.environ["PYQTGRAPH_QT_LIB"] = "PySide6"

_PRIVATE = ("HF_TOKEN", "HUGGING_FACE_HUB_TOKEN", "HF_ENDPOINT", "HF_HUB_OFFLINE", "HF_HUB_CACHE", "HF_TOKEN_PATH")
_PROXIES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY")
for _name in (*_PRIVATE, *_PROXIES, *(proxy.lower() for proxy in _PROXIES)):
    os.environ.pop(_name, None)
# huggingface_hub reads its folder when it is imported, which may be before the first test's own folder exists.
os.environ["HF_HOME"] = str(Path(tempfile.gettempdir()) / f"kvdesk-tests-{os.getpid()}" / "hf")

_LOOPBACK = ("127.", "::1", "localhost")


class NetworkForbiddenError(RuntimeError):
    """A test tried to reach something other than this machine."""


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """New folders of their own: pytest numbers its folders by reading all that are there, each time anew."""
    base = tmp_path_factory.mktemp("homes")
    return (base / str(number) for number in count())


@pytest.fixture(autouse=True)
def home(homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A new home for each test, with the places for settings, cache, data and state of every system in it."""
    folder = next(homes)
    folder.mkdir()
    places = {
        "HOME": "",
        "USERPROFILE": "",
        "APPDATA": "AppData/Roaming",
        "LOCALAPPDATA": "AppData/Local",
        "XDG_CONFIG_HOME": ".config",
        "XDG_CACHE_HOME": ".cache",
        "XDG_DATA_HOME": ".local/share",
        "XDG_STATE_HOME": ".local/state",
        "XDG_RUNTIME_DIR": ".run",
        "HF_HOME": ".cache/huggingface",
    }
    for name, below in places.items():
        monkeypatch.setenv(name, str(folder / below))
    (folder / ".run").mkdir(mode=0o700)
    _settings_in(folder)
    return folder


@pytest.fixture(autouse=True)
def only_loopback(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Connections to other machines and look-ups of their names fail, and so does the test that made them."""
    tried: list[str] = []
    real_connect, real_connect_ex, real_look_up = socket.socket.connect, socket.socket.connect_ex, socket.getaddrinfo

    def refuse(host: object) -> None:
        if not (isinstance(host, str) and (host.startswith(_LOOPBACK) or host.endswith((".invalid", ".localhost")))):
            tried.append(str(host))
            raise NetworkForbiddenError(f"a test may reach loopback only, not {host!r}")

    def check(address: object) -> None:
        if isinstance(address, tuple):  # a path is a Unix socket
            refuse(address[0])

    def connect(self: socket.socket, address: object) -> None:
        check(address)
        real_connect(self, address)  # type: ignore[arg-type]  # handed on as it came

    def connect_ex(self: socket.socket, address: object) -> int:
        check(address)
        return real_connect_ex(self, address)  # type: ignore[arg-type]  # handed on as it came

    def look_up(host: object, *rest: object, **named: object) -> object:
        if host is not None:
            refuse(host.decode() if isinstance(host, bytes) else host)
        return real_look_up(host, *rest, **named)  # type: ignore[arg-type]  # handed on as it came

    monkeypatch.setattr(socket.socket, "connect", connect)
    monkeypatch.setattr(socket.socket, "connect_ex", connect_ex)
    monkeypatch.setattr(socket, "getaddrinfo", look_up)
    yield
    assert not tried, f"the test tried to reach {', '.join(tried)}"


@pytest.fixture(autouse=True)
def no_thread_left() -> Iterator[None]:
    """Threads that a test starts end with it; daemon threads belong to test servers and to the interpreter."""
    before = set(threading.enumerate())
    yield
    left = [thread for thread in threading.enumerate() if thread not in before and not thread.daemon]
    for thread in left:
        thread.join(timeout=2)
    assert not [thread.name for thread in left if thread.is_alive()]


def _settings_in(folder: Path) -> None:
    """QSettings below `folder`: Qt reads the environment for it only once in a process."""
    core = sys.modules.get("PySide6.QtCore")
    if core is not None:
        for form in (core.QSettings.Format.NativeFormat, core.QSettings.Format.IniFormat):
            core.QSettings.setPath(form, core.QSettings.Scope.UserScope, str(folder / ".config"))
