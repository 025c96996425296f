#!/bin/sh
# Builds dist/kvdesk-VERSION-x86_64.AppImage: the pinned official runtime, then a squashfs of the program.
#   sh packaging/linux/appimage.sh [RUNTIME]
# RUNTIME is a file to use in place of the download; its checksum must be the pinned one all the same.
set -eu
cd "$(dirname "$0")/../.."

# https://github.com/AppImage/type2-runtime, release 20251108 (commit dd6cebedcbddde9c82f89b011e8e1d40b6e43868)
runtime_page=https://github.com/AppImage/type2-runtime/releases/download/20251108/runtime-x86_64
runtime_sha256=2fca8b443c92510f1483a883f60061ad09b46b978b2631c807cd873a47ec260d

[ "$(uname -m)" = x86_64 ] || { echo "the runtime is pinned for x86_64 only" >&2; exit 2; }
[ -x dist/kvdesk/kvdesk ] || sh packaging/freeze.sh
version=$(sed -n 's/^__version__ = "\(.*\)"/\1/p' kvdesk/__init__.py)
folder=build/AppDir
sh packaging/linux/tree.sh $folder
ln -s usr/lib/kvdesk/kvdesk $folder/AppRun
cp packaging/linux/kvdesk.desktop $folder/kvdesk.desktop
cp resources/icons/kvdesk.svg $folder/kvdesk.svg
ln -s kvdesk.svg $folder/.DirIcon

squashfs=build/kvdesk.squashfs
rm -f $squashfs
mksquashfs $folder $squashfs -root-owned -noappend -no-progress -quiet -comp zstd -Xcompression-level 19 -b 1M \
    -all-time "${SOURCE_DATE_EPOCH:-$(date +%s)}" -mkfs-time "${SOURCE_DATE_EPOCH:-$(date +%s)}"

runtime=${1:-build/runtime-x86_64}
[ -f "$runtime" ] || curl --fail --location --proto =https --silent --show-error --output "$runtime" $runtime_page
echo "$runtime_sha256  $runtime" | sha256sum --check --quiet
image=dist/kvdesk-$version-x86_64.AppImage
cat "$runtime" $squashfs >"$image"
chmod 755 "$image"
du -m "$image" | awk '{ print $2 ": " $1 " MiB" }'
