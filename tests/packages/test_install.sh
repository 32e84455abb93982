#!/usr/bin/env bash
# test_install.sh SOURCE BUILD SANITIZED: what is built in BUILD, installed below a temporary folder, is what the README
# says: the ten lines compile with cc and pkg-config alone, as C and as C++17, shared and static, and with
# CMake where there is one; header, library and gnd.pc have one version; and the tree of the tarball works from
# another folder than it was made in. Speaks TAP.
set -uo pipefail
source=$1 build=$2 sanitized=$3
. "$source/tests/packages/snippet.sh"

if [ "$sanitized" != none ]; then
    echo "1..0 # SKIP programs of others would have to be built with the sanitizers, too"
    exit
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
count=0
# holds WHAT COMMAND...: a test is a command that succeeds; what it said is shown if it does not.
holds() {
    local what=$1
    shift
    count=$((count + 1))
    if "$@" >"$work/said" 2>&1; then
        echo "ok $count - $what"
    else
        echo "not ok $count - $what"
        sed 's/^/# /' "$work/said"
    fi
}
cc=${CC:-cc} cxx=${CXX:-c++}

# compiles LANGUAGE MODULE PROGRAM [flags]: by what pkg-config says alone, and it runs.
compiles() {
    local compiler=$cc flags input=$work/program.c
    [ "$1" = c ] || { compiler="$cxx -std=c++17" input=$work/program.cpp; }
    # shellcheck disable=SC2046,SC2086 # lists
    $compiler -Wall -Werror "$input" -o "$3" $(pkg-config --cflags --libs $2) && runs "$3"
}

# another_language PROGRAM: the program of examples/languages in C++, and in Fortran with the module's source.
another_language() {
    local program=$source/examples/languages/$1 modules=$work/modules
    mkdir -p "$modules"
    # shellcheck disable=SC2046 # lists
    case $1 in
    *.cpp) $cxx -std=c++17 -Wall -Werror "$program" -o "$work/$1.out" $(pkg-config --cflags --libs gnd) ;;
    *.f90) gfortran -J "$modules" "$(pkg-config --variable=includedir gnd)/gnd.f90" "$program" -o "$work/$1.out" \
        $(pkg-config --libs gnd) ;;
    esac && "$work/$1.out" | grep 'area 0.999999998'
}

# many_ranks OUTPUT [flags]: a program of libgnd_dist, alone as one rank; and with MPI, where it is, as two.
many_ranks() {
    local mpi
    # shellcheck disable=SC2046 # lists
    $cc -Wall -Werror "$source/tests/packages/ranks.c" -o "$1" $(pkg-config --cflags --libs gnd_dist) &&
        [ "$(GND_DEVICE=cpu "$1")" = "the sum over 1 ranks is 4950" ] || return 1
    command -v mpicc >/dev/null && command -v mpirun >/dev/null || return 0
    mpi=$(mpicc -Wall -Werror -DWITH_MPI "$source/tests/packages/ranks.c" -o "$1_mpi" \
        $(pkg-config --cflags --libs gnd_dist) && GND_DEVICE=cpu GND_NUM_THREADS=1 OMPI_ALLOW_RUN_AS_ROOT=1 \
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 mpirun -n 2 --oversubscribe "$1_mpi") &&
        [ "$mpi" = "the sum over 2 ranks is 4950" ] && return
    echo "under mpirun: $mpi"
    return 1
}

# versions_agree: of header, library, gnd.pc and CMake's file.
versions_agree() {
    local version
    version=$(pkg-config --modversion gnd)
    # shellcheck disable=SC2046
    $cc "$source/tests/packages/versions.c" -o "$work/versions" $(pkg-config --cflags --libs gnd) &&
        [ "$("$work/versions" | tee "$work/told")" = "$version $version" ] &&
        grep -qF "set(PACKAGE_VERSION \"$version\")" "$PKG_CONFIG_LIBDIR/../cmake/gnd/gnd-config-version.cmake" &&
        return
    echo "gnd.pc has $version, header and library have $(cat "$work/told")"
    return 1
}

# with_cmake PREFIX FOLDER: find_package(gnd) finds PREFIX, and both targets link.
with_cmake() {
    cmake -S "$source/tests/packages" -B "$2" -DPROGRAM="$work/program" -DCXX=ON -DCMAKE_PREFIX_PATH="$1" \
        -DCMAKE_BUILD_TYPE=Release ${dist:+-DRANKS="$source/tests/packages/ranks"} && cmake --build "$2" && {
        [ -z "$dist" ] || [ "$(GND_DEVICE=cpu "$2/ranks")" = "the sum over 1 ranks is 4950" ]
    } && runs "$2/shared" && runs "$2/static" &&
        runs "$2/shared_cxx" && ! readelf -d "$2/static" | grep libgnd && readelf -d "$2/shared" | grep 'libgnd\.so\.0'
}

# no_path FOLDER: nothing that is installed names the folders of this machine.
no_path() { ! grep -rlF -e "$source" -e "$(readlink -f "$build")" "$1"; }

# tools_run FOLDER: every tool starts where it lies, with nothing that is installed but the C and C++ libraries, and
# tells its version.
tools_run() {
    local tool library
    for tool in "$1"/bin/*; do
        for library in $(ldd "$tool" | awk '$3 ~ "^/" { print $3 }'); do
            case $(readlink -f "$library") in
            "$(readlink -f "$1")"/* | */libc.* | */libc-* | */libm.* | */libmvec.* | */libdl.* | */librt.*) ;;
            */libpthread.* | */libgcc_s.* | */libstdc++.*) ;;
            *) echo "$tool loads $library" && return 1 ;;
            esac
        done
        "$tool" --version | grep -F "$(pkg-config --modversion gnd)" || { echo "$tool --version"; return 1; }
    done
}

snippet "$source/README.md" "$work/program.c" || { echo "Bail out! no program in README.md"; exit 1; }
cp "$work/program.c" "$work/program.cpp"

holds "the tree is installed" meson install -C "$build" --no-rebuild --quiet --destdir "$work/installed"
pc=$(find "$work/installed" -name gnd.pc)
dist=$(find "$work/installed" -name gnd_dist.pc) # without -Ddist there is none
export PKG_CONFIG_LIBDIR=${pc%/*}
export LD_LIBRARY_PATH=${PKG_CONFIG_LIBDIR%/*}
holds "header, library and gnd.pc have one version" versions_agree
holds "the README's program in C" compiles c gnd "$work/c"
holds "in C++17" compiles c++ gnd "$work/cxx"
holds "static, in C" compiles c gnd-static "$work/c_static"
holds "static, in C++17" compiles c++ gnd-static "$work/cxx_static"
[ -z "$dist" ] || holds "arrays over many ranks" many_ranks "$work/ranks"
holds "the static ones need no libgnd.so" bash -c "! readelf -d $work/c_static $work/cxx_static | grep libgnd"

# The tarball's tree. It is made in one folder and used in another.
unset LD_LIBRARY_PATH
holds "the tree of the tarball" "$source/packaging/tarball.sh" "$build" "$work/made"
mv "$work/made" "$work/moved"
export PKG_CONFIG_LIBDIR=$work/moved/lib/pkgconfig
holds "moved: header, library and gnd.pc have one version" versions_agree
holds "moved: the README's program" compiles c gnd "$work/c_moved"
holds "moved: a program in C++ by gnd.hpp" another_language density.cpp
if command -v gfortran >/dev/null; then
    holds "moved: a program in Fortran" another_language density.f90
fi
[ -z "$dist" ] || holds "moved: arrays over many ranks" many_ranks "$work/ranks_moved"
holds "moved: static" compiles c "--static gnd-static" "$work/static_moved"
holds "moved: the tools run" tools_run "$work/moved"
holds "no path of this machine is in it" no_path "$work/moved"
holds "moved: the examples' Makefile" make -s -C "$work/moved/share/doc/gnd/examples" 16_matmul
if command -v cmake >/dev/null; then
    holds "moved: CMake" with_cmake "$work/moved" "$work/cmake"
else
    count=$((count + 1))
    echo "ok $count - moved: CMake # SKIP there is no cmake"
fi
echo "1..$count"
