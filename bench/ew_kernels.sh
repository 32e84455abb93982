#!/bin/sh
# Builds and runs ew_kernels in variants, to tune the CUDA elementwise kernels on the card at hand:
#     bench/ew_kernels.sh build DIR     all variants into DIR (no GPU needed)
#     bench/ew_kernels.sh run DIR       their tables
# Without the first argument: both, in a temporary folder.
set -e
root=$(cd "$(dirname "$0")/.." && pwd)
nvcc=${NVCC:-nvcc}; command -v "$nvcc" >/dev/null || nvcc=/usr/local/cuda/bin/nvcc
arch=${ARCH:-90}

variants='
base:
dense_threads128:-DGNDI_TUNE_DENSE_THREADS=128:add_f32,exp_f32,add_scalar,where_f32,less_f32,add_f16,add_u8,mul_c64,fill_f32
dense_threads512:-DGNDI_TUNE_DENSE_THREADS=512:add_f32,exp_f32,add_scalar,where_f32,less_f32,add_f16,add_u8,mul_c64,fill_f32
dense2_threads128:-DGNDI_TUNE_DENSE=2 -DGNDI_TUNE_DENSE_THREADS=128:add_f32,exp_f32,add_scalar,where_f32,less_f32,add_f16,add_u8,mul_c64,fill_f32
rows2:-DGNDI_TUNE_ROWS=2:cast_f32_f64,cast_f64_f32,cast_f32_u8,bcast_row,bcast_col,outer_add,bcast_row_f16,masked_add,strided2,misaligned,mixed_f32_f64,mixed_u8_f32,bcast_odd,bcast_narrow,outer_odd,mixed_odd
rows_threads256:-DGNDI_TUNE_ROWS_THREADS=256:cast_f32_f64,cast_f64_f32,cast_f32_u8,bcast_row,bcast_col,outer_add,bcast_row_f16,masked_add,strided2,misaligned,mixed_f32_f64,mixed_u8_f32,bcast_odd,bcast_narrow,outer_odd,mixed_odd
mixed4:-DGNDI_TUNE_MIXED=4:cast_f32_f64,cast_f64_f32,cast_f32_u8,mixed_f32_f64,mixed_u8_f32,mixed_odd
mixed_threads128:-DGNDI_TUNE_MIXED_THREADS=128:cast_f32_f64,cast_f64_f32,cast_f32_u8,mixed_f32_f64,mixed_u8_f32,mixed_odd
mixed_threads32:-DGNDI_TUNE_MIXED_THREADS=32:cast_f32_f64,cast_f64_f32,cast_f32_u8,mixed_f32_f64,mixed_u8_f32,mixed_odd
stream1:-DGNDI_TUNE_STREAM=1:cast_f32_f64,mixed_f32_f64,outer_add,copy_transposed,copy_transp_odd,copy_transp_u8
tile4:-DGNDI_TUNE_TILE=4:copy_transposed,add_transposed,add_both_transp,copy_transp_f64,copy_transp_u8,copy_transp_odd,copy_transp_u8odd
tile16:-DGNDI_TUNE_TILE=16:copy_transp_u8,copy_transp_u8odd
tilex32:-DGNDI_TUNE_TILE_X=32:copy_transposed,add_transposed,add_both_transp,copy_transp_f64,copy_transp_u8,copy_transp_odd,copy_transp_u8odd
'

build_variant() { # name flags
    flags="$2 -I$root/include -I$root/src -DGNDI_WITH_CUDA"
    mkdir -p "$dir/$1"
    $nvcc -std=c++17 -O3 --expt-relaxed-constexpr --extended-lambda -gencode=arch=compute_$arch,code=sm_$arch \
        $flags -c "$root/bench/ew_kernels_subset.cu" -o "$dir/$1/subset.o"
    cuda=$(dirname "$(dirname "$(readlink -f "$(command -v "$nvcc")")")")
    for c in "$root"/bench/ew_kernels.c "$root"/src/kernels/cuda/elementwise_*cuda.c; do
        ${CC:-gcc} -std=c11 -D_GNU_SOURCE -O2 $flags -isystem "$cuda/include" -c "$c" -o "$dir/$1/$(basename "$c" .c).o"
    done
    $nvcc "$dir/$1"/*.o -cudart static -lm -lpthread -o "$dir/ew_$1"
    rm -r "${dir:?}/$1"
}

each_variant() { # build | run
    echo "$variants" | { while IFS=: read -r name flags rows; do
        [ -n "$name" ] || continue
        if [ "$1" = build ]; then
            build_variant "$name" "$flags" </dev/null &
            # no more at a time than there are processors
            [ "$(jobs -p | wc -l)" -lt "${JOBS:-$(nproc)}" ] || wait
        else
            echo "== $name  $flags"
            "$dir/ew_$name" ${rows:+"$rows"} </dev/null
        fi
    done; wait; } # in the pipeline's own shell, whose children the builds are
}

if [ $# -eq 2 ]; then
    dir=$2
    mkdir -p "$dir"
    each_variant "$1"
else
    dir=$(mktemp -d)
    trap 'rm -r "$dir"' EXIT
    each_variant build
    each_variant run
fi
