#!/usr/bin/env bash
# debs.sh BUILD WORK OUT [HTML]: Debian packages of what is built in BUILD, without compiling anything: libgnd0,
# libgnd-dev, libgnd-dist0, libgnd-dist-dev, libgnd-doc (with the website in HTML, if there is one) and gnd-tools, into
# OUT. WORK is a folder for what is in between. debhelper does the work, by packaging/debian.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$1 work=$2 out=$3 html=${4:-}

multiarch=$(dpkg-architecture -qDEB_HOST_MULTIARCH)
rm -rf "$work" && mkdir -p "$work" "$out"
work=$(cd "$work" && pwd) out=$(cd "$out" && pwd)
tree=$work/gnd
mkdir -p "$tree"
cp -r "$here/debian" "$tree/debian"
"$here/stage.sh" "$build" "$tree/stage/usr" "lib/$multiarch"
libraries=$tree/stage/usr/lib/$multiarch
version=$(sed -n 's/^Version: //p' "$libraries/pkgconfig/gnd.pc")

# What Debian has in other ways: a prefix that stays, the licence in debian/copyright, and tools that find the library
# without being told.
sed -i 's,^prefix=.*,prefix=/usr,' "$libraries"/pkgconfig/*.pc
rm "$tree/stage/usr/share/doc/gnd/LICENSE"
mv "$tree/stage/usr/share/doc/gnd/CHANGELOG.md" "$tree"
find "$tree/stage/usr/bin" -type f -exec patchelf --remove-rpath {} +
[ -z "$html" ] || cp -r "$html" "$tree/stage/usr/share/doc/gnd/html"
[ -n "$html" ] || rm "$tree/debian/libgnd-doc.doc-base"

# The package's own changelog; gnd's CHANGELOG.md is installed beside it.
{
    printf 'gnd (%s-1) unstable; urgency=medium\n\n  * gnd %s: see changelog.gz.\n\n' "$version" "$version"
    printf ' -- %s <%s>  %s\n' "${DEBFULLNAME:-The gnd authors}" "${DEBEMAIL:-gnd@gnd.invalid}" \
        "$(git -C "$here" log -1 --format=%cD 2>/dev/null || date -R)"
} >"$tree/debian/changelog"

# Which version has what a program calls: it depends on that version, and not on the newest.
{
    printf 'libgnd.so.%s libgnd0 #MINVER#\n' "${version%%.*}"
    sed -n 's/^\(gnd_[a-zA-Z0-9_]*\) \(.*\)/ \1@Base \2/p' "$here/../src/gnd.symbols"
    nm -D --defined-only "$libraries/libgnd.so" |
        sed -n "s/.* \(gndi_[a-zA-Z0-9_]*\)\$/ (optional=for tests)\1@Base $version/p"
} >"$tree/debian/libgnd0.symbols"
{
    printf 'libgnd_dist.so.%s libgnd-dist0 #MINVER#\n' "${version%%.*}"
    sed -n 's/^\(gnd_[a-zA-Z0-9_]*\) \(.*\)/ \1@Base \2/p' "$here/../src/dist/gnd_dist.symbols"
    printf ' (optional=for tests)gndi_dist_fail_alloc_at@Base %s\n' "$version"
} >"$tree/debian/libgnd-dist0.symbols"

# With CUDA: the toolkit's libraries, and its runtime within libgnd.
if [ -e "$libraries/gnd/libcudart_static.a" ]; then
    cat >"$tree/debian/gnd.vars" <<'VARS'
gnd:Backends=It has the CPU and the CUDA backend; it needs no CUDA library to run.
gnd:Cuda=libcuda1, libcublas-13-0, libcusolver-13-0, libcufft-13-0, libcurand-13-0, libnvjitlink-13-0, cuda-nvrtc-13-0
VARS
    echo 'usr/lib/*/gnd' >>"$tree/debian/libgnd-dev.install"
    cat >>"$tree/debian/copyright" <<'COPYRIGHT'

Files: gnd/libcudart_static.a
Copyright: NVIDIA Corporation
License: CUDA
 The static CUDA runtime, which libgnd.so and libgnd.a use. NVIDIA's licence of the CUDA toolkit lists it
 among the files that may be distributed with applications:
 https://docs.nvidia.com/cuda/eula/
COPYRIGHT
else
    cat >"$tree/debian/gnd.vars" <<'VARS'
gnd:Backends=It has the CPU backend alone.
gnd:Cuda=
VARS
fi

cd "$tree"
dpkg-buildpackage -b -us -uc -nc >"$work/log" 2>&1 || { tail -n 40 "$work/log" >&2; exit 1; }
cp "$work"/*.deb "$out"
