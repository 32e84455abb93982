#!/usr/bin/env bash
# stage.sh BUILD FOLDER [LIBDIR]: what is built in BUILD, installed as a tree below FOLDER that works from
# wherever it is moved to: FOLDER/bin, /include, /share and the libraries in FOLDER/LIBDIR (lib).
#
# The build directory may be set up for any prefix and libdir, and stays so. Only what gnd.pc and
# gnd-config.cmake say of where things lie from them is written anew.
set -euo pipefail
build=$1 folder=$2 libdir=${3:-lib}

option() {
    meson introspect "$build" --buildoptions |
        python3 -c 'import json, sys
print(next(o["value"] for o in json.load(sys.stdin) if o["name"] == sys.argv[1]))' "$1"
}
prefix=$(option prefix)
built_libdir=$(option libdir)

root=$folder.installed
rm -rf "$folder" "$root" && mkdir -p "$folder" "$root"
root=$(cd "$root" && pwd)
trap 'rm -rf "$root"' EXIT
meson install -C "$build" --no-rebuild --quiet --destdir "$root"

libraries=$root$prefix/$built_libdir
mkdir -p "$root/libraries"
mv "$libraries"/* "$root/libraries"
find "$root$prefix" -type d -empty -delete
mv "$root$prefix"/* "$folder"
mkdir -p "$(dirname "$folder/$libdir")"
mv "$root/libraries" "$folder/$libdir"

# One "/.." for each part of a path.
up() { printf '%s' "$1" | sed -E 's,[^/]+,..,g'; }
sed -i -e "s,^prefix=.*,prefix=\${pcfiledir}/$(up "$libdir/pkgconfig")," \
    -e "s,^libdir=.*,libdir=\${prefix}/$libdir," "$folder/$libdir"/pkgconfig/*.pc
from_cmake="\${CMAKE_CURRENT_LIST_DIR}/$(up "$libdir/cmake/gnd")"
sed -i -e "s,^get_filename_component(_gnd_prefix .*,get_filename_component(_gnd_prefix \"$from_cmake\" ABSOLUTE)," \
    -e "s,^set(_gnd_libdir .*,set(_gnd_libdir \"\${_gnd_prefix}/$libdir\")," \
    "$folder/$libdir/cmake/gnd/gnd-config.cmake"
