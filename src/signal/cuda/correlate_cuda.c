/*
 * correlate_cuda.c: sliding sums of products on CUDA: which kernel, and how the taps are shared when
 * there are too few outputs to keep the card busy.
 */
#include "signal/correlate_plan.h"
#include "signal/cuda/correlate_params.h"
#include "runtime/cuda/runtime_cuda.h"

const void *gndi_cuda_correlate_kernel(int type, int which); /* correlate_kernels.cu */

enum { SLIDE, DOT, JOIN };
enum {
    FEW = 32,           /* outputs that are dots of their own */
    DOT_TAPS = 1 << 14, /* least taps of a block */
    BLOCKS_EACH = 4,    /* of a processor, before taps are shared */
};

/* Cuts the taps into about as many shares as are wanted, of whole steps of the kernel. */
static void share_taps(gndi_slide_params *p, int64_t wanted, int64_t least) {
    const int64_t most = gndi_ceil_div(p->taps, least);
    if (wanted > most) wanted = most;
    if (wanted < 1) wanted = 1;
    p->share = gndi_ceil_div(gndi_ceil_div(p->taps, wanted), GNDI_SLIDING_TAPS) * GNDI_SLIDING_TAPS;
    p->shares = gndi_ceil_div(p->taps, p->share);
}

gnd_status gndi_cuda_correlate(gnd_stream *s, const gndi_correlate_plan *plan, const char *fn) {
    int64_t bytes;
    const int type = gndi_sums_type(plan->dtype, &bytes);
    gndi_slide_params p = {.x = plan->x.data,
                           .k = plan->k.data,
                           .out = plan->out.data,
                           .x_step = plan->x.step,
                           .k_step = plan->k.step,
                           .out_step = plan->out.step,
                           .first = plan->first,
                           .count = plan->count,
                           .length = plan->length,
                           .taps = plan->taps,
                           .dtype = plan->dtype,
                           .conjugate = plan->conjugate};
    const bool same = gndi_dtype_sizes[plan->dtype] == bytes;
    p.dense = same && p.x_step == bytes, p.dense_out = same && p.out_step == bytes;
    const bool dots = plan->count <= FEW && plan->taps > GNDI_SLIDING_TAPS;
    const int64_t tiles = gndi_ceil_div(plan->count, GNDI_SLIDING_TILE(bytes));
    const int64_t busy = (int64_t)BLOCKS_EACH * s->device->processors;
    if (dots)
        share_taps(&p, gndi_ceil_div(2 * busy, plan->count), DOT_TAPS);
    else
        share_taps(&p, tiles < busy / 2 ? busy / tiles : 1, 4 * GNDI_SLIDING_TAPS);
    gndi_buffer *parts = NULL;
    if (p.shares > 1) {
        parts = gndi_buffer_new(fn, s, (size_t)(p.shares * p.count * bytes));
        if (!parts) return GND_ERROR_MEMORY;
        p.parts = parts->base;
    }
    const dim3 grid =
        dots ? (dim3){(unsigned)p.shares, (unsigned)p.count, 1} : (dim3){(unsigned)tiles, (unsigned)p.shares, 1};
    gnd_status status = gndi_cuda_launch_grid(s, gndi_cuda_correlate_kernel(type, dots ? DOT : SLIDE), grid,
                                              dots ? GNDI_DOT_THREADS : GNDI_SLIDING_THREADS, 0, &p, fn);
    if (!status && parts)
        status = gndi_cuda_launch(s, gndi_cuda_correlate_kernel(type, JOIN), gndi_ceil_div(p.count, GNDI_JOIN_THREADS),
                                  GNDI_JOIN_THREADS, 0, &p, fn);
    if (parts) gndi_buffer_release(parts);
    return status;
}
