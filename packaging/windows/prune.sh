#!/bin/sh
# Takes the second copy of OpenBLAS out of a Windows build: the analysis and numpy's own folder bring the same file.
#   sh packaging/windows/prune.sh dist/kvdesk
set -eu
kept=$(find "$1/_internal/numpy.libs" -name 'libscipy_openblas*.dll')
find "$1/_internal" -name 'libscipy_openblas*.dll' ! -path '*/numpy.libs/*' -exec cmp -s {} "$kept" \; -delete
