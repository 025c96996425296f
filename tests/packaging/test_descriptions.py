"""The descriptions of kvdesk for each system say the same: name, version, file type."""

import configparser
import plistlib
import re
import shutil
import subprocess
from xml.etree import ElementTree as ET

import pytest

from kvdesk import __version__
from tests.packaging.scripts import PACKAGING, ROOT

MIME = "application/x-kvdesk+json"
LINUX = PACKAGING / "linux"


def test_desktop_entry_opens_scenario_files() -> None:
    parser = configparser.ConfigParser(interpolation=None)
    parser.read(LINUX / "kvdesk.desktop", encoding="utf-8")
    entry = parser["Desktop Entry"]
    assert entry["MimeType"] == f"{MIME};"
    assert entry["Exec"] == "kvdesk %f"
    assert entry["Icon"] == "kvdesk"


def test_mime_type_is_json_by_the_name_of_the_file() -> None:
    root = ET.parse(LINUX / "kvdesk.xml").getroot()
    space = "{http://www.freedesktop.org/standards/shared-mime-info}"
    kind = root.find(f"{space}mime-type")
    assert kind is not None
    assert kind.get("type") == MIME
    assert [glob.get("pattern") for glob in kind.iter(f"{space}glob")] == ["*.kvdesk"]
    assert [parent.get("type") for parent in kind.iter(f"{space}sub-class-of")] == ["application/json"]


def test_metainfo_names_this_version_and_the_desktop_entry() -> None:
    root = ET.parse(LINUX / "kvdesk.metainfo.xml").getroot()
    assert root.findtext("launchable") == "kvdesk.desktop"
    release = root.find("releases/release")
    assert release is not None
    assert release.get("version") == __version__
    assert root.findtext("provides/mediatype") == MIME


def test_property_list_exports_the_file_type() -> None:
    info = plistlib.loads((PACKAGING / "macos" / "Info.plist").read_bytes())
    kind = info["UTExportedTypeDeclarations"][0]
    assert kind["UTTypeTagSpecification"] == {"public.filename-extension": ["kvdesk"], "public.mime-type": [MIME]}
    assert info["CFBundleDocumentTypes"][0]["LSItemContentTypes"] == [kind["UTTypeIdentifier"]]
    # The macOS wheels of PySide6 6.12 are tagged macosx_14_0.
    assert info["LSMinimumSystemVersion"] == "14.0"


def test_entitlements_are_no_more_than_python_and_replaceable_qt_need() -> None:
    allowed = plistlib.loads((PACKAGING / "macos" / "entitlements.plist").read_bytes())
    assert allowed == {
        "com.apple.security.cs.allow-unsigned-executable-memory": True,
        "com.apple.security.cs.disable-library-validation": True,
    }


def test_windows_installers_register_the_same_file_type() -> None:
    setup = (PACKAGING / "windows" / "setup.nsi").read_text(encoding="utf-8")
    assert f'"${{CLASSES}}\\.kvdesk" "Content Type" "{MIME}"' in setup
    assert "RequestExecutionLevel user" in setup
    package = (PACKAGING / "windows" / "kvdesk.wxs").read_text(encoding="utf-8")
    assert 'Key="Software\\Classes\\.kvdesk"' in package


def test_the_changelog_has_this_version() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert re.search(rf"^## {re.escape(__version__)}\b", changes, re.MULTILINE)


@pytest.mark.parametrize(
    "command",
    [
        ["desktop-file-validate", str(LINUX / "kvdesk.desktop")],
        ["appstreamcli", "validate", "--no-net", str(LINUX / "kvdesk.metainfo.xml")],
    ],
    ids=lambda command: command[0],
)
def test_the_validators_of_the_desktop_are_content(command: list[str]) -> None:
    # Where a machine has them; the release workflow installs them and runs them again.
    if shutil.which(command[0]):
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
