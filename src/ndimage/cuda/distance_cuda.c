/*
 * distance_cuda.c: distances to the nearest zero on CUDA. Of 4096 x 4096 bytes the first axis reads 16.8 MB and writes
 * 67 MB, the second one reads these and writes 134 MB of doubles: 285 MB, 71 us at 4.0 TB/s. Where zeros are near, an
 * element looks at about as many others as it is away from one; where they are not, the marks of a row take about 7,000
 * instructions of a warp and its elements 22,000, of all rows 130 us if the H200's 528 schedulers are busy.
 */
#include "ndimage/cuda/distance_params.h"
#include "runtime/cuda/runtime_cuda.h"

const void *gndi_cuda_distance_words(const gndi_distance_plan *plan, bool held); /* distance_kernels.cu */
const void *gndi_cuda_distance_doubles(const gndi_distance_plan *plan, bool held);

enum { SEVERAL = 8, LONG = 256 };

static const void *kernel_of(const gndi_distance_plan *plan, bool held) {
    return plan->wide && plan->kind != GNDI_DISTANCE_RASTER ? gndi_cuda_distance_doubles(plan, held)
                                                            : gndi_cuda_distance_words(plan, held);
}

static gnd_status nearest(gnd_stream *s, gndi_cuda_distance_params *p, const char *fn) {
    enum { STRIPS = 8 };
    const int64_t rows = gndi_ceil_div(p->plan.n, GNDI_DISTANCE_ROWS);
    p->warps = (int32_t)gndi_min(rows, GNDI_CUDA_DISTANCE_MOST / 32);
    p->strips = (int32_t)gndi_max(STRIPS / p->warps, 1);
    p->all_strips = gndi_ceil_div(p->plan.inner, 32);
    p->blocks = gndi_ceil_div(rows, p->warps);
    const void *kernel = kernel_of(&p->plan, true);
    const int64_t blocks = gndi_ceil_div(p->all_strips, p->strips) * p->blocks;
    const int threads = 32 * p->warps * p->strips;
    p->looks = p->blocks > 1;
    if (p->looks) {
        const gnd_status status = gndi_cuda_launch(s, kernel, blocks, threads, 0, p, fn);
        if (status != GND_OK) return status;
        p->looks = false;
    }
    return gndi_cuda_launch(s, kernel, blocks, threads, 0, p, fn);
}

/* Lines next to each other are taken by one block: where they are columns, so that it reads whole sectors; short ones,
   so that its warps have work. */
static gnd_status least(gnd_stream *s, gndi_cuda_distance_params *p, const char *fn) {
    const int64_t n = p->plan.n, item = p->plan.wide ? sizeof(double) : sizeof(uint32_t);
    const bool held = gndi_distance_is_short(n, p->plan.wide);
    p->marks = (int32_t)gndi_distance_marks(n), p->lines = 1;
    const bool several = p->plan.inner > 1 || n < LONG;
    for (int lines = SEVERAL; several && held && p->lines == 1 && lines > 1; lines /= 2)
        if (lines * ((n + 48) * item + p->marks * 4) <= GNDI_DISTANCE_SHARED) p->lines = lines;
    /* Elements of columns, which threads store side by side, are in different banks. */
    p->pitch = (int32_t)(p->lines == 1 ? n : gndi_ceil_div(n, 32) * 32 + (p->plan.inner > 1 ? 32 / p->lines : 1));
    const size_t bytes = held ? (size_t)(p->lines * (p->pitch * item + p->marks * 4)) : 0;
    return gndi_cuda_launch(s, kernel_of(&p->plan, held), gndi_ceil_div(p->plan.outer * p->plan.inner, p->lines),
                            GNDI_CUDA_DISTANCE_THREADS, bytes, p, fn);
}

gnd_status gndi_cuda_distance(gnd_stream *s, const gndi_distance_plan *plan, const char *fn) {
    gndi_cuda_distance_params p = {.plan = *plan};
    if (plan->kind == GNDI_DISTANCE_NEAREST) return nearest(s, &p, fn);
    if (plan->kind == GNDI_DISTANCE_LEAST) return least(s, &p, fn);
    return gndi_cuda_launch(s, kernel_of(plan, true), 1, GNDI_CUDA_DISTANCE_MOST, 0, &p, fn);
}
