# scripts/lib.sh
#
# Shared by quickstart, test and lint: which Debian packages dormer needs, how to install those that are missing, how to
# build into a folder. Sourced from the repository's root; POSIX sh.
# shellcheck shell=sh

# One list: the program, what quickstart shows results with, and what the tests add.
PACKAGES_BUILD="gcc libc6-dev meson ninja-build pkg-config libyaml-dev libsqlite3-dev libgsl-dev libmd-dev"
PACKAGES_QUICKSTART="$PACKAGES_BUILD sqlite3"
PACKAGES_TEST="$PACKAGES_QUICKSTART python3 jq libcmocka-dev clang libclang-rt-dev llvm clang-tidy cppcheck valgrind libc6-dbg"

say() {
    printf '== %s\n' "$*"
}

die() {
    printf 'error: %s\n' "$*" >&2
    exit 1
}

# missing_packages PACKAGE...: those that are not installed.
missing_packages() {
    for package in "$@"; do
        state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null) || state=absent
        [ "$state" = installed ] || printf '%s ' "$package"
    done
}

# install_packages PACKAGE...: asks nothing; does nothing when all are there.
install_packages() {
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        say "not a Debian system: going on with what is installed (needed, by their Debian names: $*)"
        return 0
    fi
    missing=$(missing_packages "$@")
    [ -n "$missing" ] || return 0
    as_root=
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || die "missing packages, and neither root nor sudo: apt-get install $missing"
        as_root=sudo
    fi
    say "installing from Debian (a minute or two): $missing"
    log=$(mktemp)
    $as_root apt-get -q update >"$log" 2>&1 || say "some package lists could not be refreshed; trying with what is there"
    # shellcheck disable=SC2086 # a list of names
    if ! $as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends install $missing \
        >>"$log" 2>&1 </dev/null; then
        tail -n 20 "$log" >&2
        rm -f "$log"
        die "apt-get install failed"
    fi
    rm -f "$log"
}

# build_in FOLDER [MESON OPTION...]: set the folder up, once, and compile what changed; what meson and ninja say goes to
# FOLDER.log. $TARGET, where set, is all that is compiled. A folder that somebody set up by hand is built as it is; one of ours that no longer builds is made anew.
build_in() {
    folder=$1
    shift
    wanted="${CC:-gcc} $*"
    ours=$folder/set-up-by-scripts.txt
    if [ -f "$folder/build.ninja" ] && { [ ! -f "$ours" ] || [ "$(cat "$ours")" = "$wanted" ]; }; then
        ninja -C "$folder" ${TARGET:-} >"$folder.log" 2>&1 && return 0
        [ -f "$ours" ] || { show_errors "$folder.log"; return 1; }
    fi
    rm -rf "$folder"
    if CC=${CC:-gcc} meson setup "$folder" "$@" >"$folder.log" 2>&1 && printf '%s\n' "$wanted" >"$ours" &&
        ninja -C "$folder" ${TARGET:-} >>"$folder.log" 2>&1; then
        return 0
    fi
    show_errors "$folder.log"
    return 1
}

show_errors() {
    grep -E -A 4 'error|ERROR|FAILED' "$1" | head -n 60 >&2 || tail -n 20 "$1" >&2
}
