#!/usr/bin/env bash
# check_debian.sh SOURCE OUT WORK SUITE: installs the packages of OUT in a fresh Debian (SUITE is bookworm, bullseye...)
# that has gcc alone, and compiles and runs the README's ten lines there (in_debian.sh). Needs root; the fresh
# system, from where this machine gets its own packages, is kept in WORK/SUITE.tar for the next time.
set -euo pipefail
source=$(cd "$1" && pwd) out=$(cd "$2" && pwd) suite=$4
. "$source/packaging/debian.sh"
mkdir -p "$3"
work=$(cd "$3" && pwd)
root=$work/debian
base=$work/$suite.tar

rm -rf "$root" && mkdir -p "$root"
if [ ! -f "$base" ]; then
    mirror=$(debian_mirror)
    debootstrap --variant=minbase "$suite" "$root" "$mirror" >"$work/debootstrap.log"
    tar -C "$root" --one-file-system -cf "$base.part" . && mv "$base.part" "$base"
else
    tar -C "$root" -xf "$base"
fi
# How this machine reaches the mirror.
cp -L /etc/resolv.conf "$root/etc/resolv.conf" 2>/dev/null || true
cat /etc/apt/apt.conf.d/*proxy* >"$root/etc/apt/apt.conf.d/99proxy" 2>/dev/null || true

mkdir -p "$root/gnd/packages"
cp "$out"/*.deb "$out"/gnd-*.tar.gz "$root/gnd/packages"
cp "$source/README.md" "$source"/tests/packages/{CMakeLists.txt,in_debian.sh,ranks.c,snippet.sh,versions.c} "$root/gnd"
# What is mounted is gone with the process.
unshare --mount bash -c '
    mount -t proc proc "$1/proc"
    exec env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root http_proxy="${http_proxy:-}" \
        chroot "$1" bash /gnd/in_debian.sh
' check "$root"
rm -rf "$root"
