#!/bin/sh
# Builds dist/kvdesk-VERSION-1.x86_64.rpm, the frozen program first unless it is there already.
#   sh packaging/linux/rpm.sh
set -eu
cd "$(dirname "$0")/../.."
root=$(pwd)

[ -x dist/kvdesk/kvdesk ] || sh packaging/freeze.sh
version=$(sed -n 's/^__version__ = "\(.*\)"/\1/p' kvdesk/__init__.py)
sh packaging/linux/tree.sh build/rpm-tree
install -Dm644 LICENSE build/rpm-tree/usr/share/licenses/kvdesk/LICENSE
install -Dm644 CHANGELOG.md build/rpm-tree/usr/share/doc/kvdesk/CHANGELOG.md
rpmbuild -bb --quiet \
    --define "_topdir $root/build/rpm" \
    --define "kvdesk_version $version" --define "kvdesk_tree $root/build/rpm-tree" \
    packaging/linux/kvdesk.spec
mv build/rpm/RPMS/*/kvdesk-"$version"-1.*.rpm dist/
du -m dist/kvdesk-"$version"-1.*.rpm | awk '{ print $2 ": " $1 " MiB" }'
