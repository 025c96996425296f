#!/bin/sh
# Builds dist/kvdesk_VERSION_ARCH.deb, the frozen program first unless it is there already.
#   sh packaging/linux/deb.sh
set -eu
cd "$(dirname "$0")/../.."

[ -x dist/kvdesk/kvdesk ] || sh packaging/freeze.sh
version=$(sed -n 's/^__version__ = "\(.*\)"/\1/p' kvdesk/__init__.py)
arch=$(dpkg --print-architecture)
maintainer=${KVDESK_MAINTAINER:-The kvdesk authors <kvdesk@kvdesk.invalid>}
built=${SOURCE_DATE_EPOCH:-$(date +%s)}
tree=build/deb
sh packaging/linux/tree.sh $tree

doc=$tree/usr/share/doc/kvdesk
mkdir -p "$doc" $tree/DEBIAN $tree/usr/share/lintian/overrides
install -m644 packaging/linux/lintian-overrides $tree/usr/share/lintian/overrides/kvdesk
cat >"$doc/copyright" <<END
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/
Upstream-Name: kvdesk
Comment: Licences of the libraries that come along are in
 /usr/lib/kvdesk/_internal/kvdesk/_resources/licences, with Qt under the
 LGPL-3 (/usr/share/common-licenses/LGPL-3) as replaceable files.

Files: *
Copyright: 2026 The kvdesk authors
License: Expat
$(sed -e '1,4d' -e 's/^$/./' -e 's/^/ /' LICENSE)
END
gzip -9nc CHANGELOG.md >"$doc/NEWS.gz"
gzip -9nc >"$doc/changelog.gz" <<END
kvdesk ($version) unstable; urgency=medium

  * kvdesk $version; NEWS.gz says what is new.

 -- $maintainer  $(date -R -u -d "@$built")
END

# Qt and Python ask for these; libpython sets the C library (packaging/README.md has how they were found).
cat >$tree/DEBIAN/control <<END
Package: kvdesk
Version: $version
Architecture: $arch
Maintainer: $maintainer
Installed-Size: $(du -sk $tree/usr | cut -f1)
Depends: libc6 (>= 2.35), libdbus-1-3, libegl1, libexpat1, libfontconfig1, libfreetype6, libgcc-s1, libgl1, libglib2.0-0 | libglib2.0-0t64, libstdc++6 (>= 12), libuuid1, libwayland-client0, libwayland-cursor0, libwayland-egl1, libx11-6, libx11-xcb1, libxcb1, zlib1g
Recommends: ca-certificates, xdg-desktop-portal
Section: science
Priority: optional
Description: see whether a language model fits a GPU before you buy it
 kvdesk reads the config.json of a model from Hugging Face and works out the
 exact bytes of its KV cache, what the serving engine really reserves, the
 weights, and how many sequences fit the GPUs in question. It plots memory
 against context length and writes a PDF report.
END
(cd $tree && find usr -type f -exec md5sum {} +) >$tree/DEBIAN/md5sums
find $tree -newermt "@$built" -exec touch -h -d "@$built" {} +
deb=dist/kvdesk_${version}_$arch.deb
dpkg-deb --root-owner-group -Zxz -z"${KVDESK_XZ_LEVEL:-6}" --build $tree "$deb" >/dev/null
du -m "$deb" | awk '{ print $2 ": " $1 " MiB" }'
