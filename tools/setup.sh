# SPDX-License-Identifier: GPL-3.0-or-later
# shellcheck shell=sh
#
# What ./quickstart, ./check and tests/bare-machine share: the Debian packages that
# each of them needs, and their installation.  Sourced, never run.  Touches the
# machine only where a package is missing, and only as root.

# Prints the packages of the set $1: `build` to build and use FunctionCheck (dpkg-dev
# tells Meson the folder for libraries), `doc` its manual, `package` the Debian package,
# `check` to run every test, `ranks` for tests/e2e/ranks, which is skipped without,
# `servers` for tests/real/servers.py.
packages_of()
{
    case $1 in
    build)
        echo meson ninja-build gcc libc6-dev pkg-config libglib2.0-dev libdw-dev libelf-dev \
            libiberty-dev binutils-dev zlib1g-dev libzstd-dev esbuild dpkg-dev
        ;;
    doc) echo texinfo ;;
    package) echo build-essential debhelper lintian ;;
    check)
        echo g++ clang libclang-rt-dev libomp-dev llvm clang-format clang-tidy lld make cmake autoconf automake \
            libtool binutils binutils-aarch64-linux-gnu dwz elfutils xz-utils valgrind uftrace graphviz \
            python3 python3-jsonschema python3-protobuf protobuf-compiler golang-go python3-selenium chromium \
            chromium-driver libreadline-dev man-db zsh fish shellcheck libjemalloc2 libtcmalloc-minimal4 \
            libunwind8 libdevel-nytprof-perl libncurses-dev tmux
        ;;
    ranks) echo openmpi-bin libopenmpi-dev mpich libmpich-dev slurm-wlm munge ;;
    servers)
        echo gcc make pkg-config perl libpcre2-dev libssl-dev zlib1g-dev
        ;;
    esac
}

# Prints what dnf ($1: 2) or pacman (3) calls the packages of the sets `build` and `doc`.
packages_elsewhere()
{
    cut -d' ' "-f$1" <<END | sort -u | tr '\n' ' '
meson meson meson
ninja-build ninja-build ninja
gcc gcc gcc
libc6-dev glibc-devel glibc
pkg-config pkgconf-pkg-config pkgconf
libglib2.0-dev glib2-devel glib2
libdw-dev elfutils-devel elfutils
libelf-dev elfutils-libelf-devel libelf
libiberty-dev binutils-devel binutils
binutils-dev binutils-devel binutils
zlib1g-dev zlib-devel zlib
libzstd-dev libzstd-devel zstd
esbuild golang-github-evanw-esbuild esbuild
texinfo texinfo texinfo
END
}

# Says where there is no apt-get what the others call it; Meson names what it can't find.
packages_tell()
{
    echo "No apt-get here.  Install what FunctionCheck is built with yourself:"
    echo "    dnf install $(packages_elsewhere 2)"
    echo "    pacman -S $(packages_elsewhere 3)"
    echo "Where there is no esbuild: 'npm install --global esbuild'."
    echo "Debian calls all that is wanted:$*"
}

# Prints those of the given packages that are not installed, under their name or as what another package provides:
# names change with Debian's version, many by a "t64" at their end.
packages_missing()
{
    # shellcheck disable=SC2016 # dpkg-query's own variables
    provided=$(dpkg-query -W -f='${db:Status-Status} ${Provides}\n' 2>/dev/null |
        sed -n 's/^installed //p' | sed 's/([^)]*)//g' | tr -s ', ' '\n')
    for package; do
        for name in "$package" "${package}t64"; do
            # of each architecture a line
            # shellcheck disable=SC2016
            ! dpkg-query -W -f='${db:Status-Status}\n' "$name" 2>/dev/null | grep -qx installed || continue 2
        done
        printf '%s\n' "$provided" | grep -qxF -e "$package" || printf '%s ' "$package"
    done
}

# Installs what is missing of the given sets of packages; returns 1, with the reason
# on standard error, where that can't be done.
packages_install()
{
    wanted=
    for set; do
        wanted="$wanted $(packages_of "$set")"
    done
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        packages_tell "$wanted" >&2
        return 0
    fi
    # shellcheck disable=SC2086 # a list of words
    missing=$(packages_missing $wanted)
    [ -n "$missing" ] || return 0
    if [ "$(id -u)" != 0 ]; then
        echo "Some packages are missing.  Install them as root, and start again:" >&2
        echo "    apt-get install $missing" >&2
        return 1
    fi
    echo "Installing: $missing"
    # shellcheck disable=SC2086 # a list of words
    {
        apt_get update && apt_get install --no-install-recommends $missing
    } || {
        echo "apt-get failed; see its messages above" >&2
        return 1
    }
}

apt_get()
{
    DEBIAN_FRONTEND=noninteractive apt-get -q -y -o Dpkg::Use-Pty=0 -o Acquire::Retries=3 "$@" \
        </dev/null
}
