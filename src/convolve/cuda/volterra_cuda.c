/*
 * volterra_cuda.c: filters of the second and the third order on CUDA: tiles of elements and some rows of taps in shared
 * memory, or, of very long rows, a thread for each output.
 */
#include "convolve/volterra_plan.h"
#include "convolve/cuda/volterra_params.h"
#include "runtime/cuda/runtime_cuda.h"
#include "signal/cuda/correlate_params.h"

const void *gndi_cuda_volterra_kernel(int type, bool tiles); /* volterra_kernels.cu */

enum { SHARED_MOST = 96 << 10 /* bytes of a block */, MANY_BLOCKS = 32 /* of a processor */ };

static int64_t round_up(int64_t n, int64_t to) {
    return gndi_ceil_div(n, to) * to;
}

/* How shared memory is laid out; its bytes. 0: it does not do. */
static int64_t lay_tile(gndi_volterra_params *p, int64_t bytes) {
    enum { WIDE = GNDI_VOLTERRA_WIDE };
    const int64_t last = p->shape[2], high = round_up(p->shape[1], WIDE);
    const int64_t longest = gndi_max(p->third ? p->shape[0] : 1, gndi_max(p->shape[1], last));
    const int64_t pitch = round_up(GNDI_VOLTERRA_OUTPUTS + longest + 2 * WIDE, WIDE), taps_pitch = round_up(last, WIDE);
    const int64_t rows = (SHARED_MOST / bytes - pitch) / taps_pitch / WIDE * WIDE;
    if (rows < WIDE) return 0;
    p->pitch = (int32_t)pitch, p->taps_pitch = (int32_t)taps_pitch, p->rows = (int32_t)gndi_min(rows, high);
    return (pitch + p->rows * taps_pitch) * bytes;
}

gnd_status gndi_cuda_volterra(gnd_stream *s, const gndi_volterra_plan *plan, const char *fn) {
    int64_t bytes;
    const int type = gndi_sums_type(plan->dtype, &bytes), skipped = 3 - plan->order;
    gndi_volterra_params p = {.x = plan->x,
                              .taps = plan->taps,
                              .out = plan->out,
                              .x_step = plan->x_step,
                              .length = plan->count,
                              .count = plan->count,
                              .shape = {1, 1, 1},
                              .third = plan->order == 3,
                              .dtype = plan->dtype,
                              .item = (int32_t)gndi_dtype_sizes[plan->dtype]};
    for (int a = 0; a < plan->order; a++) {
        p.shape[a + skipped] = plan->taps_shape[a], p.stride[a + skipped] = plan->taps_stride[a];
        p.length = gndi_max(p.length, plan->count + plan->taps_shape[a] - 1);
    }
    const int64_t shared = lay_tile(&p, bytes);
    const int64_t tiles = gndi_ceil_div(plan->count, GNDI_VOLTERRA_OUTPUTS);
    const int64_t blocks =
        gndi_min(gndi_ceil_div(plan->count, GNDI_VOLTERRA_THREADS), (int64_t)MANY_BLOCKS * s->device->processors);
    return gndi_cuda_launch(s, gndi_cuda_volterra_kernel(type, shared > 0), shared ? tiles : blocks,
                            GNDI_VOLTERRA_THREADS, (size_t)shared, &p, fn);
}
