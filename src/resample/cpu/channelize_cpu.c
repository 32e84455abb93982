/*
 * channelize_cpu.c: polyphase channelizers on the CPU: the taps are put into rows, and frames of all lines are shared
 * among the threads.
 */
#include "resample/channelize_plan.h"
#include <stdbool.h>
#include "resample/cpu/channelize_loops.h"
#include "kernels/cpu/isa.h"
#include "runtime/hooks.h"
#include <math.h>

GNDI_CPU_TABLE(gndi_cpu_channelize_loops, gndi_cpu_channelize_loops_get, channelize_loops)

typedef struct work {
    const gndi_channelize_plan *plan;
    gndi_cpu_channelizer common;
    void (*frame)(const gndi_cpu_channelizer *c);
    int64_t real;       /* bytes of a real number */
    atomic_bool failed; /* for want of memory; threads other than the caller's raise nothing */
} work;

static void set_number(char *p, int64_t real, double value) {
    if (real == 8)
        *(double *)(void *)p = value;
    else
        *(float *)(void *)p = (float)value;
}

/* Rows of taps, the last branch first, zeros behind the last tap. */
static void fill_taps(const work *w, char *to) {
    const gndi_channelize_plan *p = w->plan;
    const int64_t tap = gndi_dtype_sizes[p->taps_dtype];
    const int copies = w->common.complex_x && !w->common.complex_taps ? 2 : 1;
    for (int64_t t = 0; t < w->common.branch_taps; t++)
        for (int64_t branch = p->channels - 1; branch >= 0; branch--)
            for (int copy = 0; copy < copies; copy++, to += tap) {
                const int64_t at = branch + t * p->channels;
                if (at < p->taps)
                    memcpy(to, p->h + at * tap, (size_t)tap);
                else
                    memset(to, 0, (size_t)tap);
            }
}

static void fill_wave(const work *w, char *to) {
    static const double TURN = 6.283185307179586476925;
    const int64_t n = w->plan->channels;
    for (int64_t k = 0; k < n; k++, to += 2 * w->real) {
        const double phase = TURN * (double)(2 * k > n ? k - n : k) / (double)n;
        set_number(to, w->real, cos(phase));
        set_number(to + w->real, w->real, sin(phase));
    }
}

static void run_frames(void *context, int64_t begin, int64_t end) {
    work *w = context;
    const gndi_channelize_plan *p = w->plan;
    gndi_cpu_channelizer c = w->common;
    c.space = gndi_malloc(NULL, (size_t)(6 * p->channels * w->real));
    if (!c.space) {
        atomic_store(&w->failed, true);
        return;
    }
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t line = unit / p->count, i = unit % p->count;
        c.x = p->x + gndi_line_of_x(&p->grid, line);
        c.frame = p->frame_first + i;
        c.out = p->out + gndi_line_of_out(&p->grid, line) + i * p->channels * 2 * w->real;
        w->frame(&c);
    }
    gndi_free(c.space);
}

gnd_status gndi_cpu_channelize(gnd_stream *s, const gndi_channelize_plan *p, const char *fn) {
    const bool wide = p->dtype == GND_FLOAT64 || p->dtype == GND_COMPLEX128;
    int factor[GNDI_FFT_FACTORS];
    work w = {.plan = p, .real = wide ? 8 : 4};
    w.frame = gndi_cpu_channelize_loops_get()->frame[wide];
    w.common = (gndi_cpu_channelizer){.factor = factor,
                                      .factors = p->transforms ? gndi_fft_factors(p->channels, factor) : 0,
                                      .complex_x = gndi_dtype_is_complex(p->dtype),
                                      .complex_taps = gndi_dtype_is_complex(p->taps_dtype),
                                      .channels = p->channels,
                                      .hop = p->hop,
                                      .branch_taps = gndi_ceil_div(p->taps, p->channels),
                                      .length = p->length,
                                      .x_first = p->x_first};
    const int64_t row = p->channels * w.real * 2, taps = w.common.branch_taps * row;
    gndi_buffer *memory = gndi_buffer_new(fn, s, (size_t)(taps + row));
    if (!memory) return GND_ERROR_MEMORY;
    fill_taps(&w, memory->base);
    fill_wave(&w, (char *)memory->base + taps);
    w.common.taps = memory->base, w.common.wave = (char *)memory->base + taps;
    const int64_t products = p->channels * w.common.branch_taps;
    gndi_parallel_for(p->grid.lines * p->count, (1 << 15) / products + 1, run_frames, &w);
    gndi_buffer_release(memory);
    if (!atomic_load(&w.failed)) return GND_OK;
    return gndi_raise(GND_ERROR_MEMORY, fn, "out of host memory for a copy of some elements");
}
