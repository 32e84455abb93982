/*
 * ambiguity_cuda.c: the magnitudes of ambiguity functions on CUDA, one launch. Of 2048 samples 67 MB are written: 17 us
 * at 4.0 TB/s; the transforms of half of the 4095 rows, the others being the same, take about as long.
 */
#include "fft/cuda/fft_columns_params.h"
#include "radar/ambiguity_plan.h"
#include "runtime/cuda/runtime_cuda.h"

const void *gndi_cuda_ambiguity_kernel(int bits); /* ambiguity_kernels.cu */

gnd_status gndi_cuda_ambiguity(gnd_stream *s, const gndi_ambiguity_plan *plan, const char *fn) {
    gndi_ambiguity_plan p = *plan;
    const int side = GNDI_ROWS_SIDE(p.bits);
    const int64_t rows = p.same ? p.nx : p.nx + p.ny - 1;
    return gndi_cuda_launch(s, gndi_cuda_ambiguity_kernel(p.bits), gndi_ceil_div(rows, side),
                            GNDI_COLUMNS_THREADS(p.bits, side), (size_t)GNDI_COLUMNS_SHARED(p.bits, side), &p, fn);
}
