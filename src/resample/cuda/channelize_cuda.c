/*
 * channelize_cuda.c: polyphase channelizers on CUDA: how many frames a block takes at a time.
 */
#include "resample/channelize_plan.h"
#include "resample/cuda/channelize_params.h"
#include "runtime/cuda/runtime_cuda.h"

const void *gndi_cuda_channelize_kernel(int dtype, bool complex_taps, int which); /* channelize_kernels.cu */

enum {
    SUMS_BYTES = 1 << 14, /* of a tile, in shared memory twice */
    BLOCKS_EACH = 8,      /* of a processor, each of which goes through several tiles */
    MOST_BLOCKS = 1 << 20,
};

/* The frames of a tile; false: threads may not slide over eight of them. A matter of the filter and dtype alone. */
static bool choose_frames(const gndi_channelize_plan *plan, int64_t item, gndi_channelize_params *p) {
    const int64_t most = gndi_max(1, SUMS_BYTES / item / plan->channels);
    p->frames = (int)most;
    if (plan->channels % plan->hop != 0) return false;
    const int64_t apart = plan->channels / plan->hop, least = apart * GNDI_CHANNELIZE_FRAMES;
    if (least > most) return false;
    p->apart = (int)apart;
    p->frames = (int)(most / least * least);
    return true;
}

gnd_status gndi_cuda_channelize(gnd_stream *s, const gndi_channelize_plan *plan, const char *fn) {
    const bool complex_taps = gndi_dtype_is_complex(plan->taps_dtype);
    const int64_t item = plan->dtype == GND_FLOAT32 || plan->dtype == GND_COMPLEX64 ? 8 : 16;
    gndi_channelize_params p = {.h = plan->h,
                                .x = plan->x,
                                .out = plan->out,
                                .channels = plan->channels,
                                .hop = plan->hop,
                                .taps = plan->taps,
                                .branch_taps = gndi_ceil_div(plan->taps, plan->channels),
                                .length = plan->length,
                                .x_first = plan->x_first,
                                .count = plan->count,
                                .frame_first = plan->frame_first,
                                .grid = plan->grid};
    if (!plan->transforms) {
        const int64_t blocks = gndi_ceil_div(plan->grid.lines * plan->count * plan->channels, GNDI_CHANNELIZE_THREADS);
        return gndi_cuda_launch(s, gndi_cuda_channelize_kernel(plan->dtype, complex_taps, GNDI_CHANNELIZE_SUMS),
                                gndi_min(blocks, MOST_BLOCKS), GNDI_CHANNELIZE_THREADS, 0, &p, fn);
    }
    const int which = choose_frames(plan, item, &p) ? GNDI_CHANNELIZE_SLIDING : GNDI_CHANNELIZE_FRAMEWISE;
    p.factors = gndi_fft_factors(plan->channels, p.factor);
    p.tiles = gndi_ceil_div(plan->count, p.frames);
    const int64_t shared = (2 * p.frames + 1) * plan->channels * item;
    const int64_t blocks = gndi_min(plan->grid.lines * p.tiles, (int64_t)BLOCKS_EACH * s->device->processors);
    return gndi_cuda_launch(s, gndi_cuda_channelize_kernel(plan->dtype, complex_taps, which), blocks,
                            GNDI_CHANNELIZE_THREADS, (size_t)shared, &p, fn);
}
