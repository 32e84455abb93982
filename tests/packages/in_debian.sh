#!/usr/bin/env bash
# in_debian.sh: what check_debian.sh runs as root in a fresh Debian, step by step; the first that fails
# ends it. /gnd has the packages, README.md and the files of this folder.
set -euo pipefail
cd /gnd
. ./snippet.sh
export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
step() { printf '== %s\n' "$*"; }
# A name that starts with ./ is a file to apt.
install() { apt-get install -y -qq "$@" >apt.log 2>&1 || { cat apt.log; exit 1; }; }
# What must fail.
never() { if "$@"; then echo "$*: should have failed"; exit 1; fi; }
must_not_have() { never command -v "$1"; }
# with_cmake FOLDER [options]
with_cmake() {
    cmake -S . -B "$1" -DPROGRAM=/gnd/program "${@:2}" >cmake.log 2>&1 || { cat cmake.log; exit 1; }
    cmake --build "$1" >>cmake.log 2>&1 || { cat cmake.log; exit 1; }
}

apt-get update -qq
step "the library, and what it recommends"
install ./packages/libgnd0_*.deb
must_not_have cc

step "gcc, and the headers"
install --no-install-recommends gcc
install ./packages/libgnd-dev_*.deb
must_not_have c++
must_not_have cmake
gcc --version | head -n 1

step "the README's ten lines, in C"
snippet README.md program.c
cc program.c $(pkg-config --cflags --libs gnd) -o program
runs "$PWD/program"
ldd program | grep /libgnd.so.0
cc versions.c $(pkg-config --cflags --libs gnd) -o versions
[ "$(./versions)" = "$(pkg-config --modversion gnd) $(pkg-config --modversion gnd)" ]

step "the same with the static library"
cc program.c $(pkg-config --cflags --libs gnd-static) -o program_static
never grep libgnd <(ldd program_static)
runs "$PWD/program_static"

step "linear algebra and Fourier transforms: what is recommended is what they load"
cat >loads.c <<'C'
#include <gnd.h>
int main(void) {
    GND_SCOPE {
        gnd_array *x = gnd_add(gnd_eye(3, 3, 0, GND_FLOAT64), 1);
        gnd_print(gnd_inv(x));
        gnd_print(gnd_fft(x, -1, -1, GND_FFT_BACKWARD));
    }
    gnd_check();
}
C
cc loads.c $(pkg-config --cflags --libs gnd) -o loads
./loads

step "the same with CMake"
install --no-install-recommends cmake make
must_not_have c++
with_cmake cmake-c
runs "$PWD/cmake-c/shared"
runs "$PWD/cmake-c/static"

step "the tools and the manual"
install ./packages/gnd-tools_*.deb
for tool in $(dpkg -L gnd-tools | grep ^/usr/bin/); do "$tool" --version; done
dpkg -L gnd-tools libgnd-dev | grep '/man[17]/'

step "the documentation; the course's programs"
install ./packages/libgnd-doc_*.deb
cp -r /usr/share/doc/libgnd-doc/examples examples
make -s -C examples
find examples -maxdepth 1 -type f -executable -printf '%f ' && echo
GND_DEVICE=cpu examples/16_matmul 64 >/dev/null

step "C++17"
install --no-install-recommends g++
cp program.c program.cpp
c++ -std=c++17 program.cpp $(pkg-config --cflags --libs gnd) -o program_cxx
runs "$PWD/program_cxx"
c++ -std=c++17 program.cpp $(pkg-config --cflags --libs gnd-static) -o program_cxx_static
runs "$PWD/program_cxx_static"

step "arrays over many ranks"
install ./packages/libgnd-dist0_*.deb ./packages/libgnd-dist-dev_*.deb
cc ranks.c $(pkg-config --cflags --libs gnd_dist) -o ranks
[ "$(GND_DEVICE=cpu ./ranks)" = "the sum over 1 ranks is 4950" ]
ldd ranks | grep /libgnd_dist.so.0

step "the packages go, and leave nothing"
apt-get purge -y -qq libgnd0 libgnd-dev libgnd-dist0 libgnd-dist-dev libgnd-doc gnd-tools >apt.log 2>&1
apt-get autoremove -y -qq >apt.log 2>&1
left=$(find /usr /etc /var/lib/dpkg/info -name '*gnd*')
[ -z "$left" ] || { echo "$left"; exit 1; }

step "the tarball, in a folder of its own"
install --no-install-recommends pkg-config
mkdir -p /opt/anywhere
tar -C /opt/anywhere -xzf packages/gnd-*.tar.gz
gnd=$(echo /opt/anywhere/gnd-*)
export PKG_CONFIG_PATH=$gnd/lib/pkgconfig
cc program.c $(pkg-config --cflags --libs gnd) -o program_tarball
runs "$PWD/program_tarball"
cc program.c $(pkg-config --cflags --libs gnd-static) -o program_tarball_static
runs "$PWD/program_tarball_static"
with_cmake cmake-tarball -DCXX=ON -DCMAKE_PREFIX_PATH="$gnd"
runs "$PWD/cmake-tarball/shared_cxx"
for tool in "$gnd"/bin/*; do "$tool" --version; done

step "all of it holds"
