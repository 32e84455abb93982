/*
 * filtfilt_cuda.c: every few results of filtering forward and backward, on CUDA: a launch that reads the signal once,
 * and one that looks for what is not finite.
 */
#include "filter/cuda/filtfilt_params.h"
#include "filter/cuda/filter_tables.h"
#include "runtime/cuda/runtime_cuda.h"

const void *gndi_cuda_filtfilt_kernel(bool wide, bool packs); /* filtfilt_kernels.cu */
const void *gndi_cuda_spoil_kernel(bool wide);

/* A power of the 2 x 2 matrix of a step of a pair. */
typedef struct power {
    long double v[4];
} power;

static power product(power a, power b) {
    return (power){{a.v[0] * b.v[0] + a.v[1] * b.v[2], a.v[0] * b.v[1] + a.v[1] * b.v[3],
                    a.v[2] * b.v[0] + a.v[3] * b.v[2], a.v[2] * b.v[1] + a.v[3] * b.v[3]}};
}

static void write_row(const gndi_filtfilt_params *p, int i, power m, double *to) {
    to[0] = (double)(p->c0[i] * m.v[0] + p->c1[i] * m.v[2]);
    to[1] = (double)(p->c0[i] * m.v[1] + p->c1[i] * m.v[3]);
}

static void write_powers(gndi_filtfilt_params *p, int i) {
    const power one = {{-(long double)p->a1[i], -(long double)p->a2[i], 1, 0}};
    power every = one, before = one;
    for (int64_t k = 1; k < p->at.y_every; k++) every = product(every, one);
    power behind = every;
    for (int m = 0; m < GNDI_FILTFILT_RESULTS; m++) {
        write_row(p, i, before, p->before[m][i]);
        write_row(p, i, behind, p->behind[GNDI_FILTFILT_RESULTS - 1 - m][i]);
        before = product(before, every);
        if (m < GNDI_FILTFILT_RESULTS - 1) behind = product(behind, every);
    }
    power run = behind;
    for (int l = 0; l < 5; l++, run = product(run, run))
        for (int k = 0; k < 4; k++) p->steps[l][i][k] = (double)run.v[k];
}

/* Whether samples can be moved 16 bytes at a time, and results begin at multiples of that. */
static bool has_packs(const gndi_filter_layout *at, int64_t item) {
    uint64_t all = (uint64_t)(uintptr_t)at->x | (uint64_t)(at->y_every * item);
    for (int d = 0; d < at->ndim; d++) all |= (uint64_t)at->x_stride[d];
    return at->x_step == item && at->parts == 1 && all % 16 == 0;
}

gnd_status gndi_cuda_filtfilt(gnd_stream *s, const gndi_filtfilt_plan *plan, const char *fn) {
    const gndi_filter_pairs *pairs = &plan->pairs;
    const bool wide = plan->dtype == GND_FLOAT64 || plan->dtype == GND_COMPLEX128;
    gndi_filtfilt_params p = {
        .at = gndi_filter_layout_of(&plan->lines, plan->dtype), .edge = (int32_t)plan->edge, .direct = pairs->direct};
    memcpy(p.a1, pairs->a1, sizeof p.a1), memcpy(p.a2, pairs->a2, sizeof p.a2);
    memcpy(p.c0, pairs->c0, sizeof p.c0), memcpy(p.c1, pairs->c1, sizeof p.c1);
    memcpy(p.back, pairs->back, sizeof p.back);
    for (int i = 0; i < GNDI_FILTFILT_PAIRS; i++) write_powers(&p, i);
    const int64_t item = wide ? 8 : 4, run_bytes = gndi_filtfilt_run(p.at.y_every, item);
    const int threads = gndi_filtfilt_threads(s->device->shared_bytes, run_bytes);
    p.results = gndi_ceil_div(p.at.length, p.at.y_every);
    p.tiles = (uint32_t)gndi_ceil_div(p.results, (threads - 2 * 32) * GNDI_FILTFILT_RESULTS);
    gndi_buffer *spoilt = gndi_buffer_new(fn, s, (size_t)(p.tiles * p.at.lines));
    if (!spoilt) return GND_ERROR_MEMORY;
    p.spoilt = spoilt->base;
    gnd_status status = gndi_cuda_launch_early(s, gndi_cuda_filtfilt_kernel(wide, has_packs(&p.at, item)),
                                               p.tiles * p.at.lines, threads, (size_t)(threads * run_bytes), &p, fn);
    if (!status) status = gndi_cuda_launch_early(s, gndi_cuda_spoil_kernel(wide), p.at.lines, threads, 0, &p, fn);
    gndi_buffer_release(spoilt);
    return status;
}
