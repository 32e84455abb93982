/*
 * stft_cpu.c: short-time Fourier transforms on the CPU. A thread reads a frame's samples, takes off the trend and
 * multiplies by the window as it goes, transforms the frame in its cache, and writes the bins to their place, or what
 * results_cpu.c makes of them. Means are those of parts of a line's frames, which do not depend on the threads.
 */
#include "spectral/cpu/stft_cpu.h"
#include "resample/detrend_plan.h"
#include "runtime/hooks.h"

enum {
    SAMPLES = 1 << 13, /* of the frames that are worth a thread */
    PART = 64,         /* frames of a part of a mean, at least */
    PARTS = 1 << 12,   /* of all lines, about */
};

typedef struct work {
    const gndi_stft_plan *plan;
    gndi_frame_fft fft;
    int parts;            /* real numbers of a sample: 2 of a complex one */
    int step;             /* from sample to sample in the transform's input */
    int64_t part, pieces; /* of means: frames, and how many of a line */
    char *sums;
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
    static void fill_##T(const work *w, const T *x, int64_t start, int64_t total, T *to) {                             \
        const gndi_stft_plan *p = w->plan;                                                                             \
        const int64_t before = gndi_max(0, gndi_min(p->nperseg, -start));                                              \
        const int64_t inside = start >= total ? 0 : gndi_min(p->nperseg, total - start);                               \
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
    static void frame_##T(const work *w, const char *x, int64_t f, int64_t total, const gndi_frame *frame) {           \
        const gndi_stft_plan *p = w->plan;                                                                             \
        T *const v = (T *)(void *)frame->in, *const copy = (T *)(void *)frame->out;                                    \
        if (w->step > w->parts) memset(v, 0, (size_t)(p->nperseg * w->step) * sizeof *v);                              \
        fill_##T(w, (const T *)(const void *)x, f * p->hop - p->extend, total, v);                                     \
        if (p->trend != GNDI_TREND_NONE) take_trend_##T(w, v);                                                         \
        multiply_##T(w, (const T *)(const void *)p->window, v);                                                        \
        if (p->roll == 0) return;                                                                                      \
        memcpy(copy, v, (size_t)(p->nfft * w->step) * sizeof *v);                                                      \
        memcpy(v, copy + p->roll * w->step, (size_t)((p->nfft - p->roll) * w->step) * sizeof *v);                      \
        memcpy(v + (p->nfft - p->roll) * w->step, copy, (size_t)(p->roll * w->step) * sizeof *v);                      \
    }
DEFINE_LOOPS(float)
DEFINE_LOOPS(double)
#undef DEFINE_LOOPS

/* Frame f of a line, or of the same line of y, transformed: its bins are frame->out. */
static void transform(const work *w, int64_t line, int64_t f, bool of_y, const gndi_frame *frame) {
    const gndi_stft_plan *p = w->plan;
    const char *x = of_y ? p->y + gndi_line_of_out(&p->grid, line) : p->x + gndi_line_of_x(&p->grid, line);
    const int64_t total = of_y ? p->y_total : p->total;
    if (w->fft.plan.wide)
        frame_double(w, x, p->frame_first + f, total, frame);
    else
        frame_float(w, x, p->frame_first + f, total, frame);
    gndi_frame_run(&w->fft, frame);
}

/* A thread's blocks: one more for y. */
static bool new_frames(work *w, gndi_frame frames[2]) {
    frames[1] = (gndi_frame){0};
    if (gndi_frame_new(&w->fft, &frames[0]) && (!w->plan->y || gndi_frame_new(&w->fft, &frames[1]))) return true;
    gndi_free(frames[0].memory);
    atomic_store(&w->failed, true);
    return false;
}
static void free_frames(gndi_frame frames[2]) {
    gndi_free(frames[0].memory);
    gndi_free(frames[1].memory);
}

static void run_frames(void *context, int64_t begin, int64_t end) {
    work *w = context;
    const gndi_stft_plan *p = w->plan;
    const int64_t row = gndi_stft_bins(p->nfft, p->half) * gndi_stft_result_bytes(p);
    gndi_frame frames[2];
    if (!new_frames(w, frames)) return;
    for (int64_t unit = begin; unit < end; unit++) {
        transform(w, unit / p->count, unit % p->count, false, &frames[0]);
        if (p->y) transform(w, unit / p->count, unit % p->count, true, &frames[1]);
        gndi_stft_store(p, frames[0].out, frames[1].out, p->out + unit * row);
    }
    free_frames(frames);
}

/* Of the parts of means: sums of their frames. */
static void run_parts(void *context, int64_t begin, int64_t end) {
    work *w = context;
    const gndi_stft_plan *p = w->plan;
    const int64_t row = gndi_stft_bins(p->nfft, p->half) * gndi_stft_result_bytes(p);
    gndi_frame frames[2];
    if (!new_frames(w, frames)) return;
    for (int64_t unit = begin; unit < end; unit++) {
        const int64_t line = unit / w->pieces, first = unit % w->pieces * w->part;
        char *sum = w->sums + unit * row;
        memset(sum, 0, (size_t)row);
        for (int64_t f = first; f < gndi_min(first + w->part, p->count); f++) {
            transform(w, line, f, false, &frames[0]);
            if (p->y) transform(w, line, f, true, &frames[1]);
            gndi_stft_add(p, frames[0].out, frames[1].out, sum);
        }
    }
    free_frames(frames);
}

static gnd_status run_means(gnd_stream *s, work *w, const char *fn) {
    const gndi_stft_plan *p = w->plan;
    const int64_t lines = p->grid.lines, row = gndi_stft_bins(p->nfft, p->half) * gndi_stft_result_bytes(p);
    w->part = gndi_max(PART, gndi_ceil_div(lines * p->count, PARTS));
    w->pieces = gndi_ceil_div(p->count, w->part);
    gndi_buffer *memory = gndi_buffer_new(fn, s, (size_t)(lines * w->pieces * row));
    if (!memory) return GND_ERROR_MEMORY;
    w->sums = memory->base;
    gndi_parallel_for(lines * w->pieces, 1, run_parts, w);
    for (int64_t line = 0; line < lines && !atomic_load(&w->failed); line++)
        gndi_stft_mean(p, w->sums + line * w->pieces * row, w->pieces, p->out + line * row);
    gndi_buffer_release(memory);
    return GND_OK;
}

gnd_status gndi_cpu_stft(gnd_stream *s, const gndi_stft_plan *p, const char *fn) {
    const bool wide = p->dtype == GND_FLOAT64 || p->dtype == GND_COMPLEX128;
    work w = {.plan = p, .parts = gndi_dtype_is_complex(p->dtype) ? 2 : 1, .step = p->half ? 1 : 2};
    gnd_status status = gndi_frame_fft_begin(&w.fft, s, wide, p->half, false, p->nfft, fn);
    if (status) return status;
    if (p->mean)
        status = run_means(s, &w, fn);
    else
        gndi_parallel_for(p->grid.lines * p->count, SAMPLES / p->nfft + 1, run_frames, &w);
    gndi_frame_fft_end(&w.fft);
    if (status || !atomic_load(&w.failed)) return status;
    return gndi_raise(GND_ERROR_MEMORY, fn, "out of host memory for frames of %lld samples", (long long)p->nfft);
}
