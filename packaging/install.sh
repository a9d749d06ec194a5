# shellcheck shell=bash
# Sourced by run.sh and test.sh: installs the Debian packages of packages.txt that are missing, and says which.

say() { printf '\n== %s\n' "$*"; }
fail() { printf '\nlongpole: %s\n' "$*" >&2; exit 1; }

# Package names of packages.txt for the given purposes ("build", "test", ...).
packages_for()
{
    local purpose
    for purpose in "$@"; do
        awk -v purpose="$purpose" '$1 !~ /^#/ && $2 == purpose { print $1 }' packaging/packages.txt
    done
}

missing_of()
{
    local package
    for package in "$@"; do
        [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || echo "$package"
    done
}

# Runs apt-get as root without questions; its output goes to a log of which the end is shown if it fails.
apt_get()
{
    local log=build/log/apt.log
    local -a prefix=()
    [[ $(id -u) -eq 0 ]] || prefix=(sudo)
    "${prefix[@]}" env DEBIAN_FRONTEND=noninteractive \
        apt-get -q -y -o DPkg::Lock::Timeout=300 -o Acquire::Retries=3 "$@" >"$log" 2>&1 && return
    tail -n 15 "$log" >&2
    return 1
}

# install_packages PURPOSE...
install_packages()
{
    if ! command -v dpkg-query >/dev/null || ! command -v apt-get >/dev/null; then
        say "no apt here: install what packaging/packages.txt lists by your system's means"
        return
    fi
    local -a packages missing
    mapfile -t packages < <(packages_for "$@")
    mapfile -t missing < <(missing_of "${packages[@]}")
    if [[ ${#missing[@]} -eq 0 ]]; then
        say "all Debian packages are installed"
        return
    fi
    say "installing ${#missing[@]} Debian packages: ${missing[*]}"
    if [[ $(id -u) -ne 0 ]] && ! command -v sudo >/dev/null; then
        fail "installing packages takes root rights and there is no sudo. As root, run:
    apt-get install --no-install-recommends ${missing[*]}"
    fi
    mkdir -p build/log
    apt_get update || fail "apt-get update failed (see above and build/log/apt.log).
Check that the network is up and that the mirrors in /etc/apt are reachable, then run this again."
    apt_get install --no-install-recommends "${missing[@]}" \
        || fail "apt-get install failed (see above and build/log/apt.log).
Longpole is built from the packages of Debian 12 (bookworm); this system is: $(. /etc/os-release; echo "$PRETTY_NAME")."
}

# A build that was done before takes seconds, in another folder, too: what names the folder does not count.
export CCACHE_BASEDIR=$PWD CCACHE_NOHASHDIR=1

# configure PRESET: with ccache.
configure()
{
    local -a launcher=()
    if command -v ccache >/dev/null; then
        launcher=(-DCMAKE_C_COMPILER_LAUNCHER=ccache -DCMAKE_CXX_COMPILER_LAUNCHER=ccache)
    fi
    cmake --preset "$1" "${launcher[@]}"
}
