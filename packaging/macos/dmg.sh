#!/bin/sh
# Builds dist/kvdesk-VERSION-ARCH.dmg from dist/kvdesk.app; on macOS only.
#   sh packaging/macos/dmg.sh
# Signs where KVDESK_SIGNING_IDENTITY names a Developer ID of the keychain, and has it notarised where
# KVDESK_NOTARY_PROFILE names a profile stored by `xcrun notarytool store-credentials`. Without them the image is
# unsigned, and says so.
set -eu
cd "$(dirname "$0")/../.."

[ -d dist/kvdesk.app ] || sh packaging/freeze.sh
version=$(sed -n 's/^__version__ = "\(.*\)"/\1/p' kvdesk/__init__.py)
image=dist/kvdesk-$version-$(uname -m).dmg
identity=${KVDESK_SIGNING_IDENTITY:-}
profile=${KVDESK_NOTARY_PROFILE:-}

sign() {
    codesign --force --timestamp --options runtime --sign "$identity" "$@"
}

if [ -n "$identity" ]; then
    # From the inside out: every library, then the program with its entitlements, then the bundle.
    find dist/kvdesk.app/Contents -type f \( -name '*.dylib' -o -name '*.so' \) -print0 |
        xargs -0 codesign --force --timestamp --options runtime --sign "$identity"
    find dist/kvdesk.app/Contents/Frameworks -type d -name '*.framework' | sort -r | while read -r framework; do
        sign "$framework"
    done
    sign --entitlements packaging/macos/entitlements.plist dist/kvdesk.app
    codesign --verify --deep --strict dist/kvdesk.app
else
    echo "kvdesk.app is not signed: KVDESK_SIGNING_IDENTITY is not set" >&2
fi

# ditto keeps the symbolic links of the bundle, which its signature covers.
rm -rf build/dmg "$image"
mkdir -p build/dmg
ditto dist/kvdesk.app build/dmg/kvdesk.app
ln -s /Applications build/dmg/Applications
hdiutil create -quiet -volname "kvdesk $version" -srcfolder build/dmg -format ULFO "$image"

if [ -n "$identity" ] && [ -n "$profile" ]; then
    sign "$image"
    xcrun notarytool submit "$image" --keychain-profile "$profile" \
        ${KVDESK_NOTARY_KEYCHAIN:+--keychain "$KVDESK_NOTARY_KEYCHAIN"} --wait
    xcrun stapler staple "$image"
fi
du -m "$image" | awk '{ print $2 ": " $1 " MiB" }'
