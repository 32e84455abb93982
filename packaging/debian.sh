# debian.sh, to be sourced: packages of another Debian than this one's, from where this machine gets its own.

# debian_mirror: DEBIAN_MIRROR, or what apt is set up with. (A mirror of Ubuntu's has no Debian.)
debian_mirror() {
    local mirror=${DEBIAN_MIRROR:-}
    [ -n "$mirror" ] || mirror=$(apt-get indextargets --format '$(REPO_URI)' \
        'Created-By: Packages' 'Origin: Debian' 'Component: main' 2>/dev/null | head -n 1)
    [ -n "$mirror" ] && printf '%s\n' "$mirror" && return
    echo "apt has no mirror of Debian (apt-get update?); set DEBIAN_MIRROR to one" >&2
    return 1
}

# debian_unpack SUITE COMPONENTS FOLDER PACKAGE...: unpacks packages (NAME or NAME=VERSION) below FOLDER. Nothing is
# installed, no script of theirs runs, and root is not needed.
debian_unpack() {
    local suite=$1 components=$2 folder=$3 mirror state package
    local keys=/usr/share/keyrings/debian-archive-keyring.gpg
    shift 3
    mirror=$(debian_mirror) || return 1
    state=$(mktemp -d)
    mkdir -p "$folder" "$state"/{lists,cache,packages} && : >"$state/status"
    echo "deb [signed-by=$keys] $mirror $suite $components" >"$state/sources.list"
    local options=(-qq -o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts=-
        -o Dir::Cache="$state/cache" -o Dir::State::lists="$state/lists" -o Dir::State::status="$state/status"
        -o APT::Sandbox::User="$(id -un)")
    apt-get "${options[@]}" update && (cd "$state/packages" && apt-get "${options[@]}" download "$@") || return 1
    for package in "$state/packages"/*.deb; do dpkg-deb -x "$package" "$folder" || return 1; done
    rm -rf "$state"
}
