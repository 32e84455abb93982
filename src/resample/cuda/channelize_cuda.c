/*
 * channelize_cuda.c: polyphase channelizers on CUDA: how many frames a block takes at a time.
 */
#include "resample/channelize_plan.h"
#include "resample/cuda/channelize_params.h"
#include "runtime/cuda/runtime_cuda.h"
#include "runtime/hooks.h"

/* channelize_kernels.cu; `channels` matter to GNDI_CHANNELIZE_REGISTERS alone, which is NULL where there is none. */
const void *gndi_cuda_channelize_floats(bool complex_taps, int which, int64_t channels);
const void *gndi_cuda_channelize_doubles(bool complex_taps, int which, int64_t channels);
const void *gndi_cuda_channelize_complex_floats(bool complex_taps, int which, int64_t channels);
const void *gndi_cuda_channelize_complex_doubles(bool complex_taps, int which, int64_t channels);

enum {
    SUMS_BYTES = 1 << 14, /* of a tile, in shared memory twice */
    BLOCKS_EACH = 32,     /* of a processor, each of which goes through several tiles */
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

/* Of a tile's frames in shared memory, with a gap behind each thread's elements, and of the roots of unity: what
   register_fft of fft_registers.cuh has. */
static int64_t register_numbers(const gndi_channelize_params *p) {
    const int64_t elements = p->channels >= 128 ? 16 : 8, threads = p->channels / elements;
    return p->frames * (p->channels + threads) + (elements - 1) * threads;
}

static const void *kernel_of(const gndi_channelize_plan *plan, int which) {
    const bool complex_taps = gndi_dtype_is_complex(plan->taps_dtype);
    switch ((int)plan->dtype) {
    case GND_FLOAT32: return gndi_cuda_channelize_floats(complex_taps, which, plan->channels);
    case GND_FLOAT64: return gndi_cuda_channelize_doubles(complex_taps, which, plan->channels);
    case GND_COMPLEX64: return gndi_cuda_channelize_complex_floats(complex_taps, which, plan->channels);
    default: return gndi_cuda_channelize_complex_doubles(complex_taps, which, plan->channels);
    }
}

gnd_status gndi_cuda_channelize(gnd_stream *s, const gndi_channelize_plan *plan, const char *fn) {
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
    if (plan->joins) { /* by the kernel, if its blocks have a line each and few channels */
        enum { FEW = 32 };
        choose_frames(plan, item, &p);
        p.chunk = plan->chunk;
        p.joins = plan->channels <= FEW && plan->count <= p.frames &&
                  plan->grid.lines <= (int64_t)BLOCKS_EACH * s->device->processors;
        const gnd_status status = p.joins ? GND_OK : gndi_cuda_chunk(s, &plan->chunk, fn);
        if (status) return status;
    }
    if (!plan->transforms) {
        const int64_t blocks = gndi_ceil_div(plan->grid.lines * plan->count * plan->channels, GNDI_CHANNELIZE_THREADS);
        return gndi_cuda_launch(s, kernel_of(plan, GNDI_CHANNELIZE_SUMS), gndi_min(blocks, MOST_BLOCKS),
                                GNDI_CHANNELIZE_THREADS, 0, &p, fn);
    }
    const int which = choose_frames(plan, item, &p) ? GNDI_CHANNELIZE_SLIDING : GNDI_CHANNELIZE_FRAMEWISE;
    const void *registers = which == GNDI_CHANNELIZE_SLIDING ? kernel_of(plan, GNDI_CHANNELIZE_REGISTERS) : NULL;
    p.factors = gndi_fft_factors(plan->channels, p.factor);
    p.tiles = gndi_ceil_div(plan->count, p.frames);
    const int64_t numbers = registers ? register_numbers(&p) : (2 * p.frames + 1) * plan->channels;
    const int64_t blocks = gndi_min(plan->grid.lines * p.tiles, (int64_t)BLOCKS_EACH * s->device->processors);
    return gndi_cuda_launch_early(s, registers ? registers : kernel_of(plan, which), blocks, GNDI_CHANNELIZE_THREADS,
                                  (size_t)(numbers * item), &p, fn);
}
