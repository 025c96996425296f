#!/bin/sh
# Builds dist/kvdesk-VERSION-x64.msi from a Windows build in dist/kvdesk, with wixl and wixl-heat of msitools.
#   sh packaging/windows/msi.sh [FOLDER]
set -eu
cd "$(dirname "$0")/../.."
folder=${1:-dist/kvdesk}
[ -f "$folder/kvdesk.exe" ] || { echo "$folder has no kvdesk.exe: packaging/freeze.ps1 builds it on Windows" >&2; exit 2; }
version=$(sed -n 's/^__version__ = "\(.*\)"/\1/p' kvdesk/__init__.py)
mkdir -p build
(cd "$folder" && find . -type f | LC_ALL=C sort) |
    wixl-heat -p '' --component-group Program --var var.SourceDir --directory-ref INSTALLDIR --win64 >build/files.wxs
wixl -a x64 -D SourceDir="$folder" -D Icons=build/icons -D Version="$version" -D Win64=yes \
    -o "dist/kvdesk-$version-x64.msi" packaging/windows/kvdesk.wxs build/files.wxs
du -m "dist/kvdesk-$version-x64.msi" | awk '{ print $2 ": " $1 " MiB" }'
