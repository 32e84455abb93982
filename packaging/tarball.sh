#!/usr/bin/env bash
# tarball.sh BUILD FOLDER: the relocatable tree, as it is in the tarball: unpacked anywhere, programs are
# compiled against it with pkg-config or CMake, and run.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
build=$1 folder=$2

"$here/stage.sh" "$build" "$folder"
# No loader looks into a folder of one's own: programs linked by gnd.pc remember it.
sed -i 's,^Libs: -L\${libdir} ,&-Wl\,-rpath\,${libdir} ,' "$folder/lib/pkgconfig/gnd.pc"
strip --strip-unneeded "$folder"/lib/libgnd*.so.*.*
strip --strip-debug "$folder/lib/libgnd.a"
find "$folder/bin" -type f -exec strip {} + 2>/dev/null || true

# What the tools need beyond the C and C++ libraries comes along, with its licence; programs of others do not see it.
bundle() {
    local library package
    for library in $(ldd "$1" | awk '$3 ~ "^/" { print $3 }'); do
        [ -e "$folder/lib/gnd/${library##*/}" ] && continue
        case ${library##*/} in
        libgnd.* | libc.* | libm.* | libmvec.* | libdl.* | librt.* | libpthread.* | libgcc_s.* | libstdc++.*)
            continue
            ;;
        esac
        mkdir -p "$folder/lib/gnd" "$folder/share/doc/gnd/licences"
        cp -L "$library" "$folder/lib/gnd"
        package=$(dpkg -S "$(readlink -f "$library")" 2>/dev/null | sed 's/:.*//') || continue
        cp -L "/usr/share/doc/$package/copyright" "$folder/share/doc/gnd/licences/$package" 2>/dev/null || true
    done
}
for tool in "$folder"/bin/*; do bundle "$tool"; done

cat >"$folder/README" <<'README'
gnd: n-dimensional arrays on the GPU and the CPU, in C. This folder works wherever it is.

    export PKG_CONFIG_PATH=/this/folder/lib/pkgconfig
    cc program.c $(pkg-config --cflags --libs gnd)           # or gnd-static

    cmake -DCMAKE_PREFIX_PATH=/this/folder ...               # find_package(gnd): gnd::gnd, gnd::gnd_static

bin/ has the tools, share/doc/gnd the course's programs and more to read, share/man the manual.
README
