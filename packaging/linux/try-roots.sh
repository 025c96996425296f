#!/bin/sh
# Tries dist/kvdesk_*.deb in clean Debian roots made with debootstrap, as root.
#   sh packaging/linux/try-roots.sh [RELEASE ...]      (bookworm and trixie unless others are named)
# KVDESK_MIRROR is the mirror to use; KVDESK_ROOTS the folder of the roots, which are kept as tar files for the next time.
set -eu
cd "$(dirname "$0")/../.."
deb=$(ls dist/kvdesk_*.deb)
roots=${KVDESK_ROOTS:-build/roots}
mkdir -p "$roots"
roots=$(cd "$roots" && pwd)

for release in "${@:-bookworm trixie}"; do
    for name in $release; do
        base=$roots/$name.tar
        root=$roots/$name
        if [ ! -f "$base" ]; then
            rm -rf "$root.first"
            # shellcheck disable=SC2086  # no mirror, no argument
            debootstrap --variant=minbase "$name" "$root.first" ${KVDESK_MIRROR:-} >"$root.log" 2>&1
            tar -C "$root.first" -cf "$base" .
            rm -rf "$root.first"
        fi
        rm -rf "$root"
        mkdir "$root"
        tar -C "$root" -xf "$base"
        mkdir -p "$root/mnt/kvdesk"
        cp "$deb" packaging/linux/try-deb.sh "$root/mnt/kvdesk/"
        cp /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
        mount --bind /dev "$root/dev"
        mount -t proc proc "$root/proc"
        status=0
        chroot "$root" sh /mnt/kvdesk/try-deb.sh "/mnt/kvdesk/$(basename "$deb")" || status=$?
        umount "$root/proc" "$root/dev"
        rm -rf "$root"
        [ $status -eq 0 ] || exit $status
    done
done
