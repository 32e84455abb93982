/*
 * resample_lines_cuda.c: gnd_resample of long lines on CUDA, in three launches.
 */
#include "resample/cuda/resample_lines_params.h"
#include "runtime/cuda/runtime_cuda.h"

const void *gndi_cuda_resample_kernel(gndi_resample_step step, int rows,
                                      bool thousands); /* resample_lines_kernels.cu */

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
    t->gaps = radix[0] % 4 == 0 && t->pass[1].part % 8 == 0;
    return rows;
}

/* Pairs of a row of n elements, with its gaps. */
static int64_t frame_of(int n, const gndi_resample_transform *t) {
    return t->gaps ? n / 2 + n / 16 : n / 2;
}

gnd_status gndi_cuda_resample_lines(gnd_stream *s, const gndi_resample_lines_plan *plan, const char *fn) {
    const int64_t half = plan->rows / 2 + 1, pitch = gndi_max(plan->from, plan->to), tile = GNDI_RESAMPLE_TILE;
    const int side = plan->rows == 1000 ? 10 : 8;
    const double circle = 6.283185307179586477, n = (double)plan->rows * plan->from, num = n / plan->from * plan->to;
    gndi_resample_lines_params p = {.plan = *plan,
                                    .pitch = (int)pitch,
                                    .angle_from = (float)(circle / n),
                                    .angle_to = (float)(circle / num),
                                    .factor = (float)(1 / n)};
    /* As many blocks of rows as processors take at once, if there are so few rows. */
    const int64_t few = gndi_ceil_div(plan->lines * half, 2 * (int64_t)s->device->processors);
    const int64_t most = gndi_min(plan_passes(plan->from, &p.forth), plan_passes(plan->to, &p.back));
    p.group = (int)gndi_min(gndi_min(few, most), half);
    /* 1e7 numbers to 8e6, as of 10 to 8 MHz. */
    const bool thousands = plan->from == 10000 && plan->to == 8000;
    if (thousands) p.group = 1;
    p.frame = (int)gndi_max(frame_of(plan->from, &p.forth), frame_of(plan->to, &p.back));
    const size_t work = (size_t)(plan->lines * half * pitch * 8);
    gndi_buffer *memory = gndi_buffer_new(fn, s, work + (size_t)(plan->from + plan->to) * 8);
    if (!memory) return GND_ERROR_MEMORY;
    p.work = memory->base, p.roots = p.work + work;
    const int64_t blocks[] = {gndi_ceil_div(plan->from, tile), gndi_ceil_div(half, p.group),
                              gndi_ceil_div(plan->to, tile)};
    const int threads[] = {4 * side * side, GNDI_RESAMPLE_THREADS, 4 * side * side};
    const int64_t columns = GNDI_RESAMPLE_SHARED(side), rows = (int64_t)p.group * p.frame * 16;
    const int64_t shared[] = {columns, thousands ? GNDI_RESAMPLE_THOUSANDS : rows, columns};
    gnd_status status = GND_OK;
    for (int k = 0; k < GNDI_RESAMPLE_STEPS && !status; k++)
        status = gndi_cuda_launch_early(s, gndi_cuda_resample_kernel((gndi_resample_step)k, plan->rows, thousands),
                                        plan->lines * blocks[k], threads[k], (size_t)shared[k], &p, fn);
    gndi_buffer_release(memory);
    return status;
}
