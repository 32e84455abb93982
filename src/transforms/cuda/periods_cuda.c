/*
 * periods_cuda.c: Lomb-Scargle periodograms and vector strengths on CUDA: sums over slices of the samples, and a launch
 * that adds the slices up and makes results of them. How samples are cut depends on the sizes and the card alone.
 */
#include "runtime/cuda/runtime_cuda.h"
#include "transforms/cuda/periods_params.h"

/* lomb_scargle_kernels.cu, vector_strength_kernels.cu */
const void *gndi_cuda_lomb_scargle_kernel(int dtype, bool plain, bool finishes);
const void *gndi_cuda_vector_strength_kernel(int dtype, int events_dtype, bool finishes);

enum { BLOCKS_EACH = 8, SUMS = 6 };

gnd_status gndi_cuda_lomb_scargle(gnd_stream *s, const gndi_lomb_scargle_plan *plan, const char *fn) {
    enum { THREADS = GNDI_PERIODS_THREADS, TILE = GNDI_PERIODS_TILE };
    const bool plain = !plan->weights && !plan->floating_mean;
    const int64_t each = plan->dtype == GND_FLOAT32 ? GNDI_PERIODS_FREQS / 2 : GNDI_PERIODS_FREQS;
    gndi_lomb_scargle_params p = {.plan = *plan, .fault = gndi_fault_record(s->device)};
    p.groups = gndi_ceil_div(plan->count, THREADS * each);
    const int64_t tiles = gndi_ceil_div(plan->samples, TILE);
    const int64_t wanted = gndi_ceil_div((int64_t)BLOCKS_EACH * s->device->processors, p.groups);
    p.length = gndi_ceil_div(tiles, gndi_min(tiles, wanted)) * TILE;
    p.slices = gndi_ceil_div(plan->samples, p.length);
    gndi_buffer *memory = gndi_buffer_new(fn, s, (size_t)(p.slices * (SUMS * plan->count + 3)) * sizeof(double));
    if (!memory) return GND_ERROR_MEMORY;
    p.totals = memory->base, p.sums = p.totals + 3 * p.slices;
    gnd_status status = gndi_cuda_launch(s, gndi_cuda_lomb_scargle_kernel(plan->dtype, plain, false),
                                         p.groups * p.slices, THREADS, 0, &p, fn);
    if (!status)
        status = gndi_cuda_launch(s, gndi_cuda_lomb_scargle_kernel(plan->dtype, plain, true),
                                  gndi_ceil_div(plan->count, THREADS), THREADS, 0, &p, fn);
    gndi_buffer_release(memory);
    return status;
}

gnd_status gndi_cuda_vector_strength(gnd_stream *s, const gndi_vector_strength_plan *plan, const char *fn) {
    enum { THREADS = GNDI_EVENTS_THREADS, LEAST = 8 * GNDI_EVENTS_THREADS };
    gndi_vector_strength_params p = {.plan = *plan, .fault = gndi_fault_record(s->device)};
    const int64_t wanted = gndi_ceil_div((int64_t)BLOCKS_EACH * s->device->processors, plan->count);
    p.length = gndi_max(gndi_ceil_div(plan->events_count, wanted), LEAST);
    p.parts = gndi_max(gndi_ceil_div(plan->events_count, p.length), 1);
    gndi_buffer *memory = gndi_buffer_new(fn, s, (size_t)(p.parts * plan->count) * 2 * sizeof(double));
    if (!memory) return GND_ERROR_MEMORY;
    p.sums = memory->base;
    gnd_status status = gndi_cuda_launch(s, gndi_cuda_vector_strength_kernel(plan->dtype, plan->events_dtype, false),
                                         p.parts * plan->count, THREADS, 0, &p, fn);
    if (!status)
        status = gndi_cuda_launch(s, gndi_cuda_vector_strength_kernel(plan->dtype, plan->events_dtype, true),
                                  plan->count, THREADS, 0, &p, fn);
    gndi_buffer_release(memory);
    return status;
}
