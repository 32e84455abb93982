#!/usr/bin/env bash
# cuda12.sh FOLDER: a toolkit of CUDA 12.4 below FOLDER, enough to compile and link gnd: bin, nvvm, include and lib64.
# The compiler and CUB are Debian 13's packages, from where this machine gets its own; the runtime's headers are those
# of NVIDIA's package for Python, and so is the static runtime (of 12.9: 12.4's package has none; within 12 one runs
# the other's objects). Needs no root. PYTHON is a Python with pip.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/debian.sh"

rm -rf "$1" && mkdir -p "$1"/{bin,nvvm/bin,include,lib64}
folder=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

debian_unpack trixie "main non-free" "$work/debian" nvidia-cuda-toolkit=12.4.131~12.4.1-2 libcub-dev libthrust-dev \
    libcu++-dev
mkdir "$work/python"
"${PYTHON:-python3}" -m pip download -q --no-deps -d "$work" nvidia-cuda-nvcc-cu12==12.4.131 \
    nvidia-cuda-runtime-cu12==12.4.127 nvidia-nvtx-cu12==12.4.127
"${PYTHON:-python3}" -m pip download -q --no-deps -d "$work/python" nvidia-cuda-runtime-cu12==12.9.79
for wheel in "$work"/*.whl; do "${PYTHON:-python3}" -m zipfile -e "$wheel" "$work/headers"; done
"${PYTHON:-python3}" -m zipfile -e "$work"/python/*.whl "$work/runtime"

debian=$work/debian/usr toolkit=$work/debian/usr/lib/nvidia-cuda-toolkit
cp "$debian"/bin/{bin2c,cudafe++,fatbinary,nvlink,ptxas,__nvcc_device_query} "$toolkit/bin/nvcc" "$folder/bin"
cp -r "$toolkit/bin/crt" "$folder/bin"
cp "$toolkit/bin/cicc" "$folder/nvvm/bin"
cp -r "$toolkit/libdevice" "$folder/nvvm"
cp -r "$debian"/include/{cub,cuda,nv,thrust} "$work"/headers/nvidia/*/include/. "$folder/include"
cp "$work/runtime/nvidia/cuda_runtime/lib/libcudart_static.a" "$folder/lib64"
cat >"$folder/bin/nvcc.profile" <<'PROFILE'
TOP = $(_HERE_)/..
CICC_PATH = $(TOP)/nvvm/bin
NVVMIR_LIBRARY_DIR = $(TOP)/nvvm/libdevice
PATH += $(CICC_PATH):$(_HERE_):
INCLUDES += "-I$(TOP)/include" $(_SPACE_)
LIBRARIES =+ $(_SPACE_) "-L$(TOP)/lib64"
PROFILE
"$folder/bin/nvcc" --version | tail -n 2
