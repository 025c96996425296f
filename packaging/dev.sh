#!/bin/sh
# kvdesk from its source tree, on Linux and macOS (packaging/dev.ps1 is the same for Windows).
#
#   sh packaging/dev.sh run [arguments of kvdesk]    sets everything up and starts kvdesk
#   sh packaging/dev.sh test [arguments of pytest]   sets everything up and runs all checks
#   sh packaging/dev.sh setup [run|dev|freeze]       sets everything up with one list of packaging/requirements
#
# Everything goes into .venv of this tree; only Qt's system libraries on Debian and Ubuntu are installed beside it, as
# root or with sudo. KVDESK_PYTHON names the Python to use, KVDESK_VENV another folder than .venv.
set -eu

root=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
venv=${KVDESK_VENV:-$root/.venv}
lists=$root/packaging/requirements

say() { printf 'kvdesk: %s\n' "$*" >&2; }
die() { say "$*"; exit 1; }

# ------------------------------------------------------------------------------------------------ system packages

# soname, its package, its package where Debian renamed it for 64-bit time
qt_libraries='
libEGL.so.1 libegl1 -
libGL.so.1 libgl1 -
libglib-2.0.so.0 libglib2.0-0 libglib2.0-0t64
libdbus-1.so.3 libdbus-1-3 -
libfontconfig.so.1 libfontconfig1 -
libgssapi_krb5.so.2 libgssapi-krb5-2 -
libxkbcommon.so.0 libxkbcommon0 -
libxkbcommon-x11.so.0 libxkbcommon-x11-0 -
libxcb-cursor.so.0 libxcb-cursor0 -
libxcb-icccm.so.4 libxcb-icccm4 -
libxcb-keysyms.so.1 libxcb-keysyms1 -
libxcb-shape.so.0 libxcb-shape0 -
libwayland-cursor.so.0 libwayland-cursor0 -
libwayland-egl.so.1 libwayland-egl1 -
'

missing_libraries() {
    known=$(PATH=$PATH:/sbin:/usr/sbin ldconfig -p 2>/dev/null) || return 0
    printf '%s\n' "$qt_libraries" | while read -r soname package renamed; do
        [ -n "$soname" ] || continue
        case $known in *"$soname "*) ;; *) printf '%s %s %s\n' "$soname" "$package" "$renamed" ;; esac
    done
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif [ -t 0 ]; then
        sudo "$@"
    else
        sudo -n "$@"
    fi
}

may_install() {
    command -v apt-get >/dev/null || return 1
    [ "$(id -u)" -eq 0 ] && return 0
    command -v sudo >/dev/null || return 1
    [ -t 0 ] || sudo -n true 2>/dev/null
}

# Quiet unless it fails.
quietly() {
    told=$("$@" 2>&1) || { printf '%s\n' "$told" >&2; return 1; }
}

apt_refresh() {
    quietly as_root apt-get update -qq || say "the package lists could not be refreshed; going on with those here"
}

apt_install() {
    quietly as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
}

# Returns 1, having said so, where something stays missing; kvdesk then still works in a terminal.
ensure_libraries() {
    [ "$(uname -s)" = Linux ] || return 0
    missing=$(missing_libraries)
    [ -n "$missing" ] || return 0
    if ! may_install; then
        say "the window needs system libraries that I may not install:$(printf '%s\n' "$missing" | awk '{ printf " %s (%s)", $2, $1 }')"
        return 1
    fi
    say "installing Qt's system libraries"
    apt_refresh # the lists tell which of two names this release has
    packages=$(printf '%s\n' "$missing" | while read -r _ package renamed; do
        if [ "$renamed" != - ] && apt-cache show "$renamed" >/dev/null 2>&1; then package=$renamed; fi
        printf '%s ' "$package"
    done)
    # shellcheck disable=SC2086  # a list of words
    apt_install $packages || { say "apt-get could not install: $packages"; return 1; }
}

# --------------------------------------------------------------------------------------------- private environment

fit_python() { # is it there, is it new enough
    "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' >/dev/null 2>&1
}

find_python() {
    if [ -n "${KVDESK_PYTHON:-}" ]; then
        fit_python "$KVDESK_PYTHON" || die "KVDESK_PYTHON=$KVDESK_PYTHON is not Python 3.11 or newer."
        printf '%s\n' "$KVDESK_PYTHON"
        return
    fi
    for candidate in python3 python3.13 python3.14 python3.12 python3.11 python; do
        if fit_python "$candidate"; then
            printf '%s\n' "$candidate"
            return
        fi
    done
    die "Python 3.11 or newer is missing. Install it, or name it by KVDESK_PYTHON=/path/to/python3."
}

make_venv() {
    python=$(find_python)
    if ! "$python" -c 'import ensurepip, venv' >/dev/null 2>&1; then
        package=$("$python" -c 'import sys; print("python%d.%d-venv" % sys.version_info[:2])')
        may_install || die "Python's venv module is missing, and not mine to install (system package $package)."
        apt_refresh
        apt_install "$package" || die "apt-get could not install $package."
    fi
    "$python" -m venv --clear "$venv" || die "no private environment could be made in $venv."
}

# Installs the list $1 unless its stamp says that this very list is in already.
ensure_packages() {
    stamp=$venv/.kvdesk-$1
    wanted=$(printf '%s\n' "$root" | cat - "$lists/$1.txt" "$root/pyproject.toml" | cksum)
    [ "$(cat "$stamp" 2>/dev/null)" != "$wanted" ] || [ ! -x "$venv/bin/kvdesk" ] || return 0
    # A folder that was moved has scripts that start nothing.
    if ! fit_python "$venv/bin/python" || ! "$venv/bin/pip" --version >/dev/null 2>&1; then make_venv; fi
    say "installing the pinned packages ($1) into $venv"
    pip="$venv/bin/python -m pip --disable-pip-version-check --quiet"
    $pip install --require-hashes --only-binary :all: -r "$lists/$1.txt" || die "pip could not install packaging/requirements/$1.txt."
    $pip install --no-deps --no-build-isolation --no-index --editable "$root" || die "kvdesk could not be installed into $venv."
    # Compiled once here, so that the first start is not the one to do it.
    "$venv/bin/python" -m compileall -q "$root/kvdesk" || true
    printf '%s\n' "$wanted" >"$stamp"
}

# What PyInstaller and packaging/linux/prune.py need beside Python's packages.
ensure_freezing_tools() {
    [ "$(uname -s)" = Linux ] || return 0
    packages=''
    command -v readelf >/dev/null || packages=binutils
    finds_libpython='from PyInstaller.depend.bindepend import get_python_library_path as find; raise SystemExit(not find())'
    "$venv/bin/python" -c "$finds_libpython" 2>/dev/null ||
        packages="$packages $("$venv/bin/python" -c 'import sys; print("libpython%d.%d" % sys.version_info[:2])')"
    [ -n "$packages" ] || return 0
    may_install || die "the frozen program needs system packages that I may not install: $packages"
    apt_refresh
    # shellcheck disable=SC2086  # a list of words
    apt_install $packages || die "apt-get could not install: $packages"
}

# -------------------------------------------------------------------------------------------------------- commands

failed=''
check() { # name, then its command
    name=$1
    shift
    printf -- '--- %s\n' "$name"
    "$@" || failed="$failed $name,"
}

lint_workflows() {
    [ -d .github/workflows ] || return 0
    actionlint && zizmor --offline --quiet .github/workflows
}

run_checks() {
    cd "$root"
    PATH=$venv/bin:$PATH
    export PATH
    check "ruff check" ruff check --quiet .
    check "ruff format" ruff format --quiet --check .
    check "mypy" mypy
    check "import contracts" lint-imports --no-logo
    # shellcheck disable=SC2046  # names without blanks
    check "shell scripts" shellcheck .ci/run $(find packaging -name '*.sh')
    check "workflows" lint_workflows
    # Watching every line costs as much as the tests themselves: only core is watched, by its own tests. Before the
    # others, so that their closing line is the last; a run of chosen tests is left alone.
    [ $# -gt 0 ] || check "coverage of kvdesk/core" python -m pytest -q tests/core --cov --cov-report=term
    check "pytest" python -m pytest -q -n 2 --dist loadfile "$@"
    [ -z "$failed" ] || die "failed:${failed%,}"
}

command=${1:-}
[ $# -eq 0 ] || shift
case $command in
run)
    # A window that cannot load its libraries ends the process; without a display kvdesk answers in the terminal.
    ensure_libraries || unset DISPLAY WAYLAND_DISPLAY
    ensure_packages run
    exec "$venv/bin/python" -m kvdesk "$@"
    ;;
setup)
    ensure_libraries || die "Qt's system libraries are needed for this."
    ensure_packages "${1:-dev}"
    [ "${1:-dev}" != freeze ] || ensure_freezing_tools
    ;;
test)
    ensure_libraries || die "the checks need Qt's system libraries."
    ensure_packages dev
    run_checks "$@"
    ;;
*)
    sed -n '2,9s/^# \{0,1\}//p' "$0"
    exit 2
    ;;
esac
