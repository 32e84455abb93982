/*
 * kalman_cuda.c: Kalman filters on CUDA, all steps in one launch: a thread has a track of a usual size, whose state
 * stays in registers; a block has one of any other size. 10^5 tracks of 4 numbers with measurements of 2, 100 steps:
 * 80 MB of measurements, 160 MB of states, 60 us at 4.0 TB/s; and about 360 multiplications and additions a step, 125
 * us of an H200's arithmetic.
 */
#include "kalman/cuda/kalman_params.h"
#include "runtime/cuda/runtime_cuda.h"

/* kalman_kernels.cu. NULL: there is none of that size. */
const void *gndi_cuda_kalman_kernel(int nx, int nz, bool wide, bool shared);
const void *gndi_cuda_kalman_any_kernel(bool wide);

enum { MOST_SHARED = 160 << 10, BLOCKS_EACH = 8 };

static gnd_status run_any(gnd_stream *s, gndi_kalman_params *p, const char *fn) {
    const int64_t bytes = gndi_kalman_numbers(&p->plan) * (p->plan.wide ? 8 : 4);
    const int64_t blocks = gndi_min(p->plan.tracks, (int64_t)BLOCKS_EACH * s->device->processors);
    gndi_buffer *work = bytes > MOST_SHARED ? gndi_buffer_new(fn, s, (size_t)(blocks * bytes)) : NULL;
    if (bytes > MOST_SHARED && !work) return GND_ERROR_MEMORY;
    p->work = work ? work->base : NULL;
    const gnd_status status = gndi_cuda_launch(s, gndi_cuda_kalman_any_kernel(p->plan.wide), blocks,
                                               GNDI_KALMAN_THREADS, work ? 0 : (size_t)bytes, p, fn);
    if (work) gndi_buffer_release(work);
    return status;
}

gnd_status gndi_cuda_kalman(gnd_stream *s, const gndi_kalman_plan *plan, const char *fn) {
    gndi_kalman_params p = {.plan = *plan};
    const bool shared = !(plan->f.step || plan->h.step || plan->q.step || plan->r.step);
    const void *kernel = gndi_cuda_kalman_kernel(plan->nx, plan->nz, plan->wide, shared);
    if (!kernel) return run_any(s, &p, fn);
    return gndi_cuda_launch(s, kernel, gndi_ceil_div(plan->tracks, GNDI_KALMAN_THREADS), GNDI_KALMAN_THREADS, 0, &p,
                            fn);
}
