#!/bin/sh
# Lays out what a Linux package installs: sh packaging/linux/tree.sh FOLDER, from dist/kvdesk and build/icons.
set -eu
cd "$(dirname "$0")/../.."
tree=$1
here=packaging/linux

rm -rf "$tree"
mkdir -p "$tree/usr/lib" "$tree/usr/bin"
cp -a dist/kvdesk "$tree/usr/lib/kvdesk"
ln -s ../lib/kvdesk/kvdesk "$tree/usr/bin/kvdesk"
install -Dm644 $here/kvdesk.desktop "$tree/usr/share/applications/kvdesk.desktop"
install -Dm644 $here/kvdesk.xml "$tree/usr/share/mime/packages/kvdesk.xml"
install -Dm644 $here/kvdesk.metainfo.xml "$tree/usr/share/metainfo/io.github.kvdesk.kvdesk.metainfo.xml"
install -Dm644 resources/icons/kvdesk.svg "$tree/usr/share/icons/hicolor/scalable/apps/kvdesk.svg"
for size in 16 24 32 48 64 128 256 512; do
    install -Dm644 "build/icons/kvdesk-$size.png" "$tree/usr/share/icons/hicolor/${size}x$size/apps/kvdesk.png"
done
mkdir -p "$tree/usr/share/man/man1"
gzip -9nc $here/kvdesk.1 >"$tree/usr/share/man/man1/kvdesk.1.gz"
find "$tree" -type d -exec chmod 755 {} +
