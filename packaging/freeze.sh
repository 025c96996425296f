#!/bin/sh
# Builds the frozen program dist/kvdesk (on macOS also dist/kvdesk.app) and runs its self-test.
#   sh packaging/freeze.sh
# Set KVDESK_HOME_PAGE to the address where releases are found; About and the packages then name it.
set -eu
cd "$(dirname "$0")/.."
root=$(pwd)
venv=$root/build/venv

KVDESK_VENV=$venv sh packaging/dev.sh setup freeze
rm -rf dist/kvdesk dist/kvdesk.app
"$venv/bin/python" packaging/icons.py build/icons
"$venv/bin/python" packaging/licences.py build/licences
"$venv/bin/python" packaging/build_facts.py build
"$venv/bin/pyinstaller" --noconfirm --log-level WARN --distpath dist --workpath build/pyinstaller packaging/kvdesk.spec

case $(uname -s) in
Linux)
    # Symbols of Qt are gone already, and numpy's libraries do not survive strip.
    find dist/kvdesk/_internal -type f \( -name '*.so' -o -name '*.so.*' \) \
        ! -path '*/numpy.libs/*' ! -path '*/PySide6/Qt/*' -exec strip --strip-unneeded {} + 2>/dev/null || true
    "$venv/bin/python" packaging/linux/prune.py dist/kvdesk
    # Where packages are Debian's; a build on another system is for its own machine.
    if command -v dpkg-query >/dev/null; then
        "$venv/bin/python" packaging/linux/system_licences.py dist/kvdesk
    fi
    find dist/kvdesk -type d -exec chmod 755 {} +
    find dist/kvdesk -type f ! -name kvdesk -exec chmod 644 {} +
    program=dist/kvdesk/kvdesk
    ;;
Darwin) program=dist/kvdesk.app/Contents/MacOS/kvdesk ;;
*) echo "packaging/freeze.ps1 builds on Windows" >&2; exit 2 ;;
esac

QT_QPA_PLATFORM=offscreen "$program" --selftest
du -sm dist/kvdesk | awk '{ print "dist/kvdesk: " $1 " MiB on disk" }'
