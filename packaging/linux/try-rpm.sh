#!/bin/sh
# Installs kvdesk-*.rpm in the throw-away Fedora that this runs in, as root, tries it, and removes it again.
#   sh packaging/linux/try-rpm.sh FILE.rpm
set -eu
dnf install -y -q "$1" >/dev/null
QT_QPA_PLATFORM=offscreen kvdesk --selftest
dnf install -y -q xorg-x11-server-Xvfb >/dev/null
useradd -m tester
su tester -c "xvfb-run -a env QT_QPA_PLATFORM=xcb kvdesk --selftest"
dnf remove -y -q kvdesk >/dev/null
[ ! -e /usr/lib/kvdesk ] && [ ! -e /usr/bin/kvdesk ]
echo "fedora: installed, tried, removed"
