#!/bin/sh
# Writes the pinned, hashed lists of packages from pyproject.toml anew. Needs uv on the path (build/venv/bin has one).
#   sh packaging/pin.sh            keeps what is pinned and still fits
#   sh packaging/pin.sh --upgrade  takes the newest that fits
set -eu
cd "$(dirname "$0")/.."
export UV_CUSTOM_COMPILE_COMMAND="sh packaging/pin.sh"
lists=packaging/requirements

pin() { # list, then what it holds
    list=$1
    shift
    uv pip compile pyproject.toml --group backend --universal --python-version 3.11 --generate-hashes --quiet \
        "$@" --output-file "$lists/$list.txt"
}

pin run "$@"
pin dev --extra dev --constraint "$lists/run.txt" "$@"
pin freeze --extra freeze --constraint "$lists/run.txt" "$@"
