#!/bin/sh
# The dmg on a build machine: takes the certificate and the notary's login from the environment, if they are there,
# into a keychain of its own that is deleted at the end whatever happens.
set -eu
cd "$(dirname "$0")/../.."

if [ -z "${MACOS_CERTIFICATE:-}" ]; then
    exec sh packaging/macos/dmg.sh
fi

keychain=$(mktemp -d)/kvdesk.keychain-db
password=$(uuidgen)
trap 'security delete-keychain "$keychain"' EXIT
security create-keychain -p "$password" "$keychain"
security set-keychain-settings -lut 3600 "$keychain"
security unlock-keychain -p "$password" "$keychain"
certificate=$(mktemp)
printf '%s' "$MACOS_CERTIFICATE" | base64 --decode >"$certificate"
security import "$certificate" -k "$keychain" -P "$MACOS_CERTIFICATE_PASSWORD" -T /usr/bin/codesign
rm -f "$certificate"
security set-key-partition-list -S apple-tool:,apple: -s -k "$password" "$keychain" >/dev/null
security list-keychains -d user -s "$keychain" login.keychain-db

if [ -n "${APPLE_ID:-}" ]; then
    xcrun notarytool store-credentials kvdesk --apple-id "$APPLE_ID" --team-id "$APPLE_TEAM_ID" \
        --password "$APPLE_PASSWORD" --keychain "$keychain"
    export KVDESK_NOTARY_PROFILE=kvdesk KVDESK_NOTARY_KEYCHAIN="$keychain"
fi
KVDESK_SIGNING_IDENTITY=$MACOS_IDENTITY sh packaging/macos/dmg.sh
