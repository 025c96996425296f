#!/bin/sh
# Installs kvdesk_*.deb in the throw-away Debian or Ubuntu that this runs in, as root, tries it, and removes it again.
#   sh packaging/linux/try-deb.sh FILE.deb
set -eu
deb=$(readlink -f "$1")
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8

system=$(sed -n 's/^PRETTY_NAME="\(.*\)"/\1/p' /etc/os-release)
step() { printf '%s: %s\n' "$system" "$*"; }
user() { su tester -s /bin/sh -c "cd && HOME=/home/tester $*"; }

apt-get update -qq
before=$(dpkg-query -W -f '${Package}\n' | wc -l)
apt-get install -y -qq --no-install-recommends ca-certificates "$deb" >/dev/null
step "installed, $(($(dpkg-query -W -f '${Package}\n' | wc -l) - before)) packages set up"
# What a desktop has and a bare root has not.
apt-get install -y -qq --no-install-recommends \
    desktop-file-utils libglib2.0-bin passwd shared-mime-info weston xauth xvfb >/dev/null
id tester >/dev/null 2>&1 || useradd -m tester

user kvdesk --version
user kvdesk >/dev/null
step "without a display: the default sizing, status 0"
user QT_QPA_PLATFORM=offscreen kvdesk --selftest
step "offscreen as a plain user: ok"
user xvfb-run -a -s "'-screen 0 1600x1000x24'" env QT_QPA_PLATFORM=xcb kvdesk --selftest
step "X11 as a plain user: ok"

runtime=$(mktemp -d)
chown tester "$runtime"
chmod 700 "$runtime"
user "XDG_RUNTIME_DIR=$runtime weston --backend=headless-backend.so --socket=kvdesk --idle-time=0 >/dev/null 2>&1 &
    server=\$!; tries=0
    until [ -S $runtime/kvdesk ] || [ \$tries -gt 100 ]; do sleep 0.1; tries=\$((tries + 1)); done
    XDG_RUNTIME_DIR=$runtime WAYLAND_DISPLAY=kvdesk QT_QPA_PLATFORM=wayland kvdesk --selftest; status=\$?
    kill \$server; exit \$status"
step "Wayland as a plain user: ok"

user "echo '{}' >mine.kvdesk"
user gio info -a standard::content-type mine.kvdesk | grep -q 'application/x-kvdesk+json'
user gio mime application/x-kvdesk+json | grep -q 'kvdesk.desktop'
desktop-file-validate /usr/share/applications/kvdesk.desktop
step "a scenario file opens with kvdesk: ok"

apt-get purge -y -qq kvdesk >/dev/null
left=$(find / -xdev \( -path /home -o -path /proc -o -path /sys -o -path /tmp -o -path "$(dirname "$deb")" \) -prune -o \
    -name '*kvdesk*' ! -path '/var/log/*' -print)
[ -z "$left" ] || { step "left after removal: $left"; exit 1; }
[ -f /home/tester/mine.kvdesk ]
step "removed: nothing left, the user's file stays"
