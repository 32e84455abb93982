/*
 * peaks_cuda.c: extrema and peaks on CUDA.
 */
#include "peaks/peaks_plan.h"
#include "runtime/cuda/runtime_cuda.h"

enum { THREADS = 256, MOST_BLOCKS = 1 << 22 };

const void *gndi_cuda_extrema_kernel(int comparison, int dtype); /* peaks_kernels.cu */
const void *gndi_cuda_line_extrema_kernel(int dtype);
const void *gndi_cuda_peaks_kernel(int kind, int dtype);

/* Whether there is one line, of whose elements only the next ones are looked at. */
static bool is_plain_line(const gndi_extrema_plan *p, int64_t tile) {
    const bool compares = p->comparison <= GNDI_IS_LESS_EQUAL;
    const bool aligned = (uintptr_t)p->x % 16 == 0 && (uintptr_t)p->out % 4 == 0;
    return compares && p->order == 1 && p->total == p->n && p->inner == 1 && aligned && p->n <= tile * INT32_MAX;
}

gnd_status gndi_cuda_extrema(gnd_stream *s, const gndi_extrema_plan *plan, const char *fn) {
    gndi_extrema_plan p = *plan;
    const int64_t tile = 4 * GNDI_EXTREMA_QUADS * THREADS;
    if (p.total <= 0) return GND_OK;
    if (is_plain_line(&p, tile))
        return gndi_cuda_launch(s, gndi_cuda_line_extrema_kernel(p.dtype), gndi_ceil_div(p.n, tile), THREADS, 0, &p,
                                fn);
    const int64_t blocks = gndi_min(gndi_ceil_div(p.total, THREADS), MOST_BLOCKS);
    return gndi_cuda_launch(s, gndi_cuda_extrema_kernel(p.comparison, p.dtype), blocks, THREADS, 0, &p, fn);
}

gnd_status gndi_cuda_peaks(gnd_stream *s, const gndi_peaks_plan *plan, const char *fn) {
    gndi_peaks_plan p = *plan;
    if (p.count <= 0) return GND_OK;
    const int64_t each = p.kind == GNDI_PEAKS_PROMINENCES ? THREADS / 32 : THREADS; /* peaks of a block */
    const int64_t blocks = gndi_min(gndi_ceil_div(p.count, each), MOST_BLOCKS);
    return gndi_cuda_launch(s, gndi_cuda_peaks_kernel(p.kind, p.dtype), blocks, THREADS, 0, &p, fn);
}
