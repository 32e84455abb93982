#!/usr/bin/env bash
# test_ways.sh SOURCE BUILD SANITIZED [whole]: the ways to the source of gnd: the FetchContent of CMake, a subproject of
# Meson, and the recipes of conda-forge, Spack and vcpkg. CMake uses what is built in BUILD, and Meson sets up without
# building; with `whole` both build the CPU library anew. Speaks TAP.
set -uo pipefail
source=$(cd "$1" && pwd) build=$(cd "$2" && pwd) sanitized=$3 whole=${4:-}
python=${PYTHON:-python3}
. "$source/tests/packages/snippet.sh"

if [ "$sanitized" != none ]; then
    echo "1..0 # SKIP programs of others would have to be built with the sanitizers, too"
    exit
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
snippet "$source/README.md" "$work/program.c" || { echo "Bail out! no program in README.md"; exit 1; }

# with_cmake FOLDER [options]: FetchContent of the source makes gnd::gnd, and the program runs where it was built.
with_cmake() {
    cmake -S "$source/tests/packages" -B "$1" -DGND_SOURCE="$source" -DPROGRAM="$work/program" "${@:2}" &&
        cmake --build "$1" && runs "$1/shared" && readelf -d "$1/shared" | grep 'libgnd\.so\.0'
}

# All of it by CMake; what is installed lies where it is told, and gnd.pc finds it.
whole_cmake() {
    with_cmake "$work/cmake_whole" '-DGND_MESON_OPTIONS=-Dcuda=disabled;-Dcpu_isa=baseline' \
        -DCMAKE_INSTALL_LIBDIR=lib && cmake --install "$work/cmake_whole" --prefix "$work/prefix" &&
        PKG_CONFIG_LIBDIR=$work/prefix/lib/pkgconfig pkg-config --modversion gnd &&
        LD_LIBRARY_PATH=$work/prefix/lib runs "$work/prefix/bin/shared"
}

# subproject: gnd.wrap makes dependency('gnd') that of the subproject.
subproject() {
    mkdir -p "$work/meson/subprojects"
    cp "$source/tests/packages/subproject/meson.build" "$work/program.c" "$work/meson"
    cp "$source/packaging/gnd.wrap" "$work/meson/subprojects"
    ln -s "$source" "$work/meson/subprojects/gnd"
    meson setup "$work/meson/build" "$work/meson" --force-fallback-for=gnd -Dgnd:cuda=disabled \
        -Dgnd:cpu_isa=baseline && meson introspect --targets "$work/meson/build" | grep -q libgnd.so.0 &&
        ! meson introspect --tests "$work/meson/build" | grep -q test_
}
whole_meson() { meson compile -C "$work/meson/build" && runs "$work/meson/build/program"; }

# recipes: what they say of gnd is so, and they can be read.
recipes() { "$python" "$source/tests/packages/recipes.py" "$source"; }

# versions FILE: a bound on the C library's version that is too low is seen.
versions() {
    "$python" "$source/packaging/needs.py" GLIBC=99.0 GCC=99.0 "$1" &&
        ! "$python" "$source/packaging/needs.py" GLIBC=2.17 "$1"
}

count=0
# holds WHAT COMMAND...: a test is a command that succeeds; what it said is shown if it does not.
holds() {
    count=$((count + 1))
    if "${@:2}" >"$work/said" 2>&1; then
        echo "ok $count - $1"
    else
        echo "not ok $count - $1"
        sed 's/^/# /' "$work/said"
    fi
}
has_cmake() { command -v cmake >/dev/null; }

if has_cmake; then
    holds "CMake: FetchContent" with_cmake "$work/cmake" -DGND_BUILD_DIR="$build"
else
    count=$((count + 1))
    echo "ok $count - CMake: FetchContent # SKIP there is no cmake"
fi
holds "Meson: a subproject is set up" subproject
holds "recipes of conda-forge, Spack and vcpkg" recipes
holds "which glibc the library needs" versions "$build/src/libgnd.so"
if [ "$whole" = whole ]; then
    holds "Meson: a subproject is built" whole_meson
    holds "CMake: everything, and its install" whole_cmake
fi
echo "1..$count"
