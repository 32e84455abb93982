#!/usr/bin/env bash
# old_base.sh FOLDER: what programs are built with that run on older systems too. FOLDER/usr and FOLDER/lib are the
# C library of Debian 11 (glibc 2.31) with its headers, the libstdc++ of GCC 10 and cJSON; FOLDER/bin/cc and c++ are
# this machine's compilers, which take the C library from there. Needs no root.
#
# Chosen over a compiler of Debian 11: kernels are compiled by the compiler that the tests run, and a name that the old
# libraries lack is an error of the link.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/debian.sh"

rm -rf "$1" && mkdir -p "$1"
folder=$(cd "$1" && pwd)
multiarch=$(gcc -print-multiarch)
debian_unpack bullseye main "$folder" libc6 libc6-dev linux-libc-dev libcrypt1 libcrypt-dev libgcc-s1 libstdc++6 \
    libcjson1 libcjson-dev
# Links that name a folder of the system's would lead to this system's.
find "$folder" -lname '/*' | while read -r link; do
    ln -sfn "$(realpath -m --relative-to="$(dirname "$link")" "$folder$(readlink "$link")")" "$link"
done

# Headers of C++ are the compiler's; what they call must be in the old library.
libraries=$folder/usr/lib/$multiarch
mkdir -p "$folder"/usr/include{,/"$multiarch"}/c++ "$folder/bin"
for headers in /usr/include/c++ "/usr/include/$multiarch/c++"; do
    cp -rs "$headers"/. "$folder$headers"
done
ln -sfn libstdc++.so.6 "$libraries/libstdc++.so"
ln -sfn "../../../lib/$multiarch/libgcc_s.so.1" "$libraries/libgcc_s.so"
for pair in cc=gcc c++=g++; do
    printf '#!/bin/sh\nexec %s --sysroot="%s" -B"%s" -L"%s" -L"%s" "$@"\n' "${pair#*=}" "$folder" "$libraries" \
        "$libraries" "$folder/lib/$multiarch" >"$folder/bin/${pair%=*}"
    chmod +x "$folder/bin/${pair%=*}"
done
