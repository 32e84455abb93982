/*
 * stft_cpu.c: short-time Fourier transforms on the CPU. A thread reads a frame's samples, takes off the trend and
 * multiplies by the window as it goes, transforms the frame in its cache, and writes the bins to their place.
 */
#include "spectral/cpu/stft_cpu.h"
#include "resample/detrend_plan.h"
#include "runtime/hooks.h"

enum { SAMPLES = 1 << 13 /* of the frames that are worth a thread */ };

typedef struct work {
    const gndi_stft_plan *plan;
    gndi_frame_fft fft;
    int parts; /* real numbers of a sample: 2 of a complex one */
    int step;  /* from sample to sample in the transform's input */
    atomic_bool failed;
} work;

/* What stands at sample t outside of the signal: 2 x[*end] - x[*at], the last one alone, or zero; -1: not there. */
static void outside(const gndi_stft_plan *p, int64_t t, int64_t *end, int64_t *at) {
    const int64_t edge = t < 0 ? 0 : p->total - 1, mirror = t < 0 ? -t : 2 * edge - t;
    *end = *at = -1;
    if (t < -p->extend || (t >= 0 && t - p->total >= p->extend)) return;
    if (p->border == GNDI_BORDER_NEAREST) *at = edge;
    if (p->border == GNDI_BORDER_MIRROR || p->border == GNDI_BORDER_ANTIREFLECT) *at = mirror;
    if (p->border == GNDI_BORDER_ANTIREFLECT) *end = edge;
}

/* Samples of one frame to `to`, `step` apart: T's functions are those of float and double. */
#define DEFINE_LOOPS(T)                                                                                                \
    static void fill_##T(const work *w, const T *x, int64_t start, T *to) {                                            \
        const gndi_stft_plan *p = w->plan;                                                                             \
        const int64_t before = gndi_max(0, gndi_min(p->nperseg, -start));                                              \
        const int64_t inside = start >= p->total ? 0 : gndi_min(p->nperseg, p->total - start);                         \
        for (int64_t i = 0; i < p->nperseg; i++) {                                                                     \
            if (i == before && inside > before) i = inside;                                                            \
            if (i >= p->nperseg) break;                                                                                \
            int64_t end, at;                                                                                           \
            outside(p, start + i, &end, &at);                                                                          \
            for (int part = 0; part < w->parts; part++) {                                                              \
                T value = at < 0 ? 0 : x[(at - p->x_first) * w->parts + part];                                         \
                if (end >= 0) value = 2 * x[(end - p->x_first) * w->parts + part] - value;                             \
                to[i * w->step + part] = value;                                                                        \
            }                                                                                                          \
        }                                                                                                              \
        if (inside <= before) return;                                                                                  \
        const T *from = x + (start + before - p->x_first) * w->parts;                                                  \
        to += before * w->step;                                                                                        \
        if (w->step == w->parts)                                                                                       \
            memcpy(to, from, (size_t)((inside - before) * w->parts) * sizeof *to);                                     \
        else                                                                                                           \
            for (int64_t i = 0; i < inside - before; i++) to[2 * i] = from[i];                                         \
    }                                                                                                                  \
    static void take_trend_##T(const work *w, T *v) {                                                                  \
        const int64_t n = w->plan->nperseg;                                                                            \
        const double middle = 0.5 * (double)(n - 1), squares = gndi_detrend_squares(n);                                \
        for (int part = 0; part < w->parts; part++, v++) {                                                             \
            double sum = 0, weighted = 0;                                                                              \
            for (int64_t i = 0; i < n; i++) {                                                                          \
                sum += (double)v[i * w->step];                                                                         \
                weighted += ((double)i - middle) * (double)v[i * w->step];                                             \
            }                                                                                                          \
            const double mean = sum / (double)n;                                                                       \
            const double slope = w->plan->trend == GNDI_TREND_LINEAR && squares > 0 ? weighted / squares : 0;          \
            for (int64_t i = 0; i < n; i++)                                                                            \
                v[i * w->step] = (T)((double)v[i * w->step] - mean - slope * ((double)i - middle));                    \
        }                                                                                                              \
    }                                                                                                                  \
    static void multiply_##T(const work *w, const T *window, T *v) {                                                   \
        const gndi_stft_plan *p = w->plan;                                                                             \
        if (window && w->step == 1)                                                                                    \
            for (int64_t i = 0; i < p->nperseg; i++) v[i] *= window[i];                                                \
        else if (window)                                                                                               \
            for (int64_t i = 0; i < p->nperseg; i++) v[2 * i] *= window[i], v[2 * i + 1] *= window[i];                 \
        memset(v + p->nperseg * w->step, 0, (size_t)((p->nfft - p->nperseg) * w->step) * sizeof *v);                   \
    }                                                                                                                  \
    static void frame_##T(const work *w, const char *x, int64_t f, char *to) {                                         \
        T *const v = (T *)(void *)to;                                                                                  \
        if (w->step > w->parts) memset(v, 0, (size_t)(w->plan->nperseg * w->step) * sizeof *v);                        \
        fill_##T(w, (const T *)(const void *)x, f * w->plan->hop - w->plan->extend, v);                                \
        if (w->plan->trend != GNDI_TREND_NONE) take_trend_##T(w, v);                                                   \
        multiply_##T(w, (const T *)(const void *)w->plan->window, v);                                                  \
    }
DEFINE_LOOPS(float)
DEFINE_LOOPS(double)
#undef DEFINE_LOOPS

static void run_frames(void *context, int64_t begin, int64_t end) {
    work *w = context;
    const gndi_stft_plan *p = w->plan;
    const bool wide = w->fft.plan.wide;
    const size_t row = (size_t)gndi_stft_bins(p->nfft, p->half) * (wide ? 16 : 8);
    gndi_frame frame;
    if (!gndi_frame_new(&w->fft, &frame)) {
        atomic_store(&w->failed, true);
        return;
    }
    for (int64_t unit = begin; unit < end; unit++) {
        const char *x = p->x + gndi_line_of_x(&p->grid, unit / p->count);
        const int64_t f = p->frame_first + unit % p->count;
        if (wide)
            frame_double(w, x, f, frame.in);
        else
            frame_float(w, x, f, frame.in);
        gndi_frame_run(&w->fft, &frame);
        memcpy(p->out + (size_t)unit * row, frame.out, row);
    }
    gndi_free(frame.memory);
}

gnd_status gndi_cpu_stft(gnd_stream *s, const gndi_stft_plan *p, const char *fn) {
    const bool wide = p->dtype == GND_FLOAT64 || p->dtype == GND_COMPLEX128;
    work w = {.plan = p, .parts = gndi_dtype_is_complex(p->dtype) ? 2 : 1, .step = p->half ? 1 : 2};
    const gnd_status status = gndi_frame_fft_begin(&w.fft, s, wide, p->half, false, p->nfft, fn);
    if (status) return status;
    gndi_parallel_for(p->grid.lines * p->count, SAMPLES / p->nfft + 1, run_frames, &w);
    gndi_frame_fft_end(&w.fft);
    if (!atomic_load(&w.failed)) return GND_OK;
    return gndi_raise(GND_ERROR_MEMORY, fn, "out of host memory for frames of %lld samples", (long long)p->nfft);
}
