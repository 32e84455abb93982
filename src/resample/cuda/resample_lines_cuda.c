/*
 * resample_lines_cuda.c: gnd_resample of long lines on CUDA, in three launches.
 */
#include "resample/cuda/resample_lines_params.h"
#include "runtime/cuda/runtime_cuda.h"

const void *gndi_cuda_resample_kernel(gndi_resample_step step, int rows); /* resample_lines_kernels.cu */

static uint32_t inverse(uint32_t by) {
    return by > 1 ? UINT32_MAX / by + 1 : 0;
}

/* The passes over rows of n elements; how many rows a block's threads take at once. */
static int64_t plan_passes(int n, gndi_resample_transform *t) {
    int radix[GNDI_RESAMPLE_RADICES];
    int64_t rows = INT32_MAX;
    uint32_t stride = 1;
    t->passes = gndi_resample_radices(n, radix);
    for (int i = 0; i < t->passes; i++) {
        const uint32_t part = (uint32_t)(n / radix[i] / 2);
        t->pass[i] = (gndi_resample_pass){(uint32_t)radix[i], part, inverse(part), stride / 2, inverse(stride / 2)};
        stride *= (uint32_t)radix[i];
        rows = gndi_min(rows, GNDI_RESAMPLE_THREADS / (int64_t)part);
    }
    return rows;
}

gnd_status gndi_cuda_resample_lines(gnd_stream *s, const gndi_resample_lines_plan *plan, const char *fn) {
    const int64_t half = plan->rows / 2 + 1, pitch = gndi_max(plan->from, plan->to), tile = GNDI_RESAMPLE_TILE;
    const int side = plan->rows == 1000 ? 10 : 8;
    gndi_resample_lines_params p = {.plan = *plan, .pitch = (int)pitch};
    /* As many blocks of rows as processors take at once, if there are so few rows. */
    const int64_t few = gndi_ceil_div(plan->lines * half, 2 * (int64_t)s->device->processors);
    const int64_t most = gndi_min(plan_passes(plan->from, &p.forth), plan_passes(plan->to, &p.back));
    p.group = (int)gndi_min(gndi_min(few, most), half);
    const size_t work = (size_t)(plan->lines * half * pitch * 8);
    gndi_buffer *memory = gndi_buffer_new(fn, s, work + (size_t)(plan->from + plan->to) * 8);
    if (!memory) return GND_ERROR_MEMORY;
    p.work = memory->base, p.roots = p.work + work;
    const int64_t blocks[] = {gndi_ceil_div(plan->from, tile), gndi_ceil_div(half, p.group),
                              gndi_ceil_div(plan->to, tile)};
    const int threads[] = {4 * side * side, GNDI_RESAMPLE_THREADS, 4 * side * side};
    const int64_t shared[] = {GNDI_RESAMPLE_SHARED(side), p.group * pitch * 8, GNDI_RESAMPLE_SHARED(side)};
    gnd_status status = GND_OK;
    for (int k = 0; k < GNDI_RESAMPLE_STEPS && !status; k++)
        status = gndi_cuda_launch_early(s, gndi_cuda_resample_kernel((gndi_resample_step)k, plan->rows),
                                        plan->lines * blocks[k], threads[k], (size_t)shared[k], &p, fn);
    gndi_buffer_release(memory);
    return status;
}
