#!/bin/sh
# Writes the bill of materials of what runs, CycloneDX JSON: sh packaging/sbom.sh FILE
set -eu
cd "$(dirname "$0")/.."
mkdir -p "$(dirname "$1")"
KVDESK_VENV=$(pwd)/build/venv sh packaging/dev.sh setup freeze
# Of an environment with nothing but the run-time packages; the one that builds has many more.
KVDESK_VENV=$(pwd)/build/sbom-venv sh packaging/dev.sh setup run
build/sbom-venv/bin/python -m pip --quiet uninstall --yes \
    hatchling hf-xet pathspec pluggy setuptools tomlkit trove-classifiers pip
build/venv/bin/cyclonedx-py environment --pyproject pyproject.toml --mc-type application --output-reproducible \
    --of JSON -o "$1" build/sbom-venv/bin/python
rm -f build/sbom-venv/.kvdesk-run
