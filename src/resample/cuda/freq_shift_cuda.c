/*
 * freq_shift_cuda.c: lines times a complex oscillation on CUDA.
 */
#include "resample/freq_shift_plan.h"
#include "runtime/cuda/runtime_cuda.h"

const void *gndi_cuda_freq_shift_kernel(int dtype); /* freq_shift_kernels.cu */

gnd_status gndi_cuda_freq_shift(gnd_stream *s, const gndi_freq_shift_plan *plan, const char *fn) {
    enum { THREADS = GNDI_SHIFT_THREADS, MOST_BLOCKS = 1 << 20, BLOCKS_EACH = 32, MOST_SHARES = 1 << 15 };
    gndi_freq_shift_plan p = *plan;
    p.turns_step = gndi_shift_turns(THREADS, p.freq, p.fs);
    const bool wide = p.dtype == GND_FLOAT64 || p.dtype == GND_COMPLEX128;
    const int64_t blocks = gndi_min(gndi_ceil_div(p.n, THREADS * (wide ? 1 : GNDI_SHIFT_EACH)), MOST_BLOCKS);
    /* Lines are shared among blocks only as far as the card is not busy without. */
    const int64_t shares = gndi_max(1, (int64_t)BLOCKS_EACH * s->device->processors / blocks);
    const dim3 grid = {(unsigned)blocks, (unsigned)gndi_min(gndi_min(p.grid.lines, shares), MOST_SHARES), 1};
    return gndi_cuda_launch_grid(s, gndi_cuda_freq_shift_kernel(p.dtype), grid, THREADS, 0, &p, fn);
}
